import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { median, pairedRatios, percentile, spread } from './statistics.ts';

const numbers = fc.array(fc.double({ noNaN: true, min: -1e9, max: 1e9 }), { minLength: 1, maxLength: 60 });

describe('statistics', () => {
  it('takes the middle of an odd count and the mean of the two middles of an even one', () => {
    expect(median([3, 1, 2])).toBe(2);
    expect(median([4, 1, 3, 2])).toBe(2.5);
    expect(median([7])).toBe(7);
  });

  it('takes percentiles by nearest rank', () => {
    const values = Array.from({ length: 200 }, (_, index) => index + 1);
    expect(percentile(values, 50)).toBe(100);
    expect(percentile(values, 99)).toBe(198);
    expect(percentile(values, 99.9)).toBe(200);
    expect(percentile(values, 100)).toBe(200);
    expect(percentile([5], 1)).toBe(5);
  });

  it('refuses to speak about nothing, or about NaN', () => {
    expect(() => median([])).toThrow(RangeError);
    expect(() => median([1, Number.NaN])).toThrow(RangeError);
    expect(() => percentile([1], 0)).toThrow(RangeError);
    expect(() => pairedRatios([1, 2], [1])).toThrow(RangeError);
  });

  it('drops as many values from each end as 90 % of confidence allow', () => {
    const upTo = (n: number) => Array.from({ length: n }, (_, index) => index + 1);
    // Coverage of [k+1, n-k] is 1 - 2 * P(Binomial(n, 1/2) <= k), from published tables of the sign test.
    expect(spread(upTo(1))).toEqual({ low: 1, high: 1 });
    expect(spread(upTo(5))).toEqual({ low: 1, high: 5 });
    expect(spread(upTo(7))).toEqual({ low: 1, high: 7 });
    expect(spread(upTo(8))).toEqual({ low: 2, high: 7 });
    expect(spread(upTo(10))).toEqual({ low: 2, high: 9 });
    expect(spread(upTo(11))).toEqual({ low: 3, high: 9 });
    expect(spread(upTo(20))).toEqual({ low: 6, high: 15 });
  });

  it('keeps the median inside the spread, and both inside what was seen', () => {
    fc.assert(
      fc.property(numbers, (values) => {
        const { low, high } = spread(values);
        const middle = median(values);
        expect(low).toBeLessThanOrEqual(middle);
        expect(high).toBeGreaterThanOrEqual(middle);
        expect(values).toContain(low);
        expect(values).toContain(high);
      }),
    );
  });

  it('gives percentiles that grow with the percent', () => {
    fc.assert(
      fc.property(numbers, fc.integer({ min: 1, max: 99 }), (values, percent) => {
        expect(percentile(values, percent)).toBeLessThanOrEqual(percentile(values, percent + 1));
      }),
    );
  });
});
