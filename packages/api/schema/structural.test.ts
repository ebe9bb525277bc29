import { expect, test } from 'vitest';
import type { JsonSchema } from './crd.ts';
import { structuralProblems } from './structural.ts';

const inside = (field: JsonSchema): JsonSchema => ({ type: 'object', properties: { a: field } });

test.each<[string, JsonSchema, string]>([
  ['a field without a type', {}, '.a: has no type'],
  ['a reference', { $ref: '#/x' } as JsonSchema, '.a: $ref is not part of a structural schema'],
  ['a union', { type: 'string', oneOf: [] } as JsonSchema, '.a: oneOf is not part of a structural schema'],
  ['a literal', { type: 'string', const: 'x' } as JsonSchema, '.a: const is not part of a structural schema'],
  [
    'a map and an object in one',
    { type: 'object', properties: {}, additionalProperties: { type: 'string' } },
    '.a: has properties and additionalProperties',
  ],
  [
    'int-or-string with a type',
    { type: 'string', 'x-kubernetes-int-or-string': true },
    '.a: has a type although it is int-or-string',
  ],
  ['a list of nothing', { type: 'array' }, '.a: is a list without items'],
  ['a required field that is not there', { type: 'object', required: ['b'] }, '.a: requires b, which it does not have'],
  [
    'a required field with a default',
    { type: 'object', required: ['b'], properties: { b: { type: 'string', default: 'x' } } },
    '.a: requires b, which has a default',
  ],
  [
    'a list map whose key may be missing',
    {
      type: 'array',
      'x-kubernetes-list-type': 'map',
      'x-kubernetes-list-map-keys': ['name'],
      items: inside({ type: 'string' }),
    },
    '.a: is keyed by name, which its entries do not have',
  ],
  [
    'a list map whose key is optional',
    {
      type: 'array',
      'x-kubernetes-list-type': 'map',
      'x-kubernetes-list-map-keys': ['a'],
      items: inside({ type: 'string' }),
    },
    '.a: is keyed by a, which is neither required nor defaulted',
  ],
  [
    'a list map without a key',
    { type: 'array', 'x-kubernetes-list-type': 'map', items: { type: 'string' } },
    '.a: has map keys if and only if it is a list map',
  ],
])('finds %s', (_, field, problem) => {
  expect(structuralProblems(inside(field))).toContain(problem);
});

test('finds problems at any depth', () => {
  const deep = inside({ type: 'array', items: { type: 'object', additionalProperties: {} } });
  expect(structuralProblems(deep)).toEqual(['.a[]{}: has no type']);
});
