import { execFileSync } from 'node:child_process';
import { describe, expect, test } from 'vitest';
import { readTarFile, writeTar } from './tar.ts';

describe('archives', () => {
  const archive = writeTar([
    { name: 'bin/', data: new Uint8Array(), mode: 0o755 },
    { name: 'bin/tool', data: Buffer.alloc(1300, 'x'), mode: 0o755 },
    { name: 'bin/other', data: new Uint8Array(), mode: 0o777, link: 'tool' },
    { name: 'last', data: Buffer.from('end') },
  ]);

  test('are read back by ourselves', () => {
    expect(readTarFile(archive, 'bin/tool')).toEqual(Buffer.alloc(1300, 'x'));
    expect(readTarFile(archive, 'last')?.toString()).toBe('end');
    expect(readTarFile(archive, 'none')).toBeUndefined();
  });

  test('are understood by tar', () => {
    const listing = execFileSync('tar', ['-tv'], { input: archive, encoding: 'utf8' }).trim().split('\n');
    expect(
      listing.map((line) => line.split(/\s+/)).map((words) => [words[0], words[2], words.slice(5).join(' ')]),
    ).toEqual([
      ['drwxr-xr-x', '0', 'bin/'],
      ['-rwxr-xr-x', '1300', 'bin/tool'],
      ['lrwxrwxrwx', '0', 'bin/other -> tool'],
      ['-rw-r--r--', '3', 'last'],
    ]);
  });
});
