import { KubeError } from '../errors.ts';
import { reasonOf } from './bad-config.ts';
import type { Auth, Credentials } from './credentials.ts';
import { bearer } from './credentials.ts';
import type { ExecPlugin } from './exec-plugin.ts';
import type { ExecOptions, Fail } from './exec-process.ts';
import { runProcess } from './exec-process.ts';
import { checkPair } from './pem.ts';

/** A new credential is fetched this long before the old one expires, while the old one still serves. */
const refreshAheadMs = 30_000;

interface Held {
  readonly auth: Auth;
  /** Milliseconds since the epoch; infinite when the plugin named no end. */
  readonly expires: number;
}

/** One plugin run at a time, shared by everybody who waits; the result is kept until shortly before it expires. */
export function execCredentials(options: ExecOptions): Credentials {
  const { clock } = options;
  let held: Held | undefined;
  let running: Promise<Auth> | undefined;

  const refresh = (): Promise<Auth> => {
    running ??= runPlugin(options)
      .then((next) => {
        held = next;
        return next.auth;
      })
      .finally(() => {
        running = undefined;
      });
    return running;
  };

  return {
    current() {
      if (!held) return refresh();
      const left = held.expires - clock.now();
      if (left <= 0) return refresh();
      // The old credential still serves; a failure shows when it really ends.
      if (left < refreshAheadMs) refresh().catch(() => undefined);
      return held.auth;
    },
    refused(auth) {
      if (held?.auth === auth) held = undefined;
      return true;
    },
    describe: () => `${options.name}, by the credential plugin ${options.plugin.command}`,
  };
}

async function runPlugin(options: ExecOptions): Promise<Held> {
  const { plugin, name } = options;
  const interactive = plugin.interactiveMode !== 'Never' && (options.interactive ?? process.stdin.isTTY === true);
  const fail = (problem: string, remedy: string, cause?: unknown): KubeError => {
    const hint = plugin.installHint === undefined ? '' : `\n${plugin.installHint.trim()}`;
    return new KubeError(
      'credentials-failed',
      `${name}: credential plugin ${plugin.command} ${problem}. ${remedy}.${hint}`,
      { cause },
    );
  };
  if (plugin.interactiveMode === 'Always' && !interactive) {
    throw fail('needs a terminal, and there is none', 'Run this in a terminal, or use a plugin that works without one');
  }
  const output = await runProcess(options, interactive, fail);
  let answer: ExecCredential;
  try {
    answer = JSON.parse(output) as ExecCredential;
  } catch (cause) {
    throw fail('did not print JSON', 'Run it by hand and look at its output', cause);
  }
  if (answer?.kind !== 'ExecCredential' || answer.apiVersion !== plugin.apiVersion) {
    throw fail(
      `printed ${answer?.apiVersion ?? 'no apiVersion'} ${answer?.kind ?? 'without kind'} instead of ${plugin.apiVersion} ExecCredential`,
      `Set exec.apiVersion in ${plugin.where} to the version that the plugin speaks`,
    );
  }
  return toHeld(answer.status ?? {}, plugin, fail);
}

interface ExecCredential {
  kind?: string;
  apiVersion?: string;
  status?: {
    token?: string;
    clientCertificateData?: string;
    clientKeyData?: string;
    expirationTimestamp?: string;
  };
}

function toHeld(status: NonNullable<ExecCredential['status']>, plugin: ExecPlugin, fail: Fail): Held {
  const { token, clientCertificateData: cert, clientKeyData: key, expirationTimestamp } = status;
  if (!token && !cert && !key)
    throw fail('gave neither a token nor a certificate', 'Run it by hand and look at its output');
  if (Boolean(cert) !== Boolean(key))
    throw fail('gave a certificate without its key, or a key alone', 'Ask its makers');
  const expires = expirationTimestamp === undefined ? Number.POSITIVE_INFINITY : Date.parse(expirationTimestamp);
  if (Number.isNaN(expires)) throw fail(`gave the expiry ${expirationTimestamp}, which is no time`, 'Ask its makers');
  let certificate: Auth['certificate'];
  if (cert && key) {
    try {
      certificate = checkPair({ cert, key }, `certificate from ${plugin.command}`, `key from ${plugin.command}`);
    } catch (cause) {
      throw fail(`gave a client certificate that cannot be used: ${reasonOf(cause)}`, 'Log in again', cause);
    }
  }
  return { auth: { authorization: token ? bearer(token) : undefined, certificate }, expires };
}
