import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { identify } from '../process/identity.ts';
import { withLock } from './lock.ts';

describe('the lock of a build', () => {
  let folder: string;
  let path: string;

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'sandbank-lock-'));
    path = join(folder, 'build.lock');
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  test('lets one in at a time and tells the others whom they wait for', async () => {
    const { promise: gate, resolve: open } = Promise.withResolvers<void>();
    const order: string[] = [];
    const first = withLock(path, async () => {
      await gate;
      order.push('first');
    });
    const second = withLock(
      path,
      async () => void order.push('second'),
      (holder) => {
        expect(holder.pid).toBe(process.pid);
        open();
      },
    );
    await Promise.all([first, second]);
    expect(order).toEqual(['first', 'second']);
  });

  test('is taken over from a process that is dead', async () => {
    const dead = spawnSync('true').pid;
    writeFileSync(path, JSON.stringify({ pid: dead, startedAt: '1' }));
    await expect(withLock(path, async () => 'done')).resolves.toBe('done');
  });

  test('is taken over from a dead process whose number another one got', async () => {
    writeFileSync(path, JSON.stringify({ ...identify(process.pid), startedAt: 'long ago' }));
    await expect(withLock(path, async () => 'done')).resolves.toBe('done');
  });

  test('is given back when the work fails, and leaves no file', async () => {
    await expect(withLock(path, () => Promise.reject(new Error('broken')))).rejects.toThrow('broken');
    expect(existsSync(path)).toBe(false);
    expect(readdirSync(folder)).toEqual([]);
  });
});
