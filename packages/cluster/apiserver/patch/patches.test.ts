import { describe, expect, test } from 'vitest';
import { builtinSchema } from '../builtin/schemas.ts';
import type { Json, JsonObject, Structural } from '../schema/structural.ts';
import { PatchError } from './errors.ts';
import { jsonPatch } from './json-patch.ts';
import { mergePatch } from './merge-patch.ts';
import { strategicMerge } from './strategic-merge.ts';

const pod = builtinSchema('io.k8s.api.core.v1.Pod');
const containers = (...items: JsonObject[]) => ({ spec: { containers: items } });
const byName: Structural = {
  type: 'object',
  properties: {
    list: {
      type: 'array',
      'x-kubernetes-patch-merge-key': 'name',
      'x-kubernetes-patch-strategy': 'merge',
      items: { type: 'object', properties: { name: { type: 'string' }, map: { type: 'object' } } },
    },
    words: { type: 'array', 'x-kubernetes-patch-strategy': 'merge', items: { type: 'string' } },
    atomic: { type: 'array', items: { type: 'string' } },
    swap: { type: 'object', 'x-kubernetes-patch-strategy': 'replace' },
    map: { type: 'object', additionalProperties: { type: 'string' } },
  },
};
const named = (...names: string[]) => names.map((name) => ({ name }));

describe('merge patch (RFC 7386, appendix A)', () => {
  test.each<[Json, Json, Json]>([
    [{ a: 'b' }, { a: 'c' }, { a: 'c' }],
    [{ a: 'b' }, { b: 'c' }, { a: 'b', b: 'c' }],
    [{ a: 'b' }, { a: null }, {}],
    [{ a: 'b', b: 'c' }, { a: null }, { b: 'c' }],
    [{ a: ['b'] }, { a: 'c' }, { a: 'c' }],
    [{ a: { b: 'c' } }, { a: { b: 'd', c: null } }, { a: { b: 'd' } }],
    [{ a: [{ b: 'c' }] }, { a: [1] }, { a: [1] }],
    [
      ['a', 'b'],
      ['c', 'd'],
      ['c', 'd'],
    ],
    [{ a: 'b' }, ['c'], ['c']],
    [{ e: null }, { a: 1 }, { e: null, a: 1 }],
    [{}, { a: { bb: { ccc: null } } }, { a: { bb: {} } }],
  ])('%j + %j', (target, patch, want) => expect(mergePatch(target, patch)).toEqual(want));

  test('__proto__ is a key like any other', () => {
    const patch = JSON.parse('{"__proto__":{"polluted":true}}') as Json;
    const result = mergePatch({}, patch) as JsonObject;
    expect(Object.hasOwn(result, '__proto__')).toBe(true);
    expect(({} as Record<string, unknown>)['polluted']).toBeUndefined();
  });
});

describe('JSON patch (RFC 6902)', () => {
  const document = { a: { b: [1, 2] } };
  test.each<[Json, Json]>([
    [[{ op: 'add', path: '/a/b/-', value: 3 }], { a: { b: [1, 2, 3] } }],
    [[{ op: 'replace', path: '/a/b/0', value: 9 }], { a: { b: [9, 2] } }],
    [[{ op: 'remove', path: '/a/b/0' }], { a: { b: [2] } }],
    [
      [
        { op: 'test', path: '/a/b/1', value: 2 },
        { op: 'move', from: '/a/b', path: '/c' },
      ],
      { a: {}, c: [1, 2] },
    ],
    [[{ op: 'copy', from: '/a/b/0', path: '/d' }], { a: { b: [1, 2] }, d: 1 }],
  ])('%j', (operations, want) => expect(jsonPatch(document, operations)).toEqual(want));

  test.each<[string, Json, string]>([
    ['a failed test', [{ op: 'test', path: '/a/b/1', value: 3 }], 'unprocessable'],
    ['a path that is not there', [{ op: 'remove', path: '/x/y' }], 'unprocessable'],
    ['no list', { op: 'add' }, 'invalid'],
    ['an unknown operation', [{ op: 'append', path: '/a' }], 'invalid'],
    ['a move from nowhere', [{ op: 'move', path: '/a' }], 'invalid'],
  ])('%s is refused', (_, operations, code) => {
    expect(() => jsonPatch(document, operations)).toThrowError(expect.objectContaining({ name: 'PatchError', code }));
    expect(document).toEqual({ a: { b: [1, 2] } });
  });
});

describe('strategic merge', () => {
  test.each<[string, JsonObject, JsonObject, JsonObject]>([
    [
      'list by key: merged; what is new comes before what only the server has, unless that stood earlier',
      { list: named('a', 'b') },
      { list: [{ name: 'b', x: 1 }, { name: 'c' }] },
      { list: [{ name: 'a' }, { name: 'b', x: 1 }, { name: 'c' }] },
    ],
    [
      'list by key: $patch delete',
      { list: named('a', 'b') },
      { list: [{ name: 'a', $patch: 'delete' }] },
      { list: named('b') },
    ],
    [
      'list by key: $patch replace',
      { list: named('a', 'b') },
      { list: [{ $patch: 'replace' }, { name: 'z' }] },
      { list: named('z') },
    ],
    [
      'list by key: $patch replace alone empties',
      { list: named('a') },
      { list: [{ $patch: 'replace' }] },
      { list: [] },
    ],
    [
      'object: $patch replace',
      { map: { a: '1', b: '2' } },
      { map: { $patch: 'replace', c: '3' } },
      { map: { c: '3' } },
    ],
    ['object: $patch delete', { map: { a: '1' } }, { map: { $patch: 'delete' } }, { map: {} }],
    ['scalars: union', { words: ['a', 'b'] }, { words: ['b', 'c'] }, { words: ['a', 'b', 'c'] }],
    ['scalars: delete', { words: ['a', 'b', 'c'] }, { '$deleteFromPrimitiveList/words': ['b'] }, { words: ['a', 'c'] }],
    [
      'scalars: delete and add',
      { words: ['a', 'b'] },
      { words: ['c'], '$deleteFromPrimitiveList/words': ['a'] },
      { words: ['c', 'b'] },
    ],
    ['atomic list: replaced', { atomic: ['a'] }, { atomic: ['b'] }, { atomic: ['b'] }],
    ['replace strategy: whole object', { swap: { a: 1 } }, { swap: { b: 2 } }, { swap: { b: 2 } }],
    ['null removes', { map: { a: '1' }, atomic: ['a'] }, { map: null }, { atomic: ['a'] }],
    ['null inside what is new is dropped', {}, { map: { a: null, b: '1' } }, { map: { b: '1' } }],
    [
      '$retainKeys',
      { map: { a: '1', b: '2' } },
      { map: { $retainKeys: ['b', 'c'], c: '3' } },
      { map: { b: '2', c: '3' } },
    ],
    [
      'order: as asked',
      { list: named('a', 'b') },
      { '$setElementOrder/list': named('b', 'a') },
      { list: named('b', 'a') },
    ],
    [
      'order: what only the server has keeps its place',
      { list: named('a', 's', 'b') },
      { list: named('c'), '$setElementOrder/list': named('a', 'b', 'c') },
      { list: named('a', 's', 'b', 'c') },
    ],
    [
      'order of scalars',
      { words: ['a', 'b', 'c'] },
      { '$setElementOrder/words': ['c', 'a'] },
      { words: ['b', 'c', 'a'] },
    ],
  ])('%s', (_, document, patch, want) => {
    const before = structuredClone(document);
    expect(strategicMerge(document, patch, byName)).toEqual(want);
    expect(document).toEqual(before);
  });

  test('the real merge keys of a pod are used', () => {
    const document = containers({
      name: 'a',
      image: '1',
      env: [{ name: 'X', value: '1' }],
      ports: [{ containerPort: 80 }],
    });
    const patch = containers({ name: 'a', env: [{ name: 'Y', value: '2' }], ports: [{ containerPort: 81 }] });
    expect(strategicMerge(document, patch, pod)).toEqual(
      containers({
        name: 'a',
        image: '1',
        env: [
          { name: 'Y', value: '2' },
          { name: 'X', value: '1' },
        ],
        ports: [{ containerPort: 81 }, { containerPort: 80 }],
      }),
    );
  });

  test.each<[string, JsonObject]>([
    ['an unknown directive', { map: { $patch: 'explode' } }],
    ['an element without its key', { list: [{ value: 1 }] }],
    ['an element that is no object', { list: ['a'] }],
    ['an order that is no list', { '$setElementOrder/list': 'a' }],
    ['an order that contradicts the list', { list: named('a', 'b'), '$setElementOrder/list': named('b', 'a') }],
    ['$retainKeys that forgets a key', { map: { $retainKeys: ['a'], b: '1' } }],
  ])('%s is refused', (_, patch) => {
    expect(() => strategicMerge({ list: named('a'), map: { a: '1' } }, patch, byName)).toThrow(PatchError);
  });
});
