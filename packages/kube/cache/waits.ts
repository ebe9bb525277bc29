import type { Clock } from '../clock.ts';
import { KubeError } from '../errors.ts';

export interface WaitOptions {
  readonly signal?: AbortSignal | undefined;
  /** Milliseconds since the epoch, by the cache's clock. */
  readonly deadline?: number | undefined;
  /** The same, counted from now. The earlier of the two holds. */
  readonly timeoutMs?: number | undefined;
}

/** The wait ended without its condition. `lastSeen` is what the condition looked at last; undefined means absent. */
export class WaitError<V = unknown> extends KubeError {
  readonly lastSeen: V;

  constructor(code: 'timeout' | 'aborted', message: string, lastSeen: V, cause?: unknown) {
    super(code, message, cause === undefined ? {} : { cause });
    this.lastSeen = lastSeen;
  }
}

/** Waiters by topic. Each has its own condition and its own deadline; two of them share nothing but the topic. */
export class Waits {
  readonly #clock: Clock;
  readonly #checks = new Map<string, Set<() => void>>();
  readonly #ends = new Set<(error: KubeError) => void>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Somebody waits on the topic. */
  has(topic: string): boolean {
    return this.#checks.has(topic);
  }

  get size(): number {
    return this.#ends.size;
  }

  wake(topic: string): void {
    const checks = this.#checks.get(topic);
    if (checks) for (const check of [...checks]) check();
  }

  wakeAll(): void {
    for (const topic of [...this.#checks.keys()]) this.wake(topic);
  }

  /** Nothing will change any more. */
  end(error: KubeError): void {
    for (const end of [...this.#ends]) end(error);
  }

  /** `look` gives undefined while there is nothing to look at yet; then the condition is not asked. */
  until<V>(
    topic: string,
    what: string,
    look: () => { readonly value: V } | undefined,
    condition: (value: V) => boolean,
    { signal, deadline, timeoutMs }: WaitOptions,
  ): Promise<V> {
    return new Promise((resolve, reject) => {
      let lastSeen: V | undefined;
      let cancelTimer = () => {};
      const finish = (settle: () => void) => {
        cancelTimer();
        signal?.removeEventListener('abort', abort);
        const checks = this.#checks.get(topic);
        if (checks?.delete(check) && checks.size === 0) this.#checks.delete(topic);
        this.#ends.delete(end);
        settle();
      };
      const end = (error: KubeError) => finish(() => reject(error));
      const abort = () =>
        end(new WaitError('aborted', `the wait for ${what} was aborted`, lastSeen, signal?.reason as unknown));
      const check = () => {
        const seen = look();
        if (!seen) return;
        lastSeen = seen.value;
        try {
          if (condition(seen.value)) finish(() => resolve(seen.value));
        } catch (error) {
          finish(() => reject(error));
        }
      };
      const checks = this.#checks.get(topic);
      if (checks) checks.add(check);
      else this.#checks.set(topic, new Set([check]));
      this.#ends.add(end);
      signal?.addEventListener('abort', abort, { once: true });
      check();
      if (!this.#ends.has(end)) return;
      if (signal?.aborted) return abort();
      const left = Math.min(deadline === undefined ? Infinity : deadline - this.#clock.now(), timeoutMs ?? Infinity);
      if (left === Infinity) return;
      const expire = () => {
        const state = lastSeen === undefined ? 'it was never seen' : 'it was seen last as in lastSeen';
        end(new WaitError('timeout', `the deadline passed while waiting for ${what}; ${state}`, lastSeen));
      };
      cancelTimer = this.#clock.after(Math.max(0, left), expire);
    });
  }
}
