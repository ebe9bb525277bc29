import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { UserDatabase } from './users.ts';

describe('UserDatabase', () => {
  let folder: string;
  let users: UserDatabase;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'users-'));
    writeFileSync(join(folder, 'passwd'), 'root:x:0:0::/root:/bin/sh\nann:x:1000:1000::/home/ann:/bin/sh\nbad line\n');
    writeFileSync(join(folder, 'group'), 'root:x:0:\nann:x:1000:\nvideo:x:44:ann,bob\ndocker:x:999:ann\n');
    users = new UserDatabase(join(folder, 'passwd'), join(folder, 'group'));
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  it('finds a user with all groups, the primary one first', () => {
    expect(users.find('ann')).toEqual({
      name: 'ann',
      uid: 1000,
      gid: 1000,
      home: '/home/ann',
      groups: [1000, 44, 999],
    });
    expect(users.find('nobody-here')).toBeUndefined();
    expect(users.find('')).toBeUndefined();
  });

  it('names owners, and gives numbers as text where there is no name', () => {
    expect([users.userName(1000), users.userName(54321), users.groupName(44), users.groupName(5)]).toEqual([
      'ann',
      '54321',
      'video',
      '5',
    ]);
  });

  it('sees users that were added since', () => {
    expect(users.find('eve')).toBeUndefined();
    writeFileSync(join(folder, 'passwd'), 'eve:x:1001:1001::/home/eve:/bin/sh\n');
    expect(users.find('eve')?.uid).toBe(1001);
  });

  it('knows root in an image without any users', () => {
    const none = new UserDatabase(join(folder, 'none'), join(folder, 'none'));
    expect(none.find('root')).toEqual({ name: 'root', uid: 0, gid: 0, home: '/', groups: [0] });
  });
});
