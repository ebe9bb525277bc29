import fc from 'fast-check';
import { expect, test } from 'vitest';
import { defaultRetry, retryAfterMs, waitAfterAnswer } from './retry.ts';

test('Retry-After is seconds or a date', () => {
  const now = Date.UTC(2026, 0, 1);
  expect(retryAfterMs('7', now)).toBe(7000);
  expect(retryAfterMs('Thu, 01 Jan 2026 00:00:30 GMT', now)).toBe(30_000);
  expect(retryAfterMs('Wed, 31 Dec 2025 00:00:30 GMT', now)).toBe(0);
  expect(retryAfterMs('soon', now)).toBeUndefined();
  expect(retryAfterMs(undefined, now)).toBeUndefined();
});

test('no wait is shorter than the server asked, longer than the deadline, or without bound', () => {
  fc.assert(
    fc.property(
      fc.constantFrom(429, 503),
      fc.integer({ min: 0, max: 100_000 }),
      fc.integer({ min: 0, max: 10 }),
      fc.integer({ min: 0, max: 100_000 }),
      fc.double({ min: 0, max: 0.999, noNaN: true }),
      (status, after, retried, leftMs, random) => {
        const wait = waitAfterAnswer(
          status,
          after,
          { method: 'POST', retried, leftMs, random: () => random },
          defaultRetry,
        );
        if (wait === undefined) return;
        expect(retried).toBeLessThan(defaultRetry.retries);
        expect(wait).toBeGreaterThanOrEqual(after);
        expect(wait).toBeLessThan(leftMs);
        expect(wait).toBeLessThanOrEqual(after + defaultRetry.maxMs);
        expect(after).toBeLessThanOrEqual(defaultRetry.maxMs);
      },
    ),
  );
});
