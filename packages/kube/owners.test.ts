import { expect, test } from 'vitest';
import { defineKind } from './kind.ts';
import { Namespace, Pod } from './kinds/index.ts';
import { controllerOf, ownedBy, ownerReference, withController } from './owners.ts';

const Pool = defineKind({ group: 'x.io', version: 'v1', kind: 'Pool', plural: 'pools', namespaced: true });
const pool = Object.freeze({ metadata: { namespace: 'a', name: 'p', uid: 'u1' } });
const other = Object.freeze({ metadata: { namespace: 'a', name: 'q', uid: 'u2' } });
const pod = Object.freeze({ metadata: { namespace: 'a', name: 'pod', ownerReferences: [] } });
const reference = {
  apiVersion: 'x.io/v1',
  kind: 'Pool',
  name: 'p',
  uid: 'u1',
  controller: true,
  blockOwnerDeletion: true,
};

test('a reference names the kind of the owner and its uid', () => {
  expect(ownerReference(Pool, pool)).toEqual(reference);
  expect(ownerReference(Pod, pool, { controller: false })).toEqual({
    apiVersion: 'v1',
    kind: 'Pod',
    name: 'p',
    uid: 'u1',
  });
  expect(() => ownerReference(Pool, { metadata: { name: 'p' } })).toThrow('has no uid yet');
});

test('an object gets its controller once', () => {
  const owned = withController(pod, Pool, pool);
  expect(owned.metadata.ownerReferences).toEqual([reference]);
  expect(withController(owned, Pool, pool)).toBe(owned);
  expect(controllerOf(owned)).toEqual(reference);
  expect([ownedBy(owned, pool), ownedBy(owned, other), ownedBy(owned, {}), ownedBy(pod, pool)]).toEqual([
    true,
    false,
    false,
    false,
  ]);
});

test('a second controller is a conflict that names the first', () => {
  expect(() => withController(withController(pod, Pool, pool), Pool, other)).toThrow(
    expect.objectContaining({
      code: 'conflict',
      message: 'a/pod is controlled by Pool p already, so Pool q cannot take it',
    }),
  );
});

test('an owner lives in the same namespace, or in none', () => {
  const elsewhere = { metadata: { namespace: 'b', name: 'p', uid: 'u3' } };
  expect(() => withController(pod, Pool, elsewhere)).toThrow('same namespace or in none');
  expect(controllerOf(withController(pod, Namespace, { metadata: { name: 'a', uid: 'u4' } }))?.kind).toBe('Namespace');
});

test('an old plain reference to the same owner becomes the controller, not a second one', () => {
  const plain = {
    metadata: { namespace: 'a', name: 'pod', ownerReferences: [ownerReference(Pool, pool, { controller: false })] },
  };
  expect(withController(plain, Pool, pool).metadata.ownerReferences).toEqual([reference]);
});
