/**
 * The recorded exchanges of the original daemon, played against the runtime in their order. Status, headers, codes and
 * the shape and order of messages must agree, except where differences.ts says why not.
 */
import { afterAll, describe, expect, test } from 'vitest';
import { open, start, unary } from '../../runtime/wire.ts';
import { missingForWorlds } from '../../runtime/world/world.ts';
import { beforeProcessEntry } from './choreography.ts';
import { compareMessages, compareValue, toMessages } from './compare.ts';
import { WANTED } from './differences.ts';
import { Player } from './player.ts';
import { toRequest } from './recording.ts';
import { playWatch } from './watch-steps.ts';

const missing = missingForWorlds();

describe.skipIf(missing !== undefined)('recorded exchanges: http', () => {
  const player = new Player('http');
  afterAll(() => player.close());
  player.exchanges.forEach((exchange, index) => {
    test(exchange.title, { timeout: 20_000 }, async () => {
      await player.prepare(index);
      expectAgreed('http', exchange.title, await player.play(index));
    });
  });
});

describe.skipIf(missing !== undefined)('recorded exchanges: filesystem', () => {
  const player = new Player('filesystem');
  afterAll(() => player.close());
  const changes: Readonly<Record<string, string>> = {
    CreateWatcher: 'rm -rf /home/user/f/w; mkdir -p /home/user/f/w; chown user:user /home/user/f/w',
    'GetWatcherEvents after touch a; write a; mv a b; rm b':
      'cd /home/user/f/w; touch a; sleep 0.1; printf x >> a; sleep 0.1; mv a b; sleep 0.1; rm b',
    'GetWatcherEvents by another user': 'touch /home/user/f/w/c',
    'CreateWatcher recursive with includeEntry': 'rm -rf /home/user/f/w; mkdir -p /home/user/f/w/sub',
    'GetWatcherEvents recursive with entries': 'cd /home/user/f/w; touch sub/a; sleep 0.2; chmod 600 sub/a',
    'GetWatcherEvents after the watched dir was removed': 'rm -r /home/user/f/w',
    'CreateWatcher snake case field names accepted': 'mkdir -p /home/user/f/w',
  };
  player.exchanges.forEach((exchange, index) => {
    test(exchange.title, { timeout: 30_000 }, async () => {
      await player.prepare(index);
      const change = changes[exchange.title];
      if (change !== undefined) await player.world.run(`${change}; sleep 0.2`);
      if (exchange.response.steps !== undefined)
        return expectAgreed('filesystem', exchange.title, await playWatch(player, index));
      if (exchange.response.connection !== undefined) {
        const stream = open(player.world.url, toRequest(exchange.request, player.places.fill));
        await stream.until(() => stream.envelopes.length > 0);
        stream.cut();
        return expectAgreed(
          'filesystem',
          exchange.title,
          compareMessages(exchange.response.messages ?? [], toMessages(stream.envelopes), player.places),
        );
      }
      expectAgreed('filesystem', exchange.title, await player.play(index));
    });
  });
});

describe.skipIf(missing !== undefined)('recorded exchanges: process', () => {
  const player = new Player('process');
  afterAll(() => player.close());
  player.exchanges.forEach((exchange, index) => {
    test(exchange.title, { timeout: 60_000 }, async () => {
      await player.prepare(index);
      await beforeProcessEntry(player, index);
      const { response } = exchange;
      const judged = UNUSUAL[exchange.title];
      if (judged !== undefined) return judged(player, index);
      if (response.totalBytes !== undefined) return sizes(player, index);
      if (response.stdout !== undefined) return bothPipes(player, index);
      expectAgreed('process', exchange.title, await player.play(index));
    });
  });
});

test('every wanted difference is one of a recorded exchange', () => {
  const titles = (['http', 'process', 'filesystem'] as const).flatMap((name) =>
    new Player(name).exchanges.map(({ title }) => `${name}: ${title}`),
  );
  expect(Object.keys(WANTED).filter((key) => !titles.includes(key))).toEqual([]);
});

/** Entries whose answer is not a list of messages to compare. */
const UNUSUAL: Readonly<Record<string, (player: Player, index: number) => Promise<void>>> = {
  'Keepalive-Ping-Interval 0': survives,
  'Keepalive-Ping-Interval -1': survives,
  'CloseStdin again': async (player, index) => {
    const { status } = await open(
      player.world.url,
      toRequest(player.exchange(index).request, player.places.fill),
    ).answer();
    expect([200, 404]).toContain(status);
  },
  'Connect-Timeout-Ms 1': async (player, index) => {
    const stream = open(player.world.url, toRequest(player.exchange(index).request, player.places.fill));
    await stream.finished();
    expect(stream.messages.at(-1)).toMatchObject({ flags: 2, message: { error: { code: 'deadline_exceeded' } } });
  },
  'List: process still there': async (player, index) => {
    const answer = await open(player.world.url, toRequest(player.exchange(index).request, player.places.fill)).answer();
    const { processes } = JSON.parse(answer.body.toString()) as { processes: { tag?: string }[] };
    const wanted = player.exchange(index).response.body as { processes: { tag?: string }[] };
    const ct = (list: { tag?: string }[]) => list.filter(({ tag }) => tag === 'ct');
    expect(compareValue('ct', ct(wanted.processes), ct(processes), player.places)).toEqual([]);
  },
  'output is drained when nobody is connected (no blocking on a full pipe)': async (player, index) => {
    const stream = open(player.world.url, toRequest(player.exchange(index).request, player.places.fill));
    await stream.started();
    stream.cut();
    const output = await player.world.run(
      'for i in $(seq 100); do cat /home/user/p/drained 2>/dev/null && exit; sleep 0.1; done',
    );
    expect(output.text).toBe('finished');
  },
  'Start with Connect-Accept-Encoding gzip: messages may be compressed': async (player, index) => {
    const stream = open(player.world.url, toRequest(player.exchange(index).request, player.places.fill));
    await stream.finished();
    expect(toMessages(stream.envelopes).map(({ flags }) => flags & 2)).toEqual([0, 0, 0, 2]);
  },
  'selection by tag while six processes with different tags run': async (player) => {
    const { url } = player.world;
    const tags = Array.from({ length: 6 }, (_, index) => `tag${index}`);
    const running = await Promise.all(tags.map((tag) => start(url, 'sleep', ['20'], { tag })));
    const answers = await Promise.all(
      tags.flatMap((tag) =>
        Array.from({ length: 10 }, () => unary(url, '/process.Process/Update', { process: { tag } })),
      ),
    );
    expect(answers.map(({ status }) => status)).toEqual(Array(60).fill(200));
    for (const { pid } of running)
      await unary(url, '/process.Process/SendSignal', { process: { pid }, signal: 'SIGNAL_SIGKILL' });
  },
};

async function survives(player: Player, index: number): Promise<void> {
  const stream = open(player.world.url, toRequest(player.exchange(index).request, player.places.fill));
  await stream.finished();
  expect(stream.messages.at(-1)).toEqual({ flags: 2, message: {} });
  expect(stream.closed).toBe('ended');
}

async function sizes(player: Player, index: number): Promise<void> {
  const { response, request } = player.exchange(index);
  const stream = open(player.world.url, toRequest(request, player.places.fill));
  await stream.finished();
  const kind = response.first === undefined ? 'pty' : 'stdout';
  expect(stream.output(kind).length).toBe(response.totalBytes);
  const chunks = stream.messages.map(
    ({ message }) =>
      Buffer.from((message as { event?: { data?: Record<string, string> } }).event?.data?.[kind] ?? '', 'base64')
        .length,
  );
  expect(Math.max(...chunks)).toBeLessThanOrEqual(kind === 'pty' ? 16_384 : 32_768);
  expect(stream.messages.at(-1)).toEqual({ flags: 2, message: {} });
}

async function bothPipes(player: Player, index: number): Promise<void> {
  const { response, request } = player.exchange(index);
  const stream = open(player.world.url, toRequest(request, player.places.fill));
  await stream.finished();
  expect(stream.output('stdout').toString()).toBe(response.stdout);
  expect(stream.output('stderr').toString()).toBe(response.stderr);
}

function expectAgreed(file: string, title: string, differences: readonly string[]): void {
  const wanted = WANTED[`${file}: ${title}`];
  if (wanted === undefined && differences.length > 0) throw new Error(differences.join('\n'));
  if (wanted !== undefined)
    expect(differences.length, `"${title}" agrees: take it out of differences.ts`).toBeGreaterThan(0);
}
