import { constants } from 'node:fs';
import { expect, it } from 'vitest';
import { permissionText } from './permissions.ts';

it.each([
  [constants.S_IFREG | 0o644, '-rw-r--r--'],
  [constants.S_IFDIR | 0o755, 'drwxr-xr-x'],
  [constants.S_IFDIR | 0o1777, 'dtrwxrwxrwx'],
  [constants.S_IFREG | 0o4755, 'urwxr-xr-x'],
  [constants.S_IFLNK | 0o777, 'Lrwxrwxrwx'],
  [constants.S_IFCHR | 0o666, 'Dcrw-rw-rw-'],
  [constants.S_IFIFO | 0o644, 'prw-r--r--'],
])('%o is %s', (mode, expected) => {
  expect(permissionText(mode)).toBe(expected);
});
