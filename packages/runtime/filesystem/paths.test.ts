import { describe, expect, it } from 'vitest';
import { baseName, resolvePath } from './paths.ts';

const user = { name: 'ann', uid: 1, gid: 1, home: '/home/ann', groups: [1] };

describe('resolvePath', () => {
  it.each([
    ['', '/home/ann'],
    ['~', '/home/ann'],
    ['~/a/', '/home/ann/a'],
    ['a/../b', '/home/ann/b'],
    ['.', '/home/ann'],
    ['/x/../y/', '/x/../y/'],
  ])('%s is %s', (path, expected) => {
    expect(resolvePath(path, user, undefined)).toBe(expected);
  });

  it('uses the working folder for an empty path only', () => {
    expect(resolvePath('', user, '/work')).toBe('/work');
    expect(resolvePath('a', user, '/work')).toBe('/home/ann/a');
  });

  it.each(['~root', '~root/x', 'a\0b'])('refuses %j', (path) => {
    expect(() => resolvePath(path, user, undefined)).toThrowError(
      expect.objectContaining({ code: 'invalid_argument' }),
    );
  });
});

it.each([
  ['/', '/'],
  ['/a/b/', 'b'],
  ['/a/../b', 'b'],
  ['', '.'],
])('base name of %s is %s', (path, expected) => {
  expect(baseName(path)).toBe(expected);
});
