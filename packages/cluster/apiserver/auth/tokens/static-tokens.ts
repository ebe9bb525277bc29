import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import type { User } from '../../registry/resource.ts';

/** A token's hash and whose it is. The token itself is known to its holder only. */
export interface TokenRecord {
  /** SHA-256 in base64url. */
  readonly hash: string;
  readonly user: User;
}

/** A new token of 32 random bytes, and the record to keep of it. */
export function makeToken(
  user: User,
  random: (size: number) => Buffer = randomBytes,
): { token: string; record: TokenRecord } {
  const token = random(32).toString('base64url');
  return { token, record: { hash: digest(token).toString('base64url'), user } };
}

const digest = (token: string) => createHash('sha256').update(token).digest();

/** Finds the user of a token. It compares with every record, so the time tells nothing about which one was near. */
export function staticTokens(records: readonly TokenRecord[]): (token: string) => User | undefined {
  const known = records.map(({ hash, user }) => ({ hash: Buffer.from(hash, 'base64url'), user }));
  return (token) => {
    if (known.length === 0) return undefined;
    const hash = digest(token);
    let found: User | undefined;
    for (const record of known) {
      if (record.hash.length === hash.length && timingSafeEqual(record.hash, hash)) found = record.user;
    }
    return found;
  };
}
