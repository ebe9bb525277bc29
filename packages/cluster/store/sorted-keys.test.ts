import fc from 'fast-check';
import { expect, test } from 'vitest';
import { prefixEnd, SortedKeys } from './sorted-keys.ts';

const key = fc.string({ unit: fc.constantFrom('a', 'b', '/', '\uffff', '\0'), maxLength: 5 });

test('is a sorted set', () => {
  fc.assert(
    fc.property(fc.array(fc.tuple(fc.boolean(), key), { maxLength: 200 }), key, key, (steps, from, to) => {
      const keys = new SortedKeys();
      const model = new Set<string>();
      for (const [add, key] of steps) {
        if (add) keys.add(key);
        else keys.delete(key);
        if (add) model.add(key);
        else model.delete(key);
      }
      const sorted = [...model].sort();
      expect([...keys.from(from)]).toEqual(sorted.filter((key) => key >= from));
      if (from <= to) expect(keys.count(from, to)).toBe(sorted.filter((key) => key >= from && key < to).length);
    }),
  );
});

test.each([
  ['in order', (i: number) => i],
  ['in reverse', (i: number) => 4999 - i],
  ['all over', (i: number) => (i * 2477) % 5000],
])('holds many keys, added %s', (_, place) => {
  const keys = new SortedKeys();
  const name = (i: number) => `k${String(i).padStart(5, '0')}`;
  for (let i = 0; i < 5000; i++) keys.add(name(place(i)));
  for (let i = 0; i < 5000; i += 2) keys.delete(name(place(i)));
  const left = Array.from({ length: 2500 }, (_, i) => name(place(2 * i + 1))).sort();
  expect([...keys.from('')]).toEqual(left);
  expect(keys.count('k01', 'k02')).toBe(left.filter((key) => key.startsWith('k01')).length);
});

test('the end of a prefix is after all its keys and before any other', () => {
  fc.assert(
    fc.property(key, key, (prefix, other) => {
      expect(prefix + other < prefixEnd(prefix)).toBe(true);
      if (other >= prefix && other < prefixEnd(prefix)) expect(other.startsWith(prefix)).toBe(true);
    }),
  );
});
