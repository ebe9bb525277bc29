import type { Clock } from '../clock.ts';
import { KubeError } from '../errors.ts';

/** Resolves after `ms` of the given clock; rejects with `aborted` as soon as the signal does. */
export function pause(clock: Clock, ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const abort = () => {
      cancel();
      reject(new KubeError('aborted', 'the caller aborted while waiting to try again', { cause: signal?.reason }));
    };
    const cancel = clock.after(ms, () => {
      signal?.removeEventListener('abort', abort);
      resolve();
    });
    if (signal?.aborted) abort();
    else signal?.addEventListener('abort', abort, { once: true });
  });
}
