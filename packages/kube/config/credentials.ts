import type { Clock } from '../clock.ts';
import { systemClock } from '../clock.ts';

export interface ClientCertificate {
  /** PEM, the leaf first. */
  readonly cert: string;
  /** PEM. */
  readonly key: string;
}

/** What one request presents. The same object comes back for as long as nothing changed, so identity compares it. */
export interface Auth {
  readonly authorization?: string | undefined;
  readonly certificate?: ClientCertificate | undefined;
}

/** Where the transport gets its credentials. Asked before every request, so the common answer must be immediate. */
export interface Credentials {
  /** Throws or rejects with KubeError 'credentials-failed'. */
  current(): Auth | Promise<Auth>;
  /** The server answered 401 to `auth`. True when `current()` may now have something better. */
  refused(auth: Auth): boolean;
  /** Who this is, and that it expired when that can be seen: goes into the message of a 401. */
  describe(): string;
}

const anonymous: Auth = {};

export const noCredentials: Credentials = {
  current: () => anonymous,
  refused: () => false,
  describe: () => 'no credentials at all (anonymous)',
};

export function fixedCredentials(auth: Auth, name: string, clock: Clock = systemClock): Credentials {
  return {
    current: () => auth,
    refused: () => false,
    describe: () => `${name}${expiryOf(auth, clock.now())}`,
  };
}

export function bearer(token: string): string {
  return `Bearer ${token}`;
}

export function basic(username: string, password: string): string {
  return `Basic ${Buffer.from(`${username}:${password}`, 'utf8').toString('base64')}`;
}

/** `, which expired at …` when the bearer token is a JWT that is past its time; nothing otherwise. */
export function expiryOf(auth: Auth, now: number): string {
  const token = auth.authorization?.startsWith('Bearer ') ? auth.authorization.slice(7) : undefined;
  const payload = token?.split('.')[1];
  if (payload === undefined) return '';
  try {
    const { exp } = JSON.parse(Buffer.from(payload, 'base64url').toString('utf8')) as { exp?: unknown };
    if (typeof exp !== 'number' || exp * 1000 > now) return '';
    return `, which expired at ${new Date(exp * 1000).toISOString()}`;
  } catch {
    // An opaque token that happens to hold dots: nothing is known of its expiry.
    return '';
  }
}
