/**
 * Rounds on a disk that fills up while the writer writes: every write then fails with `disk-full`, goes on when there is room
 * again, and nothing acknowledged is lost, whether the kill comes while the disk is full or after.
 *
 * The disk is a tmpfs of a few megabytes in a mount namespace of its own, which needs root or user namespaces.
 * `node disk-full.ts --inside DIR --rounds N --seed N` is what runs in there.
 */
import { execFile } from 'node:child_process';
import { closeSync, openSync, rmSync, writeSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { parseArgs, promisify } from 'node:util';
import { openStore } from '@sandbank/cluster';
import type { Snapshot } from './journal.ts';
import { random } from './random.ts';
import { judge, startWriter } from './round.ts';

const run = promisify(execFile);
const unshare = ['--mount', ...(process.getuid?.() === 0 ? [] : ['--map-root-user'])];

export interface DiskFullReport {
  readonly rounds: number;
  readonly acknowledged: number;
  /** Writes that were told that the disk is full. */
  readonly refused: number;
  readonly acknowledgedAfterRoom: number;
  /** Opens that were refused because there was no room to open. */
  readonly refusedOpens: number;
  readonly faults: readonly string[];
}

/** Why a small disk cannot be made here; undefined when it can. */
export async function smallDiskMissing(): Promise<string | undefined> {
  try {
    await run('unshare', [...unshare, 'sh', '-c', 'mount -t tmpfs -o size=1m tmpfs /mnt']);
    return undefined;
  } catch (error) {
    return `no mount namespace: ${(error as Error).message.trim().split('\n').at(-1)}`;
  }
}

export async function runOnSmallDisk(disk: string, rounds: number, seed: number): Promise<DiskFullReport> {
  await mkdir(disk, { recursive: true });
  const script = 'mount -t tmpfs -o size=8m tmpfs "$1" && exec "$2" "$3" --inside "$1" --rounds "$4" --seed "$5"';
  const inside = [disk, process.execPath, new URL(import.meta.url).pathname, String(rounds), String(seed)];
  const { stdout } = await run('unshare', [...unshare, 'sh', '-c', script, 'sh', ...inside]);
  return JSON.parse(stdout) as DiskFullReport;
}

async function diskFullRounds(disk: string, rounds: number, seed: number): Promise<DiskFullReport> {
  const draw = random(seed);
  const folder = join(disk, 'store');
  const sum = { acknowledged: 0, refused: 0, acknowledgedAfterRoom: 0, refusedOpens: 0 };
  const faults: string[] = [];
  let before: Snapshot = { revision: 0, entries: new Map() };
  let first = 1;
  for (let round = 1; round <= rounds && faults.length === 0; round++) {
    const writer = startWriter(folder, first);
    await writer.said('ack', 1 + Math.floor(draw() * 50));
    const ballast = fillUp(disk);
    await writer.said('fail', 1 + Math.floor(draw() * 50));
    const killedFull = draw() < 0.5;
    if (!killedFull) {
      const had = writer.journal.acks.size;
      ballast.remove();
      await writer.said('ack', 20);
      sum.acknowledgedAfterRoom += writer.journal.acks.size - had;
    }
    await writer.kill();
    if (killedFull) {
      sum.refusedOpens += await openOnFullDisk(folder, faults);
      ballast.remove();
    }
    const { journal } = writer;
    const codes = new Set([...journal.denied.values()].filter((code) => code !== 'precondition'));
    // Growing the shared-memory file of SQLite on a full disk is an I/O error, not "full".
    for (const code of codes) if (code !== 'disk-full' && code !== 'io') faults.push(`a write failed with ${code}`);
    if (!codes.has('disk-full')) faults.push('no write was told that the disk is full');
    const judged = await judge(folder, before, journal, draw() < 0.5 ? 'copy' : 'in-place');
    faults.push(...judged.faults.map((fault) => `disk-full round ${round}, seed ${seed}: ${fault}`));
    sum.acknowledged += journal.acks.size;
    sum.refused += [...journal.denied.values()].filter((code) => code !== 'precondition').length;
    first = Math.max(first, ...journal.tries.keys()) + 1;
    before = judged.after;
  }
  return { rounds, ...sum, faults };
}

/** It opens, or says that the disk is full; it does not call the store damaged. */
async function openOnFullDisk(folder: string, faults: string[]): Promise<number> {
  try {
    await (await openStore({ folder, onTrouble: () => {} })).close();
    return 0;
  } catch (error) {
    const { code, message } = error as { code?: string; message: string };
    if (code !== 'disk-full' && code !== 'io') faults.push(`opening on a full disk: ${code} ${message}`);
    return 1;
  }
}

function fillUp(disk: string): { remove(): void } {
  const file = join(disk, 'ballast');
  const handle = openSync(file, 'w');
  try {
    for (const size of [65536, 4096]) {
      const block = Buffer.alloc(size);
      try {
        while (writeSync(handle, block) === size);
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== 'ENOSPC') throw error;
      }
    }
  } finally {
    closeSync(handle);
  }
  return { remove: () => rmSync(file) };
}

if (import.meta.main) {
  const { values } = parseArgs({
    options: { inside: { type: 'string' }, rounds: { type: 'string' }, seed: { type: 'string' } },
  });
  if (!values.inside) throw new Error('This runs inside the namespace that runOnSmallDisk makes.');
  const report = await diskFullRounds(values.inside, Number(values.rounds), Number(values.seed));
  process.stdout.write(JSON.stringify(report));
}
