import { createHash } from 'node:crypto';
import http from 'node:http';
import { describe, expect, it } from 'vitest';
import { json, send, start } from '../wire.ts';
import { missingForWorlds } from '../world/world.ts';
import { useWorld } from './use-world.ts';

describe.skipIf(missingForWorlds() !== undefined)('content of files', () => {
  const at = useWorld();
  const get = (path: string, headers: Record<string, string> = {}) =>
    send(at.url, { method: 'GET', path: `/files?username=user&path=${encodeURIComponent(path)}`, headers });
  const put = (path: string, body: string | Buffer, headers: Record<string, string> = {}) =>
    send(at.url, {
      method: 'POST',
      path: `/files?username=user&path=${encodeURIComponent(path)}`,
      headers: { 'content-type': 'application/octet-stream', ...headers },
      body,
    });
  const rss = async () => Number(/VmRSS:\s+(\d+)/.exec((await at.world.run('cat /proc/1/status')).text)?.[1]) / 1024;

  it('a file that grows while it is read gives what was announced, or more, never an error in the middle', async () => {
    await at.world.run('head -c 20000000 /dev/zero > /tmp/grows; chmod 666 /tmp/grows');
    const writer = await start(at.url, '/bin/bash', [
      '-c',
      'for i in $(seq 200); do head -c 100000 /dev/zero >> /tmp/grows; done',
    ]);
    for (let i = 0; i < 5; i++) {
      const answer = await get('/tmp/grows', { 'accept-encoding': 'identity' });
      expect(answer.status).toBe(200);
      expect(answer.body.length).toBe(Number(answer.headers['content-length']));
    }
    await writer.finished();
  });

  it('a file that shrinks while it is read ends the answer as broken, and harms nobody else', async () => {
    await at.world.run('head -c 60000000 /dev/zero > /tmp/shrinks; chmod 666 /tmp/shrinks');
    const reading = slowGet(at.url, '/files?username=user&path=/tmp/shrinks', async () => {
      await at.world.run('truncate -s 1000 /tmp/shrinks');
    });
    const outcome = await reading;
    expect(['broken', 'complete']).toContain(outcome.how);
    if (outcome.how === 'complete') expect(outcome.length).toBe(60_000_000);
    expect((await send(at.url, { method: 'GET', path: '/health' })).status).toBe(204);
  });

  it('a file that is replaced while it is read stays the one that was opened', async () => {
    await at.world.run('head -c 30000000 /dev/zero > /tmp/replaced');
    const outcome = await slowGet(at.url, '/files?username=user&path=/tmp/replaced', async () => {
      await at.world.run('head -c 30000000 /dev/zero | tr "\\0" x > /tmp/other; mv /tmp/other /tmp/replaced');
    });
    expect(outcome).toEqual({ how: 'complete', length: 30_000_000, mixed: false });
  });

  it('a file that is removed while it is read is read to its end', async () => {
    await at.world.run('head -c 30000000 /dev/zero > /tmp/removed');
    const outcome = await slowGet(at.url, '/files?username=user&path=/tmp/removed', async () => {
      await at.world.run('rm /tmp/removed');
    });
    expect(outcome).toMatchObject({ how: 'complete', length: 30_000_000 });
  });

  it('200 MiB go up and down unchanged, with flat memory', { timeout: 120_000 }, async () => {
    await at.world.run('head -c 209715200 /dev/urandom > /tmp/large');
    const before = await rss();
    const hash = createHash('sha256');
    const length = await download(at.url, '/files?username=user&path=/tmp/large', (chunk) => hash.update(chunk));
    expect(length).toBe(209_715_200);
    expect((await at.world.run('sha256sum < /tmp/large')).text).toContain(hash.digest('hex'));
    const block = Buffer.alloc(1 << 20, 7);
    await upload(at.url, '/files?username=user&path=/tmp/large-up', block, 200);
    expect((await at.world.run('stat -c %s /tmp/large-up')).text).toBe('209715200');
    const grown = (await rss()) - before;
    console.log(`RSS grew by ${grown.toFixed(1)} MiB`);
    expect(grown).toBeLessThan(100);
  });

  it('an upload that is cut leaves no process, no open file, and the daemon well', async () => {
    const open = async () => Number((await at.world.run('ls /proc/1/fd | wc -l')).text);
    const before = await open();
    for (let i = 0; i < 20; i++) await cutUpload(at.url, '/files?username=user&path=/tmp/cut');
    expect((await send(at.url, { method: 'GET', path: '/health' })).status).toBe(204);
    await settle(async () => (await open()) <= before + 2);
  });

  it('an atomic upload that is cut leaves the old file', async () => {
    await put('/tmp/atomic', 'old');
    await cutUpload(at.url, '/files?username=user&path=/tmp/atomic', { 'sandbank-atomic': '1' });
    await settle(async () => (await at.world.run('ls /tmp | grep -c atomic')).text === '1');
    expect((await get('/tmp/atomic', { 'accept-encoding': 'identity' })).body.toString()).toBe('old');
  });

  it('an atomic upload replaces the file at once and keeps nothing beside it', async () => {
    await put('/tmp/swap', 'old');
    expect((await put('/tmp/swap', 'new', { 'sandbank-atomic': '1' })).status).toBe(200);
    expect((await at.world.run('cat /tmp/swap; ls /tmp | grep -c swap; stat -c %U /tmp/swap')).text).toBe('new1\nuser');
  });

  it('a full disk is 507, in both forms of upload', async () => {
    await at.world.run('mkdir -p /tmp/tiny; mount -t tmpfs -o size=64k,mode=777 tmpfs /tmp/tiny');
    expect((await put('/tmp/tiny/a', Buffer.alloc(1 << 20))).status).toBe(507);
    const form = `--b\r\nContent-Disposition: form-data; name="file"; filename="/tmp/tiny/b"\r\n\r\n${'x'.repeat(1 << 20)}\r\n--b--\r\n`;
    const answer = await send(at.url, {
      method: 'POST',
      path: '/files?username=user',
      headers: { 'content-type': 'multipart/form-data; boundary=b' },
      body: form,
    });
    expect([answer.status, (json(answer) as { code: number }).code]).toEqual([507, 507]);
    await at.world.run('umount /tmp/tiny');
  });

  it.each([
    ['bytes=0-0', 206, 'a'],
    ['bytes=2-3', 206, 'cd'],
    ['bytes=8-100', 206, 'ij'],
    ['bytes=-1', 206, 'j'],
    ['bytes=-100', 206, 'abcdefghij'],
    ['bytes=10-', 416, undefined],
    ['bytes=5-2', 416, undefined],
    ['bytes=a-b', 416, undefined],
    ['bytes=99999999999999999999-', 416, undefined],
  ])('Range %s is %i', async (range, status, text) => {
    await put('/tmp/ten', 'abcdefghij');
    const answer = await get('/tmp/ten', { range });
    expect(answer.status).toBe(status);
    if (text !== undefined) expect(answer.body.toString()).toBe(text);
  });

  it('several ranges at once are served as parts, as a whole, or refused: never mixed up', async () => {
    await put('/tmp/ten', 'abcdefghij');
    const answer = await get('/tmp/ten', { range: 'bytes=0-1,4-5' });
    expect([200, 206, 416]).toContain(answer.status);
    if (answer.status === 206) expect(answer.headers['content-type']).toContain('multipart/byteranges');
    if (answer.status === 200) expect(answer.body.toString()).toBe('abcdefghij');
  });

  it.each([
    ['a boundary inside a line of content', 'AB--bC\r\n--bX'],
    ['content that ends like the delimiter begins', 'abc\r\n--'],
    ['empty content', ''],
    ['only line feeds', '\r\n\r\n\r\n'],
    ['NUL bytes', '\0\0\0'],
  ])('a form with %s is taken byte by byte', async (_, content) => {
    const body = `--bound\r\nContent-Disposition: form-data; name="file"; filename="/tmp/form"\r\nContent-Type: text/plain\r\n\r\n${content}\r\n--bound--\r\n`;
    const answer = await send(at.url, {
      method: 'POST',
      path: '/files?username=user',
      headers: { 'content-type': 'multipart/form-data; boundary=bound' },
      body,
    });
    expect(answer.status).toBe(200);
    expect((await get('/tmp/form', { 'accept-encoding': 'identity' })).body.toString()).toBe(content);
  });

  it('two uploads to one path at once leave one of the two, whole', async () => {
    const a = Buffer.alloc(3_000_000, 'a');
    const b = Buffer.alloc(3_000_000, 'b');
    const headers = { 'sandbank-atomic': '1' };
    await Promise.all([put('/tmp/race', a, headers), put('/tmp/race', b, headers)]);
    const seen = (await get('/tmp/race', { 'accept-encoding': 'identity' })).body;
    expect(seen.equals(a) || seen.equals(b)).toBe(true);
  });
});

interface Outcome {
  readonly how: 'complete' | 'broken';
  readonly length: number;
  readonly mixed: boolean;
}

/** Reads the head, stops reading, lets something happen to the file, then reads on. */
function slowGet(url: string, path: string, meanwhile: () => Promise<void>): Promise<Outcome> {
  return new Promise((resolve, reject) => {
    const request = http.get(
      `${url}${path}`,
      { agent: false, headers: { 'accept-encoding': 'identity' } },
      (response) => {
        let length = 0;
        const values = new Set<number>();
        const done = (how: 'complete' | 'broken') => resolve({ how, length, mixed: values.size > 1 });
        const announced = Number(response.headers['content-length']);
        response.pause();
        meanwhile().then(() => {
          response.on('data', (chunk: Buffer) => {
            length += chunk.length;
            values.add(chunk[0] ?? 0).add(chunk.at(-1) ?? 0);
          });
          response.resume();
          response.once('end', () => done(length === announced ? 'complete' : 'broken'));
          response.once('error', () => done('broken'));
          response.once('close', () => done(length === announced ? 'complete' : 'broken'));
        }, reject);
      },
    );
    request.once('error', reject);
  });
}

function download(url: string, path: string, take: (chunk: Buffer) => unknown): Promise<number> {
  return new Promise((resolve, reject) => {
    const request = http.get(
      `${url}${path}`,
      { agent: false, headers: { 'accept-encoding': 'identity' } },
      (response) => {
        let length = 0;
        response.on('data', (chunk: Buffer) => {
          length += chunk.length;
          take(chunk);
        });
        response.once('end', () => resolve(length));
        response.once('error', reject);
      },
    );
    request.once('error', reject);
  });
}

async function upload(url: string, path: string, block: Buffer, times: number): Promise<void> {
  const request = http.request(`${url}${path}`, {
    method: 'POST',
    agent: false,
    headers: { 'content-type': 'application/octet-stream', 'content-length': block.length * times },
  });
  const answered = new Promise<number>((resolve, reject) => {
    request.once('response', (response) => {
      response.resume();
      resolve(response.statusCode ?? 0);
    });
    request.once('error', reject);
  });
  for (let i = 0; i < times; i++)
    if (!request.write(block)) await new Promise((resolve) => request.once('drain', resolve));
  request.end();
  expect(await answered).toBe(200);
}

function cutUpload(url: string, path: string, headers: Record<string, string> = {}): Promise<void> {
  return new Promise((resolve) => {
    const request = http.request(`${url}${path}`, {
      method: 'POST',
      agent: false,
      headers: { 'content-type': 'application/octet-stream', 'content-length': 10_000_000, ...headers },
    });
    request.on('error', () => undefined);
    request.once('close', () => resolve());
    request.write(Buffer.alloc(200_000), () => request.destroy());
  });
}

/** Waits for the thing; the test's own timeout is the limit. */
async function settle(good: () => Promise<boolean>): Promise<void> {
  while (!(await good())) await new Promise((resolve) => setTimeout(resolve, 20));
}
