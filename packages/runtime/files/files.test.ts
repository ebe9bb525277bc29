import { closeSync, mkdtempSync, openSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Runtime } from '../server/runtime.ts';
import { call, open, startTestRuntime } from '../testing/runtime.ts';

let runtime: Runtime & { port: number };
let folder: string;
beforeAll(async () => {
  runtime = await startTestRuntime();
  folder = mkdtempSync(join(tmpdir(), 'files-'));
});
afterAll(async () => {
  await runtime.close();
  rmSync(folder, { recursive: true });
});

const octets = { 'content-type': 'application/octet-stream' };
const at = (path: string): string => `/files?path=${encodeURIComponent(path)}`;

describe('/files', () => {
  it('brings large files up and down unchanged', async () => {
    const bytes = Buffer.alloc(5 * 1024 * 1024 + 17, 'sandbank ');
    const path = join(folder, 'large');
    expect((await call(runtime.port, 'POST', at(path), octets, bytes)).status).toBe(200);
    expect(readFileSync(path).equals(bytes)).toBe(true);
    expect((await call(runtime.port, 'GET', at(path))).body.equals(bytes)).toBe(true);
  });

  it('replaces a file at once when asked to, keeping its mode, and leaves nothing beside it', async () => {
    const path = join(folder, 'atomic');
    writeFileSync(path, 'old', { mode: 0o600 });
    const former = openSync(path, 'r');
    const headers = { ...octets, 'sandbank-atomic': '1' };
    for (const size of [10, 200_000]) {
      expect((await call(runtime.port, 'POST', at(path), headers, Buffer.alloc(size, 'x'))).status).toBe(200);
      expect(statSync(path)).toMatchObject({ size, mode: 0o100600 });
    }
    // Whoever had the old file open still has the old file.
    expect(readFileSync(former, 'utf8')).toBe('old');
    closeSync(former);
    expect(readdirSync(folder).filter((name) => name.startsWith('.sandbank'))).toEqual([]);
  });

  it('keeps the old file when an atomic upload is cut off', async () => {
    const path = join(folder, 'kept');
    writeFileSync(path, 'old');
    const headers = { ...octets, 'sandbank-atomic': '1', 'content-length': 500_000 };
    const sent = open(runtime.port, 'POST', at(path), headers, () => {});
    sent.on('error', () => {});
    await new Promise((resolve) => sent.write(Buffer.alloc(200_000, 'x'), resolve));
    sent.destroy();
    while (readdirSync(folder).some((name) => name.startsWith('.sandbank')))
      await new Promise((resolve) => setImmediate(resolve));
    expect(readFileSync(path, 'utf8')).toBe('old');
  });

  it('writes to no device', async () => {
    const answer = await call(runtime.port, 'POST', at('/dev/full'), octets, Buffer.from('x'));
    expect(answer.status).toBe(400);
    expect(answer.body.toString()).toContain('not a regular file');
  });
});

describe('access', () => {
  it('belongs to the first owner', async () => {
    const owned = await startTestRuntime();
    try {
      const init = (body: object) => call(owned.port, 'POST', '/init', {}, JSON.stringify(body));
      expect((await init({ accessToken: 'first' })).status).toBe(204);
      expect((await init({ accessToken: 'second' })).status).toBe(401);
      expect((await init({})).status).toBe(401);
      expect((await call(owned.port, 'GET', '/envs')).status).toBe(401);
      expect((await call(owned.port, 'GET', '/envs', { 'x-access-token': 'first' })).status).toBe(200);
      expect((await call(owned.port, 'GET', '/health')).status).toBe(204);
    } finally {
      await owned.close();
    }
  });

  it('has no control routes on the data listener once there is a control listener', async () => {
    const split = await startTestRuntime(['--control-port', '0']);
    try {
      const { control } = split;
      if (control === undefined || !('port' in control)) throw new Error('no control listener');
      expect((await call(split.port, 'POST', '/init', {}, '{}')).status).toBe(404);
      expect((await call(split.port, 'POST', '/reset')).status).toBe(404);
      expect((await call(control.port, 'POST', '/init', {}, '{}')).status).toBe(204);
      expect((await call(control.port, 'GET', '/envs')).status).toBe(404);
      expect((await call(control.port, 'POST', '/reset')).status).toBe(409);
    } finally {
      await split.close();
    }
  });
});
