import fc from 'fast-check';
import { expect, test } from 'vitest';
import { semanticEqual } from './equality.ts';

test.each<[string, unknown, unknown, boolean]>([
  ['the order of keys', { a: 1, b: 2 }, { b: 2, a: 1 }, true],
  ['the order of a list', { args: ['a', 'b'] }, { args: ['b', 'a'] }, false],
  ['null and absent', { spec: null }, {}, true],
  ['an empty and an absent list', { args: [] }, {}, true],
  ['an empty and an absent map of labels', { metadata: { labels: {} } }, { metadata: {} }, true],
  ['a volume that is there and one that is not', { emptyDir: {} }, {}, false],
  ['a selector of everything and none', { namespaceSelector: {} }, {}, false],
  ['CPU in two spellings', { requests: { cpu: '1' } }, { requests: { cpu: '1000m' } }, true],
  ['a number and its text as quantity', { limits: { memory: 1024 } }, { limits: { memory: '1Ki' } }, true],
  ['another quantity', { requests: { cpu: '1' } }, { requests: { cpu: '2' } }, false],
  ['a broken quantity', { requests: { cpu: 'x' } }, { requests: { cpu: '1' } }, false],
  ['two spellings of a size', { emptyDir: { sizeLimit: '1Gi' } }, { emptyDir: { sizeLimit: '1024Mi' } }, true],
  ['texts that only look like quantities', { value: '1000' }, { value: '1k' }, false],
  ['labels that only look like quantities', { labels: { requests: '1000' } }, { labels: { requests: '1k' } }, false],
  ['a number and a text elsewhere', { port: 80 }, { port: '80' }, false],
  ['false and absent', { paused: false }, {}, false],
  ['zero and absent', { replicas: 0 }, {}, false],
])('%s', (_, a, b, equal) => {
  expect(semanticEqual(a, b)).toBe(equal);
  expect(semanticEqual(b, a)).toBe(equal);
});

test('a copy equals, and a changed leaf does not', () => {
  fc.assert(
    fc.property(fc.object({ withNullPrototype: false }), fc.string(), (object, name) => {
      expect(semanticEqual(object, structuredClone(object))).toBe(true);
      expect(semanticEqual(object, { ...object, [name]: Symbol('new') })).toBe(false);
    }),
  );
});
