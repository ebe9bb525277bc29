import { freePort, openWorld, type World } from '../world/world.ts';
import { Inspector } from './inspector.ts';

/** What a leak would show in: counted from outside, so that the runtime cannot be mistaken about itself. */
export interface Ledger {
  /** Open files of the runtime and of its helper. */
  readonly files: number;
  /** inotify watches that they hold. */
  readonly watches: number;
  /** Processes of the world, zombies included. */
  readonly processes: number;
  readonly zombies: number;
  /** Resident memory of the runtime and its helper. Printed, not judged: a heap keeps what it once had. */
  readonly rssMiB: number;
  /** Bytes that the runtime holds on to after a full collection. */
  readonly liveMiB: number;
  readonly timers: number;
  /** How often the runtime woke up in a second of idleness: a forgotten interval shows here. */
  readonly wakeUps: number;
}

/** The runtime is pid 1 of its world; its helper is whatever else the world had before any command ran. */
const COUNT = `
files=0; watches=0; rss=0; wake=0
for pid in $(pgrep -f 'runtime' -P 0,1; echo 1); do
  [ -d /proc/$pid ] || continue
  case "$seen" in *" $pid "*) continue;; esac; seen="$seen $pid "
  files=$((files + $(ls /proc/$pid/fd | wc -l)))
  watches=$((watches + $(cat /proc/$pid/fdinfo/* 2>/dev/null | grep -c '^inotify')))
  rss=$((rss + $(awk '/VmRSS/ {print $2}' /proc/$pid/status)))
done
before=$(awk '/^voluntary/ {print $2}' /proc/1/status); sleep 1; after=$(awk '/^voluntary/ {print $2}' /proc/1/status)
echo "$files $watches $(ps -e --no-headers | grep -vc -E ' (ps|grep|sh|sleep|pgrep)$') $(ps -eo stat= | grep -c '^Z') $rss $((after - before))"
`;

export interface SoakWorld extends World {
  readonly inspector: Inspector;
}

export async function openSoakWorld(): Promise<SoakWorld> {
  const port = await freePort();
  const world = await openWorld({
    args: ['--log-level', 'error'],
    env: { NODE_OPTIONS: `--inspect=127.0.0.1:${port}` },
  });
  const inspector = await Inspector.connect(port);
  const init = { method: 'POST', body: JSON.stringify({ defaultUser: 'user' }) };
  const answer = await fetch(`${world.url}/init`, init);
  if (answer.status !== 204) throw new Error(`/init answered ${answer.status}: ${await answer.text()}`);
  const close = async () => {
    inspector.close();
    await world.close();
  };
  return { ...world, inspector, close };
}

export async function takeLedger(world: SoakWorld): Promise<Ledger> {
  const { text } = await world.run(COUNT);
  const inside = await world.inspector.look();
  const [files, watches, processes, zombies, rss, wakeUps] = (text.split('\n').at(-1) ?? '').split(' ').map(Number);
  if (wakeUps === undefined || Number.isNaN(wakeUps)) throw new Error(`The world could not be counted: ${text}`);
  return {
    files: files ?? 0,
    watches: watches ?? 0,
    processes: processes ?? 0,
    zombies: zombies ?? 0,
    rssMiB: Math.round((rss ?? 0) / 102.4) / 10,
    wakeUps,
    ...inside,
  };
}

/** Asks again until nothing is left over: results of ended processes are kept for 30 s, connections need a moment. */
export async function settledLedger(world: SoakWorld, former: Ledger, marginMiB: number): Promise<Ledger> {
  let now = await takeLedger(world);
  for (let tries = 0; tries < 45 && leaks(former, now, marginMiB).length > 0; tries++) now = await takeLedger(world);
  return now;
}

/** In words, what there is more of than before. Live bytes may grow by `marginMiB`: compiled code and caches. */
export function leaks(before: Ledger, after: Ledger, marginMiB: number): string[] {
  const found: string[] = [];
  for (const kind of ['files', 'watches', 'processes', 'zombies', 'timers'] as const)
    if (after[kind] > before[kind])
      found.push(`${after[kind] - before[kind]} more ${kind} (${before[kind]} to ${after[kind]})`);
  if (after.wakeUps > before.wakeUps + 20)
    found.push(`wakes up ${after.wakeUps} times a second when idle, before ${before.wakeUps}`);
  if (after.liveMiB > before.liveMiB + marginMiB)
    found.push(`${(after.liveMiB - before.liveMiB).toFixed(1)} MiB more held (${before.liveMiB} to ${after.liveMiB})`);
  return found;
}
