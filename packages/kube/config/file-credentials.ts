import { readFileSync } from 'node:fs';
import type { Clock } from '../clock.ts';
import { systemClock } from '../clock.ts';
import { KubeError } from '../errors.ts';
import { reasonOf } from './bad-config.ts';
import type { Auth, Credentials } from './credentials.ts';
import { expiryOf } from './credentials.ts';

/** How stale what was read from a file may get. The kubelet rotates tokens at 80 % of their life, long before. */
const freshMs = 10_000;

export interface FileCredentialsOptions {
  /** Files in the order `toAuth` wants their contents. */
  readonly files: readonly string[];
  readonly toAuth: (contents: readonly string[]) => Auth;
  readonly name: string;
  readonly clock?: Clock | undefined;
}

/**
 * Credentials that live in files which somebody else rotates: service-account tokens, client certificates.
 * The files are small and local and read at most every ten seconds, so they are read synchronously:
 * the answer stays immediate for every request in between.
 */
export function fileCredentials(options: FileCredentialsOptions): Credentials {
  const { files, toAuth, name, clock = systemClock } = options;
  let contents: readonly string[] | undefined;
  let auth: Auth | undefined;
  let readAt = Number.NEGATIVE_INFINITY;

  const read = (): Auth => {
    const now = clock.monotonic();
    try {
      const next = files.map((file) => readFileSync(file, 'utf8'));
      if (!auth || next.some((text, index) => text !== contents?.[index])) {
        auth = toAuth(next);
        contents = next;
      }
    } catch (cause) {
      // A rotation caught half-way: what worked until now most likely still does.
      if (!auth) {
        throw new KubeError(
          'credentials-failed',
          `${name}: ${files.join(' and ')} gave no credentials: ${reasonOf(cause)}. Check that the file exists, is readable by this user and holds what it should.`,
          { cause },
        );
      }
    }
    readAt = now;
    return auth;
  };

  return {
    current: () => (auth && clock.monotonic() - readAt < freshMs ? auth : read()),
    refused: (old) => read() !== old,
    describe: () => `${name} (from ${files.join(', ')})${auth ? expiryOf(auth, clock.now()) : ''}`,
  };
}

/** A token file as people write them: with a newline at the end, never empty. */
export function tokenIn(text: string | undefined): string {
  const token = text?.trim() ?? '';
  if (token === '') throw new Error('the token file is empty');
  return token;
}
