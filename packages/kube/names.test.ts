import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { checkName, generateName, isDnsLabel, isDnsSubdomain, shortenName } from './names.ts';

test.each([
  ['web', true, true],
  ['web-1', true, true],
  ['1', true, true],
  ['a.b', false, true],
  ['-a', false, false],
  ['a-', false, false],
  ['a..b', false, false],
  ['A', false, false],
  ['a_b', false, false],
  ['', false, false],
  ['a'.repeat(63), true, true],
  ['a'.repeat(64), false, true],
  ['a'.repeat(254), false, false],
  ['web\n', false, false],
])('%j is a label: %s, a subdomain: %s', (name, label, subdomain) => {
  expect([isDnsLabel(name), isDnsSubdomain(name)]).toEqual([label, subdomain]);
});

test('a refusal says what is wrong', () => {
  expect(() => checkName('Web')).toThrow('"Web" is no valid name: it must be a DNS subdomain');
  expect(() => checkName('a'.repeat(64), 'label')).toThrow('longer than 63 characters');
  expect(() => checkName('web')).not.toThrow();
});

test('a generated name fits a label, however long the prefix', () => {
  expect(generateName('web-', () => 0)).toBe('web-bbbbb');
  expect(generateName('a'.repeat(100), () => 0)).toHaveLength(63);
});

describe('shortened', () => {
  const name = fc.stringMatching(/^[a-z0-9]([-.a-z0-9]{0,300}[a-z0-9])?$/);

  test('what fits stays as it is', () => {
    expect(shortenName('web')).toBe('web');
    expect(shortenName('a'.repeat(63))).toBe('a'.repeat(63));
  });

  test('it fits, ends well, and keeps its beginning', () => {
    fc.assert(
      fc.property(name, fc.constantFrom(20, 63, 253), (long, max) => {
        const short = shortenName(long, max);
        expect(short.length).toBeLessThanOrEqual(max);
        expect(short).toMatch(/[a-z0-9]$/);
        expect(short.slice(0, 2)).toBe(long.slice(0, 2));
        expect(shortenName(long, max)).toBe(short);
      }),
    );
  });

  test('names that differ at their ends stay different', () => {
    const base = 'a'.repeat(80);
    expect(shortenName(`${base}1`)).not.toBe(shortenName(`${base}2`));
  });
});
