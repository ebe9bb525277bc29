import fc from 'fast-check';
import { expect, test } from 'vitest';
import { fnv1a32, randomSuffix, safeEncode, stableJson, templateHash } from './revision.ts';

test.each([
  ['', 0x811c9dc5],
  ['a', 0xe40c292c],
  ['foobar', 0xbf9cf968],
])('FNV-1a of %j', (text, hash) => {
  expect(fnv1a32(text)).toBe(hash);
});

test('digits move into the safe alphabet as in Kubernetes', () => {
  expect(safeEncode('0123456789')).toBe('456789bcdf');
});

test('the order of keys and what is undefined do not count; everything else does', () => {
  const template = { spec: { containers: [{ name: 'a', image: 'x' }], nodeName: undefined } };
  expect(templateHash(template)).toBe(templateHash({ spec: { containers: [{ image: 'x', name: 'a' }] } }));
  expect(templateHash(template)).not.toBe(templateHash({ spec: { containers: [{ image: 'y', name: 'a' }] } }));
  expect(templateHash(template, 1)).not.toBe(templateHash(template));
  // A fixed value: a change of the algorithm would roll every pool of every user.
  expect(templateHash({ a: 1 })).toBe('67868497f7');
});

test('a hash is a label value and part of a name', () => {
  fc.assert(
    fc.property(fc.jsonValue(), (value) => {
      expect(templateHash(value)).toMatch(/^[bcdfghjklmnpqrstvwxz2456789]{1,10}$/);
      expect(JSON.parse(stableJson(value))).toEqual(JSON.parse(JSON.stringify(value)));
    }),
  );
});

test('the suffix comes from the randomness that it is given', () => {
  expect(randomSuffix(3, () => 0)).toBe('bbb');
  expect(randomSuffix(3, (below) => below - 1)).toBe('999');
});
