/**
 * One measurement of one side in a process of its own, so that memory and stalls are that side's alone.
 * The task comes as JSON in the first argument; the figures go to the parent as a message.
 */
import { once } from 'node:events';
import { metered } from './loop-meter.ts';
import { type Objects, type SideName, sides } from './sides.ts';

export type Task =
  | {
      readonly do: 'patch';
      readonly side: SideName;
      readonly atOnce: number;
      readonly ms: number;
      readonly names: number;
    }
  | {
      readonly do: 'patch-all';
      readonly side: SideName;
      readonly atOnce: number;
      readonly names: number;
      readonly value: string;
      readonly times: number;
    }
  | { readonly do: 'sync'; readonly side: SideName; readonly objects: Objects; readonly count: number }
  | { readonly do: 'idle'; readonly ms: number }
  | { readonly do: 'follow'; readonly side: SideName; readonly names: number };

/** From the parent while following: report when all objects have the value. */
export interface Expect {
  readonly value: string;
  readonly events: number;
}

export type Figures = Readonly<Record<string, number>>;

async function patch({ side, atOnce, ms, names }: Extract<Task, { do: 'patch' }>): Promise<Figures> {
  const patcher = await sides[side].patcher(atOnce);
  let done = 0;
  const worker = async (number: number, until: number) => {
    for (let i = 0; performance.now() < until; i++) {
      await patcher.patch(`object-${(number + i * atOnce) % names}`, `${number}-${i}`);
      done++;
    }
  };
  const run = (length: number) =>
    Promise.all(Array.from({ length: atOnce }, (_, number) => worker(number, performance.now() + length)));
  await run(Math.min(500, ms / 2)); // connections are made, code is warm
  done = 0;
  const from = performance.now();
  await run(ms);
  const rate = done / ((performance.now() - from) / 1000);
  await patcher.close();
  return { rate };
}

async function patchAll({ side, atOnce, names, value, times }: Extract<Task, { do: 'patch-all' }>): Promise<Figures> {
  const patcher = await sides[side].patcher(atOnce);
  for (let round = 1; round <= times; round++) {
    let next = 0;
    const worker = async () => {
      while (next < names) await patcher.patch(`object-${next++}`, round === times ? value : `${value}-${round}`);
    };
    await Promise.all(Array.from({ length: atOnce }, worker));
  }
  await patcher.close();
  return {};
}

async function sync({ side, objects, count }: Extract<Task, { do: 'sync' }>): Promise<Figures> {
  const from = performance.now();
  const [mirror, delay] = await metered(() => sides[side].mirror(objects, () => {}));
  const ms = performance.now() - from;
  if (mirror.size !== count) throw new Error(`${side} has ${mirror.size} of ${count} objects`);
  const rss = process.memoryUsage().rss / 2 ** 20;
  await mirror.stop();
  return { ms, rate: count / (ms / 1000), stall: delay.longestMs, p999: delay.p999Ms, rss };
}

async function idle({ ms }: Extract<Task, { do: 'idle' }>): Promise<Figures> {
  const [, delay] = await metered(() => new Promise((resolve) => setTimeout(resolve, ms)));
  return { stall: delay.longestMs, p999: delay.p999Ms };
}

/** Follows changes until the parent has what it waits for; counts what was seen, and what was seen twice. */
async function follow({ side, names }: Extract<Task, { do: 'follow' }>): Promise<Figures> {
  const versions = new Set<string>();
  let doubled = 0;
  let events = 0;
  const mirror = await sides[side].mirror('configmaps', (name, version) => {
    const id = `${name} ${version}`;
    if (versions.has(id)) doubled++;
    versions.add(id);
    events++;
  });
  const cpuBefore = process.cpuUsage();
  const first = performance.now();
  process.send?.({ ready: true });
  const [expect] = (await once(process, 'message')) as [Expect];
  const all = Array.from({ length: names }, (_, number) => `object-${number}`);
  while (!all.every((name) => mirror.valueOf(name) === expect.value))
    await new Promise((resolve) => setTimeout(resolve, 5));
  const cpu = process.cpuUsage(cpuBefore);
  const seconds = (performance.now() - first) / 1000;
  const cpuSeconds = (cpu.user + cpu.system) / 1e6;
  await mirror.stop();
  return { seconds, doubled, missed: Math.max(0, expect.events - versions.size), perCpuSecond: events / cpuSeconds };
}

const task = JSON.parse(process.argv[2] ?? '{}') as Task;
// As our own command starts; the others run as their documentation says.
if ('side' in task && task.side === 'sandbank') await import('@sandbank/kube/short-pauses');
const work = { patch, 'patch-all': patchAll, sync, idle, follow } as Record<string, (task: Task) => Promise<Figures>>;
const figures = await work[task.do]?.(task);
process.send?.({ figures });
process.disconnect?.();
process.exit(0);
