import { KubeError } from './errors.ts';

/** A count, or a share of a total: `3` or `"25%"`, as in `maxSurge` and `maxUnavailable`. */
export type IntOrPercent = number | string;

/** Digits and a percent sign, nothing else; Kubernetes also takes a sign here, and so do we. */
const percentage = /^([+-]?\d+)%$/;

/**
 * How many of `total` the value means. A share is rounded up or down as the caller says: Kubernetes rounds
 * `maxSurge` up and `maxUnavailable` down. A text that is no percentage is refused, `"3"` included.
 */
export function scaledValue(value: IntOrPercent, total: number, rounding: 'up' | 'down'): number {
  if (typeof value === 'number') {
    if (!Number.isInteger(value)) throw invalid(value);
    return value;
  }
  const percent = percentOf(value);
  // In BigInt, because 0.07 * 100 is 7.000000000000001 and would round up to 8.
  const product = BigInt(percent) * BigInt(total);
  const quotient = product / 100n;
  const exact = product % 100n === 0n;
  if (exact) return Number(quotient);
  if (rounding === 'up') return Number(product > 0n ? quotient + 1n : quotient);
  return Number(product > 0n ? quotient : quotient - 1n);
}

export function isPercent(value: IntOrPercent): value is string {
  return typeof value === 'string' && percentage.test(value);
}

/** Throws unless it is a whole number or a percentage. */
export function checkIntOrPercent(value: IntOrPercent): void {
  scaledValue(value, 100, 'up');
}

function percentOf(value: string): number {
  const digits = percentage.exec(value)?.[1];
  const percent = Number(digits);
  if (digits === undefined || !Number.isSafeInteger(percent)) throw invalid(value);
  return percent;
}

function invalid(value: IntOrPercent): KubeError {
  return new KubeError('invalid', `${JSON.stringify(value)} is neither a whole number nor a percentage such as "25%"`);
}
