import { describe, expect, it } from 'vitest';
import { basic, json, send, start, unary } from '../wire.ts';
import { missingForWorlds } from '../world/world.ts';
import { useWorld } from './use-world.ts';

const CALLS: readonly [string, (path: string) => Record<string, unknown>][] = [
  ['Stat', (path) => ({ path })],
  ['ListDir', (path) => ({ path })],
  ['MakeDir', (path) => ({ path })],
  ['Remove', (path) => ({ path })],
  ['Move', (path) => ({ source: path, destination: '/tmp/moved-here' })],
  ['CreateWatcher', (path) => ({ path })],
];

describe.skipIf(missingForWorlds() !== undefined)('paths', () => {
  const at = useWorld();
  const call = (method: string, message: unknown) =>
    unary(at.url, `/filesystem.Filesystem/${method}`, message, basic('user'));
  const alive = async () => expect((await send(at.url, { method: 'GET', path: '/health' })).status).toBe(204);

  for (const [method, message] of CALLS) {
    it(`${method}: a path with NUL is refused`, async () => {
      const answer = await call(method, message('/tmp/a\u0000b'));
      expect(answer.status).toBeGreaterThanOrEqual(400);
      expect(json(answer)).toHaveProperty('code');
      await alive();
    });

    it(`${method}: a path of 5,000 bytes is refused`, async () => {
      const answer = await call(method, message(`/tmp/${'a/'.repeat(2500)}`));
      expect(answer.status).toBeGreaterThanOrEqual(400);
      await alive();
    });

    it(`${method}: a name of 300 bytes is refused`, async () => {
      expect((await call(method, message(`/tmp/${'n'.repeat(300)}`))).status).toBeGreaterThanOrEqual(400);
    });
  }

  it('a path of exactly 4,095 bytes works where the kernel takes it', async () => {
    await at.world.run('mkdir -p /tmp/deep');
    const middle = `${'d'.repeat(200)}/`.repeat(20);
    const path = `/tmp/deep/${middle}`.slice(0, 4000);
    const made = await call('MakeDir', { path });
    expect([200, 500]).toContain(made.status);
    if (made.status === 200) expect((await call('Stat', { path })).status).toBe(200);
  });

  it('`..` is resolved by the kernel, also above the root', async () => {
    await at.world.run('mkdir -p /tmp/up/inner; echo x > /tmp/up/f');
    expect(json(await call('Stat', { path: '/tmp/up/inner/../f' }))).toMatchObject({ entry: { name: 'f' } });
    expect((await call('Stat', { path: '/../../../../../etc/passwd' })).status).toBe(200);
  });

  it('`..` behind a link is the parent of the target, as in the kernel', async () => {
    await at.world.run('mkdir -p /tmp/far/away; echo far > /tmp/far/mark; ln -sfn /tmp/far/away /tmp/jump');
    expect((await call('Stat', { path: '/tmp/jump/../mark' })).status).toBe(200);
  });

  it('links that go in a circle end with an error, in every call', async () => {
    await at.world.run('ln -sfn /tmp/ring2 /tmp/ring1; ln -sfn /tmp/ring1 /tmp/ring2');
    for (const [method, message] of CALLS.filter(([name]) => !['Remove', 'Move', 'Stat'].includes(name)))
      expect((await call(method, message('/tmp/ring1/x'))).status, method).toBeGreaterThanOrEqual(400);
    const read = await send(at.url, { method: 'GET', path: '/files?path=/tmp/ring1&username=user' });
    expect(read.status).toBeGreaterThanOrEqual(400);
    await alive();
  });

  it('a long chain of links is followed to its end or refused, never for ever', async () => {
    await at.world.run('cd /tmp; echo end > l0; for i in $(seq 1 60); do ln -sfn l$((i-1)) l$i; done');
    expect((await call('Stat', { path: '/tmp/l30' })).status).toBe(200);
    expect(
      (await send(at.url, { method: 'GET', path: '/files?path=/tmp/l60&username=user' })).status,
    ).toBeGreaterThanOrEqual(400);
  });

  it('a name that is not UTF-8 does not break a list', async () => {
    await at.world.run(`mkdir -p /tmp/raw; cd /tmp/raw; touch "$(printf 'bad\\377name')" good`);
    const answer = await call('ListDir', { path: '/tmp/raw' });
    expect(answer.status).toBe(200);
    const names = (json(answer) as { entries: { name: string }[] }).entries.map(({ name }) => name);
    expect(names).toContain('good');
    expect(names.length).toBe(2);
  });

  it('a path in the query that is not UTF-8 or not percent-coded is refused or taken literally', async () => {
    for (const path of [
      '/files?path=%ff%fe&username=user',
      '/files?path=%zz&username=user',
      '/files?path=%',
      '/files?%00=1',
    ]) {
      const answer = await send(at.url, { method: 'GET', path });
      expect([200, 400, 404]).toContain(answer.status);
    }
    await alive();
  });

  it('a path in the query with NUL is refused', async () => {
    for (const method of ['GET', 'POST']) {
      const answer = await send(at.url, {
        method,
        path: '/files?path=/tmp/a%00b&username=user',
        headers: { 'content-type': 'application/octet-stream' },
        ...(method === 'POST' ? { body: 'x' } : {}),
      });
      expect(answer.status).toBeGreaterThanOrEqual(400);
    }
    expect((await at.world.run('ls /tmp/a 2>&1')).text).toContain('No such file');
  });

  it('a file name in a form that leaves its folder is what the sender may do: it writes as asked, below no other root', async () => {
    const body =
      '--b\r\nContent-Disposition: form-data; name="file"; filename="../../tmp/escaped"\r\n\r\nx\r\n--b--\r\n';
    const answer = await send(at.url, {
      method: 'POST',
      path: '/files?username=user',
      headers: { 'content-type': 'multipart/form-data; boundary=b' },
      body,
    });
    expect(answer.status).toBe(200);
    expect((await at.world.run('cat /tmp/escaped')).text).toBe('x');
  });

  it('a folder with 100,000 entries is listed completely', { timeout: 120_000 }, async () => {
    await at.world.run('mkdir -p /tmp/huge; cd /tmp/huge; seq -f "f%06g" 1 100000 | xargs touch');
    const before = Date.now();
    const [answer, health] = await Promise.all([
      call('ListDir', { path: '/tmp/huge' }),
      send(at.url, { method: 'GET', path: '/health' }),
    ]);
    console.log(`100,000 entries: ${Date.now() - before} ms, ${(answer.body.length / 2 ** 20).toFixed(1)} MiB`);
    expect(health.status).toBe(204);
    const { entries } = json(answer) as { entries: { name: string }[] };
    expect([entries.length, entries[0]?.name, entries.at(-1)?.name]).toEqual([100_000, 'f000001', 'f100000']);
  });

  it('a folder that changes while it is listed gives a list, not an error', { timeout: 60_000 }, async () => {
    await at.world.run('mkdir -p /tmp/moving');
    const churn = await start(
      at.url,
      '/bin/bash',
      ['-c', 'cd /tmp/moving; for i in $(seq 400); do mkdir -p d$i; touch d$i/f; rm -rf d$((i-3)); done'],
      {},
      'root',
    );
    let rounds = 0;
    while (churn.closed === 'open' && rounds++ < 2000)
      expect((await call('ListDir', { path: '/tmp/moving', depth: 3 })).status).toBe(200);
    await churn.finished();
  });

  it('special files answer at once: a pipe, a device, a socket', async () => {
    await at.world.run(
      `mkfifo /tmp/fifo; perl -MIO::Socket::UNIX -e 'IO::Socket::UNIX->new(Local=>"/tmp/sock",Listen=>1)'`,
    );
    for (const path of ['/tmp/fifo', '/dev/zero', '/tmp/sock', '/dev/tty']) {
      expect((await call('Stat', { path })).status, path).toBe(200);
      const read = await send(at.url, { method: 'GET', path: `/files?path=${path}&username=user` });
      expect(read.status, path).toBeGreaterThanOrEqual(200);
    }
    await alive();
  });
});
