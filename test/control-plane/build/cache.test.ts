import { describe, expect, test } from 'vitest';
import { buildInputs, cacheRoot, hashOf } from './cache.ts';

describe('the folder of the binaries', () => {
  test('is where the environment says, in that order', () => {
    expect(cacheRoot({ SANDBANK_CACHE: '/a', XDG_CACHE_HOME: '/b' })).toBe('/a/sandbank');
    expect(cacheRoot({ SANDBANK_CACHE: '', XDG_CACHE_HOME: '/b' })).toBe('/b/sandbank');
    expect(cacheRoot({})).toMatch(/\.cache\/sandbank$/);
  });

  test('is the same for the same inputs, in whatever order', () => {
    expect(hashOf({ a: '1', b: '2' })).toBe(hashOf({ b: '2', a: '1' }));
  });

  test('is another one when any input changes', () => {
    const inputs = buildInputs('go1.26.0');
    const names = [
      'kubernetes/go.mod',
      'kubernetes/go.sum',
      'etcd/main.go',
      'kwok/go.sum',
      'go',
      'recipes',
      'clients',
      'platform',
    ];
    expect(Object.keys(inputs)).toEqual(expect.arrayContaining(names));
    const changed = Object.keys(inputs).map((name) => hashOf({ ...inputs, [name]: `${inputs[name]} ` }));
    expect(new Set([hashOf(inputs), ...changed]).size).toBe(changed.length + 1);
  });

  test('cannot be had by moving bytes from one input to the next', () => {
    expect(hashOf({ a: 'xb', b: '' })).not.toBe(hashOf({ a: 'x', b: 'b' }));
  });
});
