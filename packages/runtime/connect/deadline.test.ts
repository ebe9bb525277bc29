import { describe, expect, it } from 'vitest';
import { keepAliveMs, timeoutMs } from './deadline.ts';

describe('timeoutMs', () => {
  it.each([
    [undefined, undefined],
    ['', undefined],
    ['0', 0],
    ['-5', -5],
    ['5000', 5000],
  ])('reads %s as %s', (header, expected) => {
    expect(timeoutMs(header)).toBe(expected);
  });

  it.each(['abc', '1.5', '12345678901'])('refuses %s', (header) => {
    expect(() => timeoutMs(header)).toThrowError(expect.objectContaining({ code: 'invalid_argument' }));
  });
});

describe('keepAliveMs', () => {
  it.each([
    [undefined, 90_000],
    ['abc', 90_000],
    ['0', 90_000],
    ['-1', 90_000],
    ['50', 50_000],
  ])('reads %s as %s ms', (header, expected) => {
    expect(keepAliveMs(header)).toBe(expected);
  });
});
