/**
 * What a first user leaves, the second must not find (G10). Each kind of dirt is left in a world of its own; then the
 * sandbox is reset and searched. A reset may also be refused: then nothing answers the second user any more.
 */
import http from 'node:http';
import { describe, expect, it } from 'vitest';
import { DIRT, type Dirt } from './reset/dirt.ts';
import { basic, json, send, stream, unary } from './wire.ts';
import { missingForWorlds, openWorld, type World } from './world/world.ts';

const ROOTS = ['/home', '/tmp', '/var/tmp', '/dev/shm'];
const FIRST = 'token-of-the-first-user-0123456789';
const SECOND = 'token-of-the-second-user-012345678';
const CONTROL = '/run/control.sock';

async function sandbox(roots: readonly string[] = ROOTS): Promise<World> {
  const flags = ['--control-socket', CONTROL, '--no-new-privileges', '--default-user', 'user', '--log-level', 'warn'];
  return openWorld({
    network: 'own',
    insecure: false,
    args: [...flags, ...roots.flatMap((root) => ['--reset-root', root])],
  });
}

function control(world: World, path: string, body: object): Promise<{ status: number; body: string }> {
  return new Promise((resolve, reject) => {
    const request = http.request(
      { socketPath: world.path(CONTROL), method: 'POST', path, headers: { 'content-type': 'application/json' } },
      (response) => {
        let text = '';
        response.on('data', (chunk: Buffer) => (text += chunk.toString()));
        response.once('end', () => resolve({ status: response.statusCode ?? 0, body: text }));
      },
    );
    request.once('error', reject);
    request.end(JSON.stringify(body));
  });
}

async function claim(world: World, token: string, more: object = {}): Promise<void> {
  const answer = await control(world, '/init', { accessToken: token, ...more });
  if (answer.status !== 204) throw new Error(`/init answered ${answer.status}: ${answer.body}`);
}

const as = (token: string, user = 'user') => ({ 'x-access-token': token, ...basic(user) });

async function leave(world: World, dirt: Pick<Dirt, 'leave' | 'as'>): Promise<void> {
  const { leave: command, as: user } = dirt;
  const opened = stream(
    world.url,
    '/process.Process/Start',
    { process: { cmd: '/bin/bash', args: ['-c', command] }, stdin: false },
    as(FIRST, user ?? 'user'),
  );
  await opened.started();
  await opened.finished();
}

/** Clean, or refused and shut: nothing between. */
async function resetOrShut(world: World): Promise<'clean' | 'refused'> {
  const answer = await control(world, '/reset', {});
  if (answer.status === 200) {
    expect(JSON.parse(answer.body)).toMatchObject({ clean: true });
    return 'clean';
  }
  expect(answer.status).toBe(409);
  expect((JSON.parse(answer.body) as { reasons: string[] }).reasons.join('')).not.toBe('');
  const shut = await Promise.all([
    unary(world.url, '/process.Process/List', {}, as(FIRST)),
    unary(world.url, '/filesystem.Filesystem/Stat', { path: '/' }, as(SECOND)),
    send(world.url, { method: 'GET', path: '/files?path=/etc/hostname', headers: { 'x-access-token': FIRST } }),
  ]);
  expect(shut.map(({ status }) => status)).toEqual([503, 503, 503]);
  expect((await control(world, '/init', { accessToken: SECOND })).status).toBeGreaterThanOrEqual(400);
  return 'refused';
}

const outcomes = { clean: 0, refused: 0 };

describe.skipIf(missingForWorlds() !== undefined)('reset: dirt of the first user', () => {
  it('is of at least fifty kinds', () => expect(DIRT.length).toBeGreaterThanOrEqual(50));

  it.each(DIRT.map((dirt) => [dirt.name, dirt] as const))('%s', { timeout: 60_000 }, async (_, dirt) => {
    const world = await sandbox();
    try {
      expect((await world.run(`{ ${dirt.search}; } 2>/dev/null`)).text, 'before it was left').toBe('');
      await claim(world, FIRST);
      await leave(world, dirt);
      const seen = await world.run(
        `for i in $(seq 40); do found=$({ ${dirt.search}; } 2>/dev/null); [ -n "$found" ] && echo "$found" && exit; sleep 0.1; done`,
      );
      expect(seen.text, 'the dirt was really there').not.toBe('');
      const outcome = await resetOrShut(world);
      outcomes[outcome]++;
      if (outcome === 'refused') return;
      expect((await world.run(`{ ${dirt.search}; } 2>/dev/null`)).text).toBe('');
      await claim(world, SECOND);
      const next = await unary(world.url, '/process.Process/List', {}, as(SECOND));
      expect([next.status, json(next)]).toEqual([200, {}]);
    } finally {
      await world.close();
    }
  });

  it('what a user could leave is cleaned, what root could leave is refused', () => {
    console.log(`reset: ${outcomes.clean} kinds cleaned, ${outcomes.refused} refused`);
    expect(outcomes.clean).toBeGreaterThanOrEqual(30);
  });
});

describe.skipIf(missingForWorlds() !== undefined)('reset: state of the daemon', () => {
  it('a sandbox that nobody used is clean, as often as asked', async () => {
    const world = await sandbox();
    try {
      for (let i = 0; i < 3; i++) expect(await resetOrShut(world)).toBe('clean');
    } finally {
      await world.close();
    }
  });

  it('token, environment, default user and folder, watchers, processes and their results are gone', async () => {
    const world = await sandbox();
    try {
      await claim(world, FIRST, { envVars: { SECRET: 'of the first' }, defaultUser: 'other', defaultWorkdir: '/usr' });
      const watcher = json(
        await unary(world.url, '/filesystem.Filesystem/CreateWatcher', { path: '/tmp' }, as(FIRST)),
      ) as {
        watcherId: string;
      };
      const watch = stream(world.url, '/filesystem.Filesystem/WatchDir', { path: '/tmp' }, as(FIRST));
      await watch.until(() => watch.envelopes.length > 0);
      const running = stream(
        world.url,
        '/process.Process/Start',
        { process: { cmd: 'sleep', args: ['600'] }, tag: 'kept' },
        as(FIRST),
      );
      const pid = await running.started();
      const ended = stream(
        world.url,
        '/process.Process/Start',
        { process: { cmd: 'echo', args: ['secret'] } },
        as(FIRST),
      );
      const endedPid = await ended.started();
      await ended.finished();

      expect(await resetOrShut(world)).toBe('clean');
      await Promise.all([watch.finished().catch(() => undefined), running.finished().catch(() => undefined)]);
      expect([watch.closed, running.closed]).not.toContain('open');

      expect((await unary(world.url, '/process.Process/List', {}, as(FIRST))).status).toBeGreaterThanOrEqual(200);
      await claim(world, SECOND);
      expect((await unary(world.url, '/process.Process/List', {}, as(FIRST))).status).toBe(401);
      const envs = await send(world.url, { method: 'GET', path: '/envs', headers: { 'x-access-token': SECOND } });
      expect(envs.body.toString()).not.toContain('SECRET');
      const events = await unary(world.url, '/filesystem.Filesystem/GetWatcherEvents', watcher, as(SECOND));
      expect(events.status).toBe(404);
      for (const process of [{ pid }, { pid: endedPid }, { tag: 'kept' }]) {
        const again = stream(
          world.url,
          '/process.Process/Connect',
          { process },
          { ...as(SECOND), 'sandbank-replay': '1' },
        );
        await again.finished();
        expect(again.messages, JSON.stringify(process)).toMatchObject([
          { flags: 2, message: { error: { code: 'not_found' } } },
        ]);
      }
      const who = stream(
        world.url,
        '/process.Process/Start',
        { process: { cmd: '/bin/sh', args: ['-c', 'id -un; pwd; env'] } },
        {
          'x-access-token': SECOND,
        },
      );
      await who.finished();
      const text = who.output('stdout').toString();
      expect(text.startsWith('user\n/home/user\n')).toBe(true);
      expect(text).not.toContain('SECRET');
    } finally {
      await world.close();
    }
  });

  it('is not served where users are', async () => {
    const world = await sandbox();
    try {
      for (const path of ['/reset', '/init']) {
        const answer = await send(world.url, {
          method: 'POST',
          path,
          headers: { 'x-access-token': FIRST },
          body: '{}',
        });
        expect([401, 404]).toContain(answer.status);
      }
    } finally {
      await world.close();
    }
  });

  it('a reset in the middle of work ends the work and answers once', { timeout: 60_000 }, async () => {
    const world = await sandbox();
    try {
      // Not empty when the repository itself lies there.
      const before = (await world.run('ls -A /tmp')).text;
      await claim(world, FIRST);
      const pouring = await Promise.all(
        Array.from({ length: 20 }, () =>
          stream(
            world.url,
            '/process.Process/Start',
            { process: { cmd: 'bash', args: ['-c', 'while :; do echo x; echo y >> /tmp/y$$; done'] } },
            as(FIRST),
          ),
        ),
      );
      await Promise.all(pouring.map((one) => one.started()));
      expect(await resetOrShut(world)).toBe('clean');
      expect((await world.run('ls -A /tmp')).text).toBe(before);
      expect((await world.run('pgrep -u user')).text).toBe('');
    } finally {
      await world.close();
    }
  });

  it('odd places: whatever folder a user can write to', { timeout: 180_000 }, async () => {
    const world = await sandbox(['/']);
    try {
      await claim(world, FIRST);
      const find = 'find / -xdev -type d -writable -not -path "/proc/*" 2>/dev/null';
      await leave(world, { leave: `for d in $(${find}); do touch "$d/.odd-dirt"; done` });
      expect((await world.run('find / -xdev -name .odd-dirt | wc -l')).text).not.toBe('0');
      const outcome = await resetOrShut(world);
      if (outcome === 'clean') expect((await world.run('find / -xdev -name .odd-dirt')).text).toBe('');
      console.log(`odd places: ${outcome}`);
    } finally {
      await world.close();
    }
  });
});
