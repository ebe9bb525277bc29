/**
 * The access token of the sandbox's owner. Only its SHA-256 is needed to check a header; the token itself is kept because
 * signed URLs are hashes over it (e2b 2.6).
 */
import { createHash, timingSafeEqual } from 'node:crypto';

function digest(text: string): Buffer {
  return createHash('sha256').update(text, 'utf8').digest();
}

/** Constant time in the length and content of both: hashes are compared, never the texts. */
export function equalSecrets(one: string, other: string): boolean {
  return timingSafeEqual(digest(one), digest(other));
}

export class AccessToken {
  readonly #token: string;
  readonly #hash: Buffer;

  constructor(token: string) {
    this.#token = token;
    this.#hash = digest(token);
  }

  matches(candidate: string): boolean {
    return timingSafeEqual(this.#hash, digest(candidate));
  }

  /** `v1_` + SHA-256 of `path:operation:user:token[:expiration]`. e2b 2.6 */
  signature(path: string, operation: 'read' | 'write', user: string, expiration?: number): string {
    const raw = `${path}:${operation}:${user}:${this.#token}${expiration === undefined ? '' : `:${expiration}`}`;
    return `v1_${digest(raw).toString('base64').replace(/=+$/, '')}`;
  }

  /** Only for the launcher's memory; see keptState. */
  reveal(): string {
    return this.#token;
  }

  toJSON(): string {
    return '[token]';
  }
}
