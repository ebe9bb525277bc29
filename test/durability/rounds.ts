/**
 * G8 (a): rounds of write, kill -9, restart, compare. Nothing acknowledged is lost, no revision goes back, no watch has a gap.
 *
 *   node test/durability/rounds.ts --rounds 1000 [--seed N] [--folder DIR]
 *
 * The last tenth of the rounds, and one at least, run on a disk that fills up (see disk-full.ts).
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { runOnSmallDisk, smallDiskMissing } from './disk-full.ts';
import type { Snapshot } from './journal.ts';
import { random } from './random.ts';
import { judge, startWriter } from './round.ts';

export interface RoundsReport {
  readonly rounds: number;
  readonly tried: number;
  readonly acknowledged: number;
  readonly seen: number;
  /** Writes that were under way at a kill. */
  readonly cut: number;
  readonly revision: number;
  readonly faults: readonly string[];
}

export async function killRounds(
  folder: string,
  rounds: number,
  seed: number,
  say = (_: string) => {},
): Promise<RoundsReport> {
  const draw = random(seed);
  const sum = { tried: 0, acknowledged: 0, seen: 0, cut: 0 };
  const faults: string[] = [];
  let before: Snapshot = { revision: 0, entries: new Map() };
  let first = 1;
  for (let round = 1; round <= rounds && faults.length === 0; round++) {
    const writer = startWriter(folder, first);
    // Mostly somewhere in the stream of writes; sometimes while it is starting, or recovering.
    if (draw() < 0.85) await writer.said('ack', 1 + Math.floor(draw() * 300));
    else await Promise.race([writer.ended, pause(draw() * 400)]);
    await writer.kill();
    const { journal } = writer;
    const { faults: found, after } = await judge(folder, before, journal, draw() < 0.5 ? 'copy' : 'in-place');
    faults.push(...found.map((fault) => `round ${round}, seed ${seed}: ${fault}`));
    sum.tried += journal.tries.size;
    sum.acknowledged += journal.acks.size;
    sum.seen += journal.seen.length;
    sum.cut += journal.tries.size - journal.acks.size - journal.denied.size;
    first = Math.max(first, ...journal.tries.keys()) + 1;
    before = after;
    if (round % 50 === 0) say(`${round} rounds, ${sum.acknowledged} acknowledged, ${faults.length} faults`);
  }
  return { rounds, ...sum, revision: before.revision, faults };
}

if (import.meta.main) {
  const { values } = parseArgs({
    options: {
      rounds: { type: 'string', default: '1000' },
      seed: { type: 'string', default: String(Date.now() % 1_000_000) },
      folder: { type: 'string' },
    },
  });
  const rounds = Number(values.rounds);
  const small = Math.max(1, Math.floor(rounds / 10));
  const folder = values.folder ?? (await mkdtemp(join(tmpdir(), 'durability-')));
  const report = await killRounds(join(folder, 'store'), rounds - small, Number(values.seed), console.log);
  console.log(JSON.stringify({ seed: Number(values.seed), ...report }, null, 2));
  const missing = await smallDiskMissing();
  const full = missing ? undefined : await runOnSmallDisk(join(folder, 'small'), small, Number(values.seed));
  console.log(full ? JSON.stringify({ diskFull: full }, null, 2) : `disk-full rounds not run: ${missing}`);
  await rm(folder, { recursive: true });
  process.exitCode = report.faults.length > 0 || !full || full.faults.length > 0 ? 1 : 0;
}
