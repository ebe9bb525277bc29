import { monitorEventLoopDelay } from 'node:perf_hooks';

/** The sampling interval in ms: what an idle loop shows too, so it is subtracted from nothing and only ratios are read. */
const RESOLUTION = 1;

export interface LoopDelay {
  readonly longestMs: number;
  readonly p999Ms: number;
}

/** Watches the event loop while `work` runs. */
export async function metered<T>(work: () => Promise<T>): Promise<[T, LoopDelay]> {
  const histogram = monitorEventLoopDelay({ resolution: RESOLUTION });
  histogram.enable();
  const result = await work();
  // One more turn, so that a stall at the very end is counted.
  await new Promise((resolve) => setTimeout(resolve, 5));
  histogram.disable();
  return [result, { longestMs: histogram.max / 1e6, p999Ms: histogram.percentile(99.9) / 1e6 }];
}
