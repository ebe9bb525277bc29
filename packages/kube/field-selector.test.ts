import fc from 'fast-check';
import { expect, test } from 'vitest';
import { parseFieldSelector } from './field-selector.ts';

const pod = {
  metadata: { name: 'web', namespace: 'a' },
  spec: { nodeName: 'n=1' },
  status: { phase: 'Running', ready: true },
};

test.each([
  ['', true],
  ['metadata.name=web', true],
  ['metadata.name==web,status.phase!=Failed', true],
  ['metadata.name=api', false],
  ['spec.nodeName=n\\=1', true],
  ['spec.schedulerName=', true],
  ['spec.schedulerName!=x', true],
  ['status.ready=true', true],
  ['metadata.name.length=3', false],
  ['metadata.toString=', true],
])('%j matches: %s', (text, matches) => {
  expect(parseFieldSelector(text).matches(pod)).toBe(matches);
});

test.each(['metadata.name', '=x', 'a=b=c', 'a=b\\'])('%j is refused', (text) => {
  expect(() => parseFieldSelector(text)).toThrow(expect.objectContaining({ code: 'invalid' }));
});

test('any value survives its escaping', () => {
  fc.assert(
    fc.property(fc.string(), (name) => {
      const text = `metadata.name=${name.replace(/[\\,=]/g, '\\$&')}`;
      const selector = parseFieldSelector(text);
      expect(selector.matches({ metadata: { name } })).toBe(true);
      expect(parseFieldSelector(selector.toString()).matches({ metadata: { name } })).toBe(true);
    }),
  );
});
