import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Runtime } from '../server/runtime.ts';
import { call, startTestRuntime } from '../testing/runtime.ts';

const folder = mkdtempSync(join(tmpdir(), 'full-'));
const mounted =
  process.getuid?.() === 0 && spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=64k', 'tmpfs', folder]).status === 0;

describe.skipIf(!mounted)('a full disk (needs root, for a small tmpfs)', () => {
  let runtime: Runtime & { port: number };
  beforeAll(async () => {
    runtime = await startTestRuntime();
  });
  afterAll(async () => {
    await runtime.close();
    spawnSync('umount', [folder]);
    rmSync(folder, { recursive: true });
  });

  it('is 507 for small and large files, in place and atomic, and the next call is served', async () => {
    const statuses: number[] = [];
    // The first one fits, and leaves no room for the others.
    for (const size of [40_000, 50_000, 1024 * 1024, 1024 * 1024, 200_000]) {
      for (const headers of [{}, { 'sandbank-atomic': '1' }]) {
        const path = `/files?path=${folder}/f${size}`;
        const sent = { 'content-type': 'application/octet-stream', ...headers };
        statuses.push((await call(runtime.port, 'POST', path, sent, Buffer.alloc(size, 'x'))).status);
      }
    }
    expect(statuses).toEqual([200, ...Array.from({ length: 9 }, () => 507)]);
    expect(readdirSync(folder).filter((name) => name.startsWith('.sandbank'))).toEqual([]);
    expect((await call(runtime.port, 'GET', '/health')).status).toBe(204);
  });
});
