import { basic, json, type Stream, start, stream, unary } from '../wire.ts';
import type { World } from '../world/world.ts';

export interface Counts {
  readonly concurrent: number;
  readonly short: number;
  readonly watchers: number;
  readonly connects: number;
}

export const FULL: Counts = { concurrent: 200, short: 10_000, watchers: 1000, connects: 10_000 };
export const SHORT: Counts = { concurrent: 50, short: 300, watchers: 100, connects: 300 };

export interface Phase {
  readonly name: string;
  run(world: World): Promise<void>;
}

export function phases(counts: Counts): Phase[] {
  return [
    {
      name: `${counts.concurrent} processes at once, each with output`,
      run: (world) => concurrent(world, counts.concurrent),
    },
    { name: `${counts.short} short processes`, run: (world) => short(world, counts.short) },
    { name: `${counts.watchers} watchers`, run: (world) => watchers(world, counts.watchers) },
    { name: `${counts.connects} connects and disconnects`, run: (world) => connects(world, counts.connects) },
  ];
}

/** Runs `count` pieces of work, `width` at a time. */
async function inParallel(count: number, width: number, work: (index: number) => Promise<void>): Promise<void> {
  let next = 0;
  const lane = async () => {
    for (let index = next++; index < count; index = next++) await work(index);
  };
  await Promise.all(Array.from({ length: Math.min(width, count) }, lane));
}

function expectOutput(one: Stream, wanted: number, what: string): void {
  const seen = one.output('stdout').length;
  const last = one.messages.at(-1);
  if (seen !== wanted || JSON.stringify(last) !== '{"flags":2,"message":{}}')
    throw new Error(`${what}: ${seen} bytes of ${wanted}, ended by ${JSON.stringify(last)}`);
}

/** All run at the same time: none may end before all have started. */
async function concurrent({ url }: World, count: number): Promise<void> {
  const script = 'read -r go; head -c 100000 /dev/zero; echo -n end';
  const running: Stream[] = [];
  await inParallel(count, 20, async () => {
    running.push(await start(url, '/bin/bash', ['-c', script], { stdin: true }));
  });
  const { processes = [] } = json(await unary(url, '/process.Process/List', {})) as { processes?: unknown[] };
  if (processes.length < count) throw new Error(`${processes.length} of ${count} processes run at once.`);
  await inParallel(count, 50, async (index) => {
    const input = { process: { pid: running[index]?.pid }, input: { stdin: 'Z28K' } };
    const answer = await unary(url, '/process.Process/SendInput', input);
    if (answer.status !== 200) throw new Error(`SendInput answered ${answer.status}: ${answer.body}`);
  });
  await Promise.all(running.map((one) => one.finished()));
  for (const one of running) expectOutput(one, 100_003, 'a concurrent process');
}

async function short({ url }: World, count: number): Promise<void> {
  await inParallel(count, 24, async (index) => {
    const text = `number ${index}\n`;
    const one = await start(url, '/bin/echo', [text.trim()], { stdin: false });
    await one.finished();
    expectOutput(one, text.length, `short process ${index}`);
  });
}

/** Half by id, half by stream; each must tell of a change in its own folder. */
async function watchers({ url, run }: World, count: number): Promise<void> {
  await run(`mkdir -p /tmp/soak; cd /tmp/soak; seq 1 ${count} | xargs mkdir -p`);
  const ids: { id: string; folder: string }[] = [];
  const streams: Stream[] = [];
  await inParallel(count, 20, async (index) => {
    const path = `/tmp/soak/${index + 1}`;
    if (index % 2 === 0) {
      const answer = await unary(url, '/filesystem.Filesystem/CreateWatcher', { path }, basic('user'));
      ids.push({ id: (json(answer) as { watcherId: string }).watcherId, folder: path });
    } else {
      const opened = stream(url, '/filesystem.Filesystem/WatchDir', { path }, basic('user'));
      await opened.until(() => opened.envelopes.length > 0);
      streams.push(opened);
    }
  });
  await run(`cd /tmp/soak; for d in *; do mkdir $d/made; done`);
  await Promise.all(streams.map((one) => one.until(() => JSON.stringify(one.messages).includes('made'))));
  await inParallel(ids.length, 20, async (index) => {
    const watcherId = ids[index]?.id;
    for (let tries = 0; ; tries++) {
      const answer = await unary(url, '/filesystem.Filesystem/GetWatcherEvents', { watcherId });
      if (answer.body.includes('made')) break;
      if (tries > 500) throw new Error(`Watcher of ${ids[index]?.folder} told nothing: ${answer.body}`);
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
    await unary(url, '/filesystem.Filesystem/RemoveWatcher', { watcherId });
  });
  for (const one of streams) one.cut();
  await run('rm -rf /tmp/soak');
}

/** Clients that come and go; the process must neither notice nor slow down. */
async function connects({ url }: World, count: number): Promise<void> {
  const target = await start(url, '/bin/bash', ['-c', 'while read -r line; do echo "$line"; done'], { stdin: true });
  await inParallel(count, 24, async (index) => {
    const one = stream(url, '/process.Process/Connect', { process: { pid: target.pid } });
    await one.started();
    // Every way to go: at once, in the middle of output, after output.
    if (index % 3 === 1)
      await unary(url, '/process.Process/SendInput', { process: { pid: target.pid }, input: { stdin: 'eAo=' } });
    if (index % 3 === 2) await unary(url, '/process.Process/List', {});
    one.cut();
  });
  await unary(url, '/process.Process/CloseStdin', { process: { pid: target.pid } });
  await target.finished();
  const wanted = Math.floor((count + 1) / 3) * 2;
  expectOutput(target, wanted, 'the process that all connected to');
}
