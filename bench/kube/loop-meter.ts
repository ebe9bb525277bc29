import { monitorEventLoopDelay } from 'node:perf_hooks';

export interface LoopDelay {
  /** Sampled every millisecond, so that no stall slips through. */
  readonly longestMs: number;
  /** Sampled as Node does by default, every 10 ms. */
  readonly p999Ms: number;
}

/** Watches the event loop while `work` runs. */
export async function metered<T>(work: () => Promise<T>): Promise<[T, LoopDelay]> {
  const fine = monitorEventLoopDelay({ resolution: 1 });
  const usual = monitorEventLoopDelay();
  fine.enable();
  usual.enable();
  const result = await work();
  // A little longer, so that a stall at the very end is counted.
  await new Promise((resolve) => setTimeout(resolve, 25));
  fine.disable();
  usual.disable();
  return [result, { longestMs: fine.max / 1e6, p999Ms: usual.percentile(99.9) / 1e6 }];
}
