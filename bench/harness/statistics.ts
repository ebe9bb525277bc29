/** The few statistics that the reports rest on. All are distribution-free: timings are never normal. */

function sorted(values: readonly number[]): number[] {
  if (values.length === 0) throw new RangeError('No values: a statistic of nothing does not exist.');
  if (values.some((value) => !Number.isFinite(value)))
    throw new RangeError(`Not a finite number among ${values.join(', ')}.`);
  return [...values].sort((a, b) => a - b);
}

function at(values: readonly number[], index: number): number {
  const value = values[index];
  if (value === undefined) throw new RangeError(`Index ${index} of ${values.length} values.`);
  return value;
}

export function median(values: readonly number[]): number {
  const ordered = sorted(values);
  const middle = ordered.length >> 1;
  return ordered.length % 2 === 1 ? at(ordered, middle) : (at(ordered, middle - 1) + at(ordered, middle)) / 2;
}

/** Nearest rank: a value that was really seen, so p99 of 200 samples is the 198th, never an interpolation. */
export function percentile(values: readonly number[], percent: number): number {
  if (percent <= 0 || percent > 100) throw new RangeError(`Percentile ${percent} is not in (0, 100].`);
  const ordered = sorted(values);
  return at(ordered, Math.ceil((percent / 100) * ordered.length) - 1);
}

export interface Interval {
  readonly low: number;
  readonly high: number;
}

/** Least chance that the interval of `spread` covers the true median. */
export const CONFIDENCE = 0.9;

/**
 * The order-statistic interval of the median (sign test): the narrowest symmetric pair of seen values that covers the
 * true median with at least 90 %. Of 5 rounds that is the whole range (94 %), of 8 the second and seventh (93 %), so
 * more rounds forgive an outlier and fewer do not.
 */
export function spread(values: readonly number[]): Interval {
  const ordered = sorted(values);
  const n = ordered.length;
  let drop = 0;
  let outside = 0;
  for (let k = 0; k < Math.floor((n - 1) / 2); k++) {
    outside += 2 * binomial(n, k) * 0.5 ** n;
    if (1 - outside < CONFIDENCE) break;
    drop = k;
  }
  return { low: at(ordered, drop), high: at(ordered, n - 1 - drop) };
}

function binomial(n: number, k: number): number {
  let result = 1;
  for (let i = 1; i <= k; i++) result = (result * (n - k + i)) / i;
  return result;
}

/** Each round's ratio of two sides that ran next to each other: what slows the machine slows both. */
export function pairedRatios(side: readonly number[], against: readonly number[]): number[] {
  if (side.length !== against.length)
    throw new RangeError(`${side.length} rounds of one side, ${against.length} of the other: they cannot be paired.`);
  return side.map((value, index) => value / at(against, index));
}
