import { expect, test } from 'vitest';
import {
  addFinalizerPatch,
  hasFinalizer,
  removeFinalizerPatch,
  withFinalizer,
  withoutFinalizer,
} from './finalizers.ts';

const object = Object.freeze({
  metadata: Object.freeze({ name: 'a', uid: 'u', resourceVersion: '7', finalizers: Object.freeze(['x/one']) }),
});

test('added once, in a copy', () => {
  expect(withFinalizer(object, 'x/two').metadata.finalizers).toEqual(['x/one', 'x/two']);
  expect(withFinalizer(object, 'x/one')).toBe(object);
  expect(hasFinalizer(withFinalizer({}, 'x/one'), 'x/one')).toBe(true);
});

test('removed, in a copy', () => {
  expect(withoutFinalizer(object, 'x/one').metadata.finalizers).toEqual([]);
  expect(withoutFinalizer(object, 'x/two')).toBe(object);
});

test('patches carry the guard, and do not exist where there is nothing to do', () => {
  expect(addFinalizerPatch(object, 'x/two')).toEqual({
    merge: { metadata: { uid: 'u', resourceVersion: '7', finalizers: ['x/one', 'x/two'] } },
  });
  expect(removeFinalizerPatch(object, 'x/one')).toEqual({
    merge: { metadata: { uid: 'u', resourceVersion: '7', finalizers: [] } },
  });
  expect(addFinalizerPatch(object, 'x/one')).toBeUndefined();
  expect(removeFinalizerPatch(object, 'x/two')).toBeUndefined();
});
