import { type Clock, systemClock } from '../clock.ts';
import { isConflict } from '../errors.ts';
import { pause } from './pause.ts';

export interface ConflictRetry {
  /** How often `write` is tried in all. Default 5. */
  readonly attempts?: number;
  /** Milliseconds before the third try and each later one; the second follows at once. Default 10. */
  readonly delayMs?: number;
  readonly signal?: AbortSignal | undefined;
  readonly clock?: Clock;
  /** A number from 0 to 1, to spread writers that met once. */
  readonly random?: () => number;
}

/**
 * Reads, writes, and on a conflict reads again: each try gets a fresh object, never the one that just lost.
 * Every other error, and the last conflict, goes to the caller.
 */
export async function retryOnConflict<T, R>(
  read: () => Promise<T>,
  write: (fresh: T) => Promise<R>,
  { attempts = 5, delayMs = 10, signal, clock = systemClock, random = Math.random }: ConflictRetry = {},
): Promise<R> {
  for (let attempt = 1; ; attempt += 1) {
    const fresh = await read();
    try {
      return await write(fresh);
    } catch (error) {
      if (!isConflict(error) || attempt >= attempts) throw error;
    }
    if (attempt > 1) await pause(clock, delayMs * (0.5 + random()), signal);
  }
}
