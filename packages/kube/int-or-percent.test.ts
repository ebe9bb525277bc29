import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { isPercent, scaledValue } from './int-or-percent.ts';

test.each([
  [3, 10, 3, 3],
  ['0%', 10, 0, 0],
  ['25%', 10, 3, 2],
  ['50%', 10, 5, 5],
  ['7%', 100, 7, 7],
  ['1%', 1, 1, 0],
  ['100%', 7, 7, 7],
  ['150%', 3, 5, 4],
  ['-25%', 10, -2, -3],
  ['33%', 0, 0, 0],
])('%s of %i is %i up and %i down', (value, total, up, down) => {
  expect(scaledValue(value, total, 'up')).toBe(up);
  expect(scaledValue(value, total, 'down')).toBe(down);
});

test.each(['3', '', '%', '1.5%', 'x%', '5 %', 1.5, '99999999999999999999%'])('%j is refused', (value) => {
  expect(() => scaledValue(value, 10, 'up')).toThrow(expect.objectContaining({ code: 'invalid' }));
});

test('a percentage is told from a number', () => {
  expect([isPercent('5%'), isPercent(5), isPercent('5')]).toEqual([true, false, false]);
});

describe('laws', () => {
  test('up is down, or one more where the share is not whole', () => {
    fc.assert(
      fc.property(fc.nat(1000), fc.nat(100_000), (percent, total) => {
        const [up, down] = [scaledValue(`${percent}%`, total, 'up'), scaledValue(`${percent}%`, total, 'down')];
        expect(up - down).toBe((percent * total) % 100 === 0 ? 0 : 1);
        expect(down).toBe(Math.floor((percent * total) / 100));
      }),
    );
  });
});
