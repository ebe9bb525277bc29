import { describe, expect, it } from 'vitest';
import { readMounts, scanRoots } from './mounts.ts';
import { compareScans, type ScannedFolder } from './scan.ts';

const folder = (digest: string, ...fresh: string[]): ScannedFolder => ({ digest, fresh });

describe('compareScans', () => {
  const baseline = new Map([
    ['/', 'r'],
    ['/home', 'h'],
  ]);

  it('removes new entries, and of new folders only the topmost', () => {
    const now = new Map([
      ['/', folder('r', 'note')],
      ['/home', folder('h', 'file')],
      ['/home/new', folder('x', 'inner')],
      ['/home/new/deep', folder('y')],
    ]);
    expect(compareScans(baseline, now)).toEqual({ remove: ['/note', '/home/file', '/home/new'], broken: [] });
  });

  it('refuses what has changed and what is missing', () => {
    expect(compareScans(baseline, new Map([['/', folder('other')]]))).toEqual({ remove: [], broken: ['/home', '/'] });
  });
});

describe('mounts', () => {
  const text = [
    '22 1 8:1 / / rw,relatime - ext4 /dev/root rw',
    '23 22 0:5 / /proc rw - proc proc rw',
    '24 22 0:6 / /dev/shm rw - tmpfs shm rw',
    '25 22 0:7 / /ro ro - ext4 /dev/x rw',
    '26 22 0:8 / /with\\040space rw - tmpfs x rw',
    '',
  ].join('\n');

  it('looks into every writable place below the roots, and into no view of the kernel', () => {
    expect(scanRoots(['/'], readMounts(text))).toEqual(['/', '/dev/shm', '/with space']);
    expect(scanRoots(['/dev'], readMounts(text))).toEqual(['/dev', '/dev/shm']);
  });
});
