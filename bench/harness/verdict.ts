import type { Bar } from './definition.ts';
import { type Interval, median, pairedRatios, spread } from './statistics.ts';

export type Outcome = 'met' | 'missed' | 'inconclusive';

export interface Verdict {
  readonly bar: Bar;
  /** Median of one side over median of the other. */
  readonly ratio: number;
  /** Interval of the rounds' own ratios. */
  readonly spread: Interval;
  readonly outcome: Outcome;
  /** The side's own median and interval, judged against `orReaches`. */
  readonly reached?: { readonly value: number; readonly spread: Interval; readonly outcome: Outcome };
}

/**
 * A bar is met or missed only when the whole spread lies on one side of it. A spread that reaches over the bar is wider
 * than the margin between the ratio and the bar, and says nothing.
 */
export function judge(bar: Bar, side: readonly number[], against: readonly number[]): Verdict {
  const ratio = median(side) / median(against);
  const ratios = spread(pairedRatios(side, against));
  const outcome = within(bar, { low: Math.min(ratios.low, ratio), high: Math.max(ratios.high, ratio) });
  if (bar.orReaches === undefined) return { bar, ratio, spread: ratios, outcome };
  const own = spread(side);
  const reached = { value: median(side), spread: own, outcome: atLeast(bar.orReaches, own) };
  return { bar, ratio, spread: ratios, outcome: either(outcome, reached.outcome), reached };
}

function within(bar: Bar, seen: Interval): Outcome {
  if (bar.atLeast !== undefined) return atLeast(bar.atLeast, seen);
  const limit = bar.atMost ?? Number.POSITIVE_INFINITY;
  if (seen.high <= limit) return 'met';
  return seen.low > limit ? 'missed' : 'inconclusive';
}

function atLeast(limit: number, seen: Interval): Outcome {
  if (seen.low >= limit) return 'met';
  return seen.high < limit ? 'missed' : 'inconclusive';
}

function either(a: Outcome, b: Outcome): Outcome {
  if (a === 'met' || b === 'met') return 'met';
  return a === 'inconclusive' || b === 'inconclusive' ? 'inconclusive' : 'missed';
}

/** Exit code of `--check`: 1 as soon as a bar was missed, 2 when none was but one could not be judged. */
export function exitCode(verdicts: readonly Verdict[]): 0 | 1 | 2 {
  if (verdicts.some((verdict) => verdict.outcome === 'missed')) return 1;
  return verdicts.some((verdict) => verdict.outcome === 'inconclusive') ? 2 : 0;
}

/** The bar in words, as in "echo: p50 of runtime ≤ 2 × bare spawn". */
export function describe(bar: Bar): string {
  const bound = bar.atLeast === undefined ? `≤ ${short(bar.atMost ?? 0)}` : `≥ ${short(bar.atLeast)}`;
  const floor = bar.orReaches === undefined ? '' : ` or ≥ ${short(bar.orReaches)}`;
  return `${bar.figure} of ${bar.side} ${bound} × ${bar.against}${floor}`;
}

export function short(value: number): string {
  if (!Number.isFinite(value)) return String(value);
  if (value !== 0 && Math.abs(value) < 0.01) return value.toExponential(1);
  const digits = Math.abs(value) >= 1000 ? 0 : Math.abs(value) >= 100 ? 1 : 2;
  return value.toLocaleString('en-US', { maximumFractionDigits: digits });
}
