import { createHash } from 'node:crypto';
import http from 'node:http';
import { describe, expect, it } from 'vitest';
import { basic, envelope, json, send, start, stream, takeEnvelopes, unary } from '../wire.ts';
import { missingForWorlds } from '../world/world.ts';
import { useWorld } from './use-world.ts';

describe.skipIf(missingForWorlds() !== undefined)('streams of processes', () => {
  const at = useWorld();
  const rss = async () => Number(/VmRSS:\s+(\d+)/.exec((await at.world.run('cat /proc/1/status')).text)?.[1]) / 1024;
  const signal = (pid: number | undefined, name = 'SIGNAL_SIGKILL') =>
    unary(at.url, '/process.Process/SendSignal', { process: { pid }, signal: name });
  const list = async () =>
    (json(await unary(at.url, '/process.Process/List', {})) as { processes?: unknown[] }).processes ?? [];
  const gone = async (pattern: string) => {
    while ((await at.world.run(`pgrep -f '${pattern}' | grep -v $$`)).text !== '')
      await new Promise((r) => setTimeout(r, 20));
  };

  it('100 MB of stdout arrive complete and in order, with flat memory', { timeout: 120_000 }, async () => {
    const before = await rss();
    const script = 'head -c 100000000 /dev/urandom | tee >(sha256sum > /tmp/sum)';
    const { length, hash, ended } = await outputHash(at.url, script);
    expect([length, ended]).toEqual([100_000_000, true]);
    expect((await at.world.run('sleep 0.2; cat /tmp/sum')).text).toContain(hash);
    const grown = (await rss()) - before;
    console.log(`100 MB of stdout: RSS grew by ${grown.toFixed(1)} MiB`);
    expect(grown).toBeLessThan(100);
  });

  it('100 MB of stdin arrive complete and in order', { timeout: 120_000 }, async () => {
    const opened = await start(at.url, 'sha256sum', [], { stdin: true });
    const hash = createHash('sha256');
    const block = Buffer.alloc(1_000_000);
    for (let i = 0; i < 100; i++) {
      block.fill(i);
      hash.update(block);
      const input = { stdin: block.toString('base64') };
      expect((await unary(at.url, '/process.Process/SendInput', { process: { pid: opened.pid }, input })).status).toBe(
        200,
      );
    }
    await unary(at.url, '/process.Process/CloseStdin', { process: { pid: opened.pid } });
    await opened.finished();
    expect(opened.output('stdout').toString()).toContain(hash.digest('hex'));
  });

  it('a slow reader slows the process and loses nothing', { timeout: 60_000 }, async () => {
    const { length, stalled } = await slowReader(
      at.url,
      'head -c 20000000 /dev/zero; echo done > /tmp/slow-done',
      1500,
    );
    expect(length).toBe(20_000_000);
    expect(stalled).toBe(true);
  });

  it('a slow reader does not slow another reader of the same process beyond the buffers', {
    timeout: 60_000,
  }, async () => {
    const opened = await start(at.url, '/bin/bash', ['-c', 'read go; head -c 3000000 /dev/zero'], { stdin: true });
    const readers = Array.from({ length: 3 }, () =>
      stream(at.url, '/process.Process/Connect', { process: { pid: opened.pid } }),
    );
    await Promise.all(readers.map((reader) => reader.started()));
    await unary(at.url, '/process.Process/SendInput', { process: { pid: opened.pid }, input: { stdin: 'Z28K' } });
    await Promise.all([opened, ...readers].map((reader) => reader.finished()));
    expect([opened, ...readers].map((reader) => reader.output('stdout').length)).toEqual(Array(4).fill(3_000_000));
  });

  it('with nobody connected output is drained, and the ring is given with Sandbank-Replay', async () => {
    const script = 'seq 1 300000; echo last-line; touch /tmp/poured; read end';
    const opened = await start(at.url, '/bin/bash', ['-c', script], { stdin: true });
    opened.cut();
    const asked = { process: { pid: opened.pid } };
    await settle(async () => (await at.world.run('ls /tmp/poured')).code === 0);
    const again = stream(at.url, '/process.Process/Connect', asked, { 'sandbank-replay': '1' });
    await again.until(() => again.output('stdout').includes('last-line'));
    const replayed = again.output('stdout').toString();
    expect(replayed.endsWith('last-line\n')).toBe(true);
    expect(replayed.length).toBeLessThanOrEqual(2 ** 20);
    expect(replayed.length).toBeGreaterThan(2 ** 19);
    const plain = stream(at.url, '/process.Process/Connect', asked);
    await plain.started();
    await signal(opened.pid);
    await plain.finished();
    expect(plain.output('stdout').length).toBe(0);
  });

  it('a client that vanishes is noticed, its process lives', async () => {
    const opened = await start(at.url, 'sleep', ['47']);
    opened.cut();
    expect(await list()).toHaveLength(1);
    await signal(opened.pid);
    while ((await list()).length > 0) await new Promise((resolve) => setTimeout(resolve, 10));
  });

  it('SendSignal hits one process, Sandbank-Kill: tree all of them', async () => {
    const one = await start(at.url, '/bin/bash', ['-c', 'sleep 4711 & sleep 4711 & wait']);
    await settle(async () => (await at.world.run('pgrep -fc "sleep 4711"')).text.startsWith('3') || true);
    await signal(one.pid, 'SIGNAL_SIGTERM');
    await one.finished();
    expect(Number((await at.world.run('pgrep -xc sleep')).text)).toBeGreaterThanOrEqual(2);
    await at.world.run('pkill -x sleep');
    const tree = await start(at.url, '/bin/bash', ['-c', 'setsid sleep 4712 & (sleep 4712 & sleep 4712) & wait']);
    await settle(async () => Number((await at.world.run('pgrep -xc sleep')).text) >= 3);
    const killed = await unary(
      at.url,
      '/process.Process/SendSignal',
      { process: { pid: tree.pid }, signal: 'SIGNAL_SIGKILL' },
      { 'sandbank-kill': 'tree' },
    );
    expect(killed.status).toBe(200);
    await tree.finished();
    await gone('sleep 4712');
  });

  it('a timeout with Sandbank-Kill: tree leaves no child behind', async () => {
    const opened = stream(
      at.url,
      '/process.Process/Start',
      { process: { cmd: '/bin/bash', args: ['-c', 'setsid sleep 4713 & sleep 4713'] } },
      { ...basic('user'), 'connect-timeout-ms': '400', 'sandbank-kill': 'tree' },
    );
    await opened.finished();
    await gone('sleep 4713');
  });

  it('every child is reaped, also those that lost their parent', async () => {
    const opened = await start(at.url, '/bin/bash', [
      '-c',
      'for i in $(seq 50); do (setsid sh -c "sleep 0.1" &) ; done',
    ]);
    await opened.finished();
    await settle(async () => (await at.world.run('ps -eo stat= | grep -c Z')).text === '0');
  });

  it('StreamInput feeds a process through a body that stays open', async () => {
    const opened = await start(at.url, 'cat', [], { stdin: true });
    const request = http.request(`${at.url}/process.Process/StreamInput`, {
      method: 'POST',
      agent: false,
      headers: { 'content-type': 'application/connect+json', 'connect-protocol-version': '1' },
    });
    const answered = new Promise<Buffer>((resolve, reject) => {
      request.once('response', (response) => {
        const chunks: Buffer[] = [];
        response.on('data', (chunk: Buffer) => chunks.push(chunk));
        response.once('end', () => resolve(Buffer.concat(chunks)));
      });
      request.once('error', reject);
    });
    request.write(envelope({ start: { process: { pid: opened.pid } } }));
    request.write(envelope({ data: { input: { stdin: Buffer.from('one\n').toString('base64') } } }));
    await opened.until(() => opened.output('stdout').includes('one'));
    request.write(envelope({ keepalive: {} }));
    request.write(envelope({ data: { input: { stdin: Buffer.from('two\n').toString('base64') } } }));
    await opened.until(() => opened.output('stdout').includes('two'));
    request.end();
    expect(takeEnvelopes(await answered).envelopes.map(({ flags }) => flags)).toEqual([0, 2]);
    await signal(opened.pid);
    await opened.finished();
  });

  it('a thousand small chunks keep their order over both pipes each', async () => {
    const script = 'for i in $(seq 1000); do echo o$i; echo e$i >&2; done';
    const opened = await start(at.url, '/bin/bash', ['-c', script]);
    await opened.finished();
    const numbers = (letter: string) => Array.from({ length: 1000 }, (_, i) => `${letter}${i + 1}\n`).join('');
    expect(opened.output('stdout').toString()).toBe(numbers('o'));
    expect(opened.output('stderr').toString()).toBe(numbers('e'));
  });

  it('the environment of a command holds nothing of the daemon', async () => {
    const opened = await start(at.url, 'env');
    await opened.finished();
    const names = opened
      .output('stdout')
      .toString()
      .trim()
      .split('\n')
      .map((line) => line.split('=')[0]);
    const allowed = ['PATH', 'HOME', 'USER', 'LOGNAME', 'PWD', 'OLDPWD', 'SHLVL', '_', 'E2B_SANDBOX'];
    expect(names.filter((name) => !allowed.includes(name ?? ''))).toEqual([]);
  });

  it('a command holds no open file of the daemon', async () => {
    const opened = await start(at.url, '/bin/ls', ['/proc/self/fd'], { stdin: false });
    await opened.finished();
    expect(opened.output('stdout').toString().trim().split(/\s+/)).toEqual(['0', '1', '2', '3']);
  });

  it('a command has default signal actions and mask', async () => {
    const opened = await start(at.url, 'grep', ['-E', '^Sig(Blk|Ign|Cgt)', '/proc/self/status']);
    await opened.finished();
    const text = opened.output('stdout').toString();
    expect(text).toMatch(/SigBlk:\s+0{16}/);
    expect(text).toMatch(/SigIgn:\s+0{16}/);
  });

  it('health answers while 50 processes pour out', { timeout: 60_000 }, async () => {
    const pouring = await Promise.all(
      Array.from({ length: 50 }, () => start(at.url, 'head', ['-c', '2000000', '/dev/zero'])),
    );
    const answers = await Promise.all(
      Array.from({ length: 20 }, () => send(at.url, { method: 'GET', path: '/health' })),
    );
    expect(answers.every(({ status }) => status === 204)).toBe(true);
    await Promise.all(pouring.map((one) => one.finished()));
    expect(pouring.every((one) => one.output('stdout').length === 2_000_000)).toBe(true);
  });
});

function post(url: string, script: string): http.ClientRequest {
  const body = envelope({ process: { cmd: '/bin/bash', args: ['-c', script] } });
  const request = http.request(`${url}/process.Process/Start`, {
    method: 'POST',
    agent: false,
    headers: {
      'content-type': 'application/connect+json',
      'connect-protocol-version': '1',
      'content-length': body.length,
      ...basic('user'),
    },
  });
  request.end(body);
  return request;
}

/** Reads a stream without keeping it. */
function outputHash(url: string, script: string): Promise<{ length: number; hash: string; ended: boolean }> {
  return new Promise((resolve, reject) => {
    const hash = createHash('sha256');
    let length = 0;
    let ended = false;
    let rest: Buffer = Buffer.alloc(0);
    const request = post(url, script);
    request.once('error', reject);
    request.once('response', (response) => {
      response.on('data', (chunk: Buffer) => {
        const taken = takeEnvelopes(rest.length === 0 ? chunk : Buffer.concat([rest, chunk]));
        rest = taken.rest;
        for (const { flags, payload } of taken.envelopes) {
          const message = JSON.parse(payload.toString()) as { event?: { data?: { stdout?: string }; end?: object } };
          ended ||= message.event?.end !== undefined && flags === 0;
          const bytes = Buffer.from(message.event?.data?.stdout ?? '', 'base64');
          length += bytes.length;
          hash.update(bytes);
        }
      });
      response.once('end', () => resolve({ length, hash: hash.digest('hex'), ended }));
      response.once('error', reject);
    });
  });
}

/** Reads nothing for a while: the process must stand still meanwhile, and lose nothing. */
function slowReader(url: string, script: string, pauseMs: number): Promise<{ length: number; stalled: boolean }> {
  return new Promise((resolve, reject) => {
    const request = post(url, script);
    request.once('error', reject);
    request.once('response', (response) => {
      response.pause();
      let length = 0;
      let stalled = false;
      let rest: Buffer = Buffer.alloc(0);
      setTimeout(async () => {
        const { processes = [] } = json(await unary(url, '/process.Process/List', {})) as { processes?: unknown[] };
        stalled = processes.length === 1;
        response.on('data', (chunk: Buffer) => {
          const taken = takeEnvelopes(Buffer.concat([rest, chunk]));
          rest = taken.rest;
          for (const { payload } of taken.envelopes) {
            const message = JSON.parse(payload.toString()) as { event?: { data?: { stdout?: string } } };
            length += Buffer.from(message.event?.data?.stdout ?? '', 'base64').length;
          }
        });
        response.resume();
        response.once('end', () => resolve({ length, stalled }));
      }, pauseMs);
    });
  });
}

async function settle(good: () => Promise<boolean>): Promise<void> {
  while (!(await good())) await new Promise((resolve) => setTimeout(resolve, 20));
}
