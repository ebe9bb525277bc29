/** Time is a parameter: tests pass a clock that they move. */
export interface Clock {
  /** Milliseconds since the epoch. */
  now(): number;
  /** Milliseconds that never go back, for durations and deadlines. */
  monotonic(): number;
  /** Calls back once after `ms`; the returned function cancels. Never keeps the process alive by itself when `unref` is set. */
  after(ms: number, callback: () => void, options?: { unref?: boolean }): () => void;
}

export const systemClock: Clock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
  after(ms, callback, options) {
    const timer = setTimeout(callback, Math.max(0, Math.min(ms, 0x7fffffff)));
    if (options?.unref) timer.unref();
    return () => clearTimeout(timer);
  },
};
