/**
 * The keys of a cluster: its authority, the certificate it serves with, the administrator's, and the key that signs the
 * tokens of service accounts. Made at the first start, kept with 0600, renewed in time.
 */
import { chmod, mkdir, readdir, readFile, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { AuthError } from '../errors.ts';
import { isUnfinished, writePrivateFile } from '../private-files.ts';
import {
  type Identity,
  identityText,
  isFor,
  isIssuedBy,
  isNearExpiry,
  parseIdentity,
  parseSigningKey,
} from './identity.ts';

const DAY_MS = 24 * 60 * 60_000;
const AUTHORITY_LIFETIME_MS = 3650 * DAY_MS;
const CERTIFICATE_LIFETIME_MS = 365 * DAY_MS;

/** What every serving certificate is for, whatever else the server is called. */
export const OWN_HOSTS: readonly string[] = [
  'localhost',
  '127.0.0.1',
  '::1',
  'kubernetes',
  'kubernetes.default',
  'kubernetes.default.svc',
  'kubernetes.default.svc.cluster.local',
];
/** Addresses to listen on that nobody can be reached by. */
const UNSPECIFIED = new Set(['0.0.0.0', '::', '']);

export const ADMIN = { name: 'kubernetes-admin', groups: ['system:masters'] } as const;

export interface Pki {
  /** PEM of the authority: what clients trust, and what client certificates are checked against. */
  readonly ca: string;
  readonly serving: Identity;
  readonly admin: Identity;
  /** PEM of the private key that signs service-account tokens. */
  readonly serviceAccountKey: string;
  issueClient(
    who: { readonly name: string; readonly groups: readonly string[] },
    lifetimeMs?: number,
  ): Promise<Identity>;
  /** Replaces what is near its end; true when something changed, and the listener must take the new certificate. */
  renew(): Promise<boolean>;
}

export interface PkiOptions {
  /** Its own folder inside the data folder, made with 0700. Open the store first: it refuses a folder with foreign files. */
  readonly folder: string;
  /** Names and addresses of the server besides its own. */
  readonly hosts: readonly string[];
  readonly now: () => number;
}

/** Where the parts are kept. */
interface Shelf {
  read(name: Part): Promise<string | undefined>;
  write(name: Part, text: string): Promise<void>;
  /** The error for a part that is there and can't be used. */
  damaged(name: Part, cause: unknown): AuthError;
}

type Part = 'ca' | 'serving' | 'admin' | 'service-account';

const CONSEQUENCES: Readonly<Record<Part, string>> = {
  ca: 'a new authority is made and kubeconfigs made before must be written again',
  serving: 'a new one is made',
  admin: 'a new one is made',
  'service-account': 'a new one is made and service-account tokens issued before are refused',
};

export async function openPki(options: PkiOptions): Promise<Pki> {
  const shelf = await folderShelf(options.folder);
  return assemble(shelf, options);
}

/** Keys that live as long as the process. */
export function openMemoryPki(options: Omit<PkiOptions, 'folder'>): Promise<Pki> {
  const parts = new Map<Part, string>();
  return assemble(
    {
      read: async (name) => parts.get(name),
      write: async (name, text) => void parts.set(name, text),
      damaged: (name, cause) => new AuthError('pki-damaged', `The ${name} part in memory is damaged.`, { cause }),
    },
    options,
  );
}

async function assemble(shelf: Shelf, { hosts, now }: Omit<PkiOptions, 'folder'>): Promise<Pki> {
  const names = [...new Set([...OWN_HOSTS, ...hosts.filter((host) => !UNSPECIFIED.has(host))])];
  const load = async <T>(name: Part, parse: (text: string) => T): Promise<T | undefined> => {
    const text = await shelf.read(name);
    if (text === undefined) return undefined;
    try {
      return parse(text);
    } catch (error) {
      throw shelf.damaged(name, error);
    }
  };
  const keep = async (name: Part, identity: Identity): Promise<Identity> => {
    await shelf.write(name, identityText(identity));
    return identity;
  };
  const authority = async (before: Identity | undefined): Promise<Identity> => {
    if (before && !isNearExpiry(before, now())) return before;
    const { makeAuthority } = await import('./certificates.ts');
    return keep('ca', await makeAuthority({ now: now(), lifetimeMs: AUTHORITY_LIFETIME_MS }, before));
  };
  const issued = async (name: 'serving' | 'admin', ca: Identity, before: Identity | undefined): Promise<Identity> => {
    const fits = name === 'admin' || names.every((host) => before && isFor(before, host));
    if (before && fits && !isNearExpiry(before, now()) && isIssuedBy(before, ca)) return before;
    const { issueServing, issueClient } = await import('./certificates.ts');
    const validity = { now: now(), lifetimeMs: CERTIFICATE_LIFETIME_MS };
    return keep(name, await (name === 'admin' ? issueClient(ca, ADMIN, validity) : issueServing(ca, names, validity)));
  };
  const signingKey = async (before: string | undefined): Promise<string> => {
    if (before !== undefined) return before;
    const { newPrivateKey } = await import('./certificates.ts');
    const key = await newPrivateKey();
    await shelf.write('service-account', key);
    return key;
  };

  const [oldCa, oldServing, oldAdmin, oldKey] = await Promise.all([
    load('ca', parseIdentity),
    load('serving', parseIdentity),
    load('admin', parseIdentity),
    load('service-account', parseSigningKey),
  ]);
  const freshKey = signingKey(oldKey);
  let ca = await authority(oldCa);
  let [serving, admin] = await Promise.all([issued('serving', ca, oldServing), issued('admin', ca, oldAdmin)]);
  const serviceAccountKey = await freshKey;

  return {
    get ca() {
      return ca.certificate;
    },
    get serving() {
      return serving;
    },
    get admin() {
      return admin;
    },
    serviceAccountKey,
    async issueClient(who, lifetimeMs = CERTIFICATE_LIFETIME_MS) {
      const { issueClient } = await import('./certificates.ts');
      return issueClient(ca, who, { now: now(), lifetimeMs });
    },
    async renew() {
      const before = [ca, serving, admin];
      ca = await authority(ca);
      [serving, admin] = await Promise.all([issued('serving', ca, serving), issued('admin', ca, admin)]);
      return before.some((identity, at) => identity !== [ca, serving, admin][at]);
    },
  };
}

async function folderShelf(folder: string): Promise<Shelf> {
  const fileOf = (name: Part) => join(folder, `${name}.pem`);
  const failed = (doing: string, cause: unknown) =>
    new AuthError(
      'pki-io',
      `Cannot ${doing}: ${cause instanceof Error ? cause.message : String(cause)}. Check that the folder belongs to you and that the disk has room.`,
      { cause },
    );
  try {
    await mkdir(folder, { recursive: true, mode: 0o700 });
    await chmod(folder, 0o700);
    for (const name of await readdir(folder)) if (isUnfinished(name)) await rm(join(folder, name), { force: true });
  } catch (error) {
    throw failed(`use ${folder}`, error);
  }
  return {
    async read(name) {
      const file = fileOf(name);
      try {
        const text = await readFile(file, 'utf8');
        // Somebody's copy or editor may have opened it to others.
        if (((await stat(file)).mode & 0o077) !== 0) await chmod(file, 0o600);
        return text;
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
        throw failed(`read ${file}`, error);
      }
    },
    async write(name, text) {
      try {
        await writePrivateFile(fileOf(name), text);
      } catch (error) {
        throw failed(`write ${fileOf(name)}`, error);
      }
    },
    damaged: (name, cause) =>
      new AuthError(
        'pki-damaged',
        `${fileOf(name)} is damaged: ${cause instanceof Error ? cause.message : String(cause)}. Put back a good copy, or remove the file: then ${CONSEQUENCES[name]}.`,
        { cause },
      ),
  };
}
