import { existsSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { crash } from './crash.ts';
import { missing } from './index.ts';
import { isAlive } from './process/identity.ts';

describe.skipIf(missing(['etcd', 'kube-apiserver']) !== undefined)('after kill -9 of whoever started it', () => {
  test('a control plane goes, with its processes and its folder', async () => {
    const { folder, processes } = await crash({}, (before) => {
      expect(before.processes.every(isAlive)).toBe(true);
      expect(existsSync(before.folder)).toBe(true);
    });
    expect(processes).toHaveLength(2);
    await expect.poll(() => existsSync(folder), { timeout: 20_000 }).toBe(false);
    expect(processes.filter(isAlive)).toEqual([]);
  });
});
