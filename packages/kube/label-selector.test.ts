import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { labelSelector, parseLabelSelector } from './label-selector.ts';

const web = { app: 'web', tier: 'front', size: '10', empty: '' };

test.each([
  ['', true],
  ['app=web', true],
  ['app==web', true],
  [' app = web ', true],
  ['app=api', false],
  ['app!=api', true],
  ['other!=x', true],
  ['app', true],
  ['other', false],
  ['!other', true],
  ['! app', false],
  ['app in (web, api)', true],
  ['app in(api)', false],
  ['app notin (api)', true],
  ['other notin (api)', true],
  ['app notin (web)', false],
  ['size>9', true],
  ['size<9', false],
  ['size > 10', false],
  ['app>1', false],
  ['other<5', false],
  ['empty=', true],
  ['app=', false],
  ['empty in (,x)', true],
  ['app in ()', false],
  ['app=web,tier in (front,back),!legacy,size>3', true],
  ['app=web,tier=back', false],
])('%j matches: %s', (text, matches) => {
  expect(parseLabelSelector(text).matches(web)).toBe(matches);
});

test.each([
  ',',
  'app,',
  'app=web,,tier=x',
  'app=(',
  '=web',
  'app in web',
  'app in (a',
  'app in (a b)',
  '!app=web',
  'app like x',
  'size>x',
  'a b',
  'app=ä',
  '-app',
  'app=web!',
])('%j is refused', (text) => {
  expect(() => parseLabelSelector(text)).toThrow(expect.objectContaining({ code: 'invalid' }));
});

test('inherited names are no labels', () => {
  expect(parseLabelSelector('constructor').matches({})).toBe(false);
  expect(parseLabelSelector('!toString').matches(undefined)).toBe(true);
});

describe('of an object', () => {
  test('none selects nothing, the empty one everything', () => {
    expect(labelSelector(undefined).matches(web)).toBe(false);
    expect(labelSelector({}).matches(web)).toBe(true);
    expect(labelSelector({}).matches(undefined)).toBe(true);
  });

  test('labels and expressions all hold', () => {
    const selector = labelSelector({
      matchLabels: { app: 'web' },
      matchExpressions: [
        { key: 'tier', operator: 'In', values: ['front', 'back'] },
        { key: 'legacy', operator: 'DoesNotExist' },
        { key: 'size', operator: 'Exists' },
        { key: 'zone', operator: 'NotIn', values: ['b'] },
      ],
    });
    expect(selector.matches(web)).toBe(true);
    expect(selector.matches({ ...web, legacy: '' })).toBe(false);
    expect(selector.toString()).toBe('app=web,tier in (back,front),!legacy,size,zone!=b');
  });

  test.each([
    ['In without values', { key: 'a', operator: 'In' }],
    ['Exists with values', { key: 'a', operator: 'Exists', values: ['b'] }],
    ['an unknown operator', { key: 'a', operator: 'Like', values: ['b'] }],
    ['an operator that objects inherit', { key: 'a', operator: 'constructor', values: ['b'] }],
    ['a bad key', { key: '/a', operator: 'Exists' }],
  ])('%s is refused', (_, expression) => {
    expect(() => labelSelector({ matchExpressions: [expression] })).toThrow(
      expect.objectContaining({ code: 'invalid' }),
    );
  });
});

test('the text of a selector selects the same', () => {
  const key = fc.constantFrom('a', 'b', 'x.io/c');
  const value = fc.constantFrom('', '1', '2', 'web');
  const expression = fc.oneof(
    fc.record({ key, operator: fc.constantFrom('In', 'NotIn'), values: fc.array(value, { minLength: 1 }) }),
    fc.record({ key, operator: fc.constantFrom('Exists', 'DoesNotExist') }),
  );
  const labels = fc.dictionary(key, value);
  fc.assert(
    fc.property(fc.record({ matchLabels: labels, matchExpressions: fc.array(expression) }), labels, (object, on) => {
      const selector = labelSelector(object);
      expect(parseLabelSelector(selector.toString()).matches(on)).toBe(selector.matches(on));
    }),
  );
});
