import { describe, expect, it } from 'vitest';
import { AccessToken, equalSecrets } from './token.ts';

describe('AccessToken', () => {
  it('signs like the SDKs do', () => {
    // The vector of e2b 2.6.
    const token = new AccessToken('0tQG31xiMp0IOQfaz9dcwi72L1CPo8e0');
    expect(token.signature('hello.txt', 'read', 'user')).toBe('v1_gUtH/s9YCJWgCizjfUxuWfhFE4QSydOWEIIvfLwDr6E');
  });

  it('covers path, operation, user and expiration', () => {
    const token = new AccessToken('secret');
    const all = [
      token.signature('a', 'read', 'u'),
      token.signature('b', 'read', 'u'),
      token.signature('a', 'write', 'u'),
      token.signature('a', 'read', 'v'),
      token.signature('a', 'read', 'u', 5),
    ];
    expect(new Set(all).size).toBe(all.length);
  });

  it('does not appear when it is logged', () => {
    expect(JSON.stringify({ token: new AccessToken('secret') })).not.toContain('secret');
  });
});

it('compares secrets of different lengths without throwing', () => {
  expect(equalSecrets('a', 'a')).toBe(true);
  expect(equalSecrets('a', 'ab')).toBe(false);
  expect(equalSecrets('', 'ab')).toBe(false);
});
