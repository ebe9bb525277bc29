import { readFileSync } from 'node:fs';
import type { Clock } from '../clock.ts';
import { badConfig, reasonOf } from './bad-config.ts';
import type { Impersonation } from './cluster-config.ts';
import type { Auth, Credentials } from './credentials.ts';
import { basic, bearer, fixedCredentials, noCredentials } from './credentials.ts';
import type { Fields } from './fields.ts';
import { fileCredentials, tokenIn } from './file-credentials.ts';
import { besideFile } from './kubeconfig-files.ts';
import { certificateExpiry, checkPair, decodeBase64 } from './pem.ts';

/** A value that stands in the kubeconfig itself, or in a file that may be rotated. */
type Part = { readonly text: string } | { readonly file: string } | undefined;

/** Credentials of a user entry, all but exec plugins. */
export function userCredentials(user: Fields, name: string, clock: Clock): Credentials {
  const token = tokenPart(user);
  const username = user.string('username');
  const password = user.string('password');
  const hasBasic = username !== undefined || password !== undefined;
  if (token && hasBasic) {
    throw badConfig(user.at(), 'sets both a token and a username or password', 'Keep one of the two');
  }
  const cert = pemPart(user, 'client-certificate');
  const key = pemPart(user, 'client-key');
  if (cert && !key)
    throw badConfig(user.at(), 'has a client certificate and no key', 'Add client-key or client-key-data');
  if (key && !cert) {
    throw badConfig(
      user.at(),
      'has a client key and no certificate',
      'Add client-certificate or client-certificate-data',
    );
  }

  const parts: Part[] = [token, cert, key];
  const files = parts.flatMap((part) => (part && 'file' in part ? [part.file] : []));
  const fixedAuthorization = hasBasic ? basic(username ?? '', password ?? '') : undefined;

  const toAuth = (contents: readonly string[]): Auth => {
    let next = 0;
    const [tokenText, certText, keyText] = parts.map((part) =>
      part === undefined ? undefined : 'text' in part ? part.text : contents[next++],
    );
    const authorization = token ? bearer(tokenIn(tokenText)) : fixedAuthorization;
    const certificate =
      certText !== undefined && keyText !== undefined
        ? checkPair({ cert: certText, key: keyText }, user.at('client-certificate'), user.at('client-key'))
        : undefined;
    return { authorization, certificate };
  };

  if (!token && !cert && !hasBasic) return noCredentials;
  const described = `user ${JSON.stringify(name)} of ${user.file}`;
  const first = toAuth(files.map((file) => readNamed(user, file)));
  const credentials =
    files.length === 0
      ? fixedCredentials(first, described, clock)
      : fileCredentials({ files, toAuth, name: described, clock });
  if (!first.certificate || token || hasBasic) return credentials;
  return { ...credentials, describe: () => credentials.describe() + certificateNote(credentials, clock) };
}

function certificateNote(credentials: Credentials, clock: Clock): string {
  const auth = credentials.current();
  return auth instanceof Promise || !auth.certificate ? '' : certificateExpiry(auth.certificate.cert, clock.now());
}

function readNamed(user: Fields, file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (cause) {
    throw badConfig(
      user.at(),
      `names ${file}, which cannot be read: ${reasonOf(cause)}`,
      'Correct the path or create the file',
      cause,
    );
  }
}

/** The file wins over the inline token, as it does for kubectl: it is the one that is kept fresh. */
function tokenPart(user: Fields): Part {
  const file = user.string('tokenFile');
  if (file !== undefined) return { file: besideFile(user, file) };
  const text = user.string('token');
  return text === undefined ? undefined : { text };
}

function pemPart(user: Fields, name: string): Part {
  const data = user.string(`${name}-data`);
  const file = user.string(name);
  if (data !== undefined && file !== undefined) {
    throw badConfig(user.at(), `sets both ${name} and ${name}-data`, 'Keep one of the two');
  }
  if (data !== undefined) return { text: decodeBase64(data, user.at(`${name}-data`)) };
  return file === undefined ? undefined : { file: besideFile(user, file) };
}

export function userImpersonation(user: Fields): Impersonation | undefined {
  const name = user.string('as');
  const uid = user.string('as-uid');
  const groups = user.strings('as-groups');
  const extraFields = user.fields('as-user-extra');
  if (name === undefined) {
    if (uid === undefined && groups.length === 0 && !extraFields) return undefined;
    throw badConfig(
      user.at('as'),
      'is missing while as-uid, as-groups or as-user-extra is set',
      'Name the user to impersonate in `as`',
    );
  }
  const extra = extraFields && Object.fromEntries(extraFields.keys().map((key) => [key, extraFields.strings(key)]));
  return { user: name, uid, groups, extra };
}
