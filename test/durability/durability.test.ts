import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Durability, openStore } from '@sandbank/cluster';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { runOnSmallDisk, smallDiskMissing } from './disk-full.ts';
import { emptyJournal, faultsOf, record, snapshotOf } from './journal.ts';
import { type Files, filesAt, type Mercy } from './power-cut.ts';
import { random } from './random.ts';
import { writerFile } from './round.ts';
import { killRounds } from './rounds.ts';
import { syncOrderOf } from './sync-order.ts';
import { type Step, stepsOf, straceArguments } from './trace.ts';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'durability-'));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

const missing = await smallDiskMissing();
describe('G8 (a) after kill -9', { timeout: 240_000 }, () => {
  test('nothing acknowledged is lost, no revision goes back, no watch has a gap', async () => {
    const report = await killRounds(join(folder, 'store'), 15, 1);
    expect(report.faults).toEqual([]);
    expect(report.acknowledged).toBeGreaterThan(100);
    expect(report.cut).toBeGreaterThan(0);
  });

  test.skipIf(missing)(`also when the disk fills up${missing ? ` (skipped: ${missing})` : ''}`, async () => {
    const report = await runOnSmallDisk(join(folder, 'small'), 4, 1);
    expect(report.faults).toEqual([]);
    expect(report.refused).toBeGreaterThan(0);
    expect(report.acknowledgedAfterRoom).toBeGreaterThan(0);
  });
});

const noStrace = straceMissing();
describe.skipIf(noStrace)(
  `G8 as the kernel sees it${noStrace ? ` (skipped: ${noStrace})` : ''}`,
  { timeout: 240_000 },
  () => {
    test('(b) each acknowledgement comes after a sync of the log that came after the last write of its commit', async () => {
      const order = syncOrderOf((await traced('full')).steps);
      expect(order.acknowledged).toBe(120);
      expect(order.early).toEqual([]);
    });

    test('(b) the check finds the acknowledgements of a relaxed store, which come before any sync', async () => {
      const order = syncOrderOf((await traced('relaxed')).steps);
      expect(order.acknowledged).toBe(120);
      expect(order.early).toHaveLength(120);
    });

    test('(c) what a loss of power leaves opens with everything acknowledged', async () => {
      const { before, files, steps } = await traced('full');
      const said = steps.filter((step) => step.do === 'say');
      const coin = random(1);
      const cuts = said.filter((step) => step.text.startsWith('ack') && coin() < 0.1).map((step) => step.end + 1);
      expect(cuts.length).toBeGreaterThan(5);
      for (const cut of cuts) {
        for (const mercy of ['lost', 'torn', 'cut'] satisfies Mercy[]) {
          const left = await mkdtemp(join(folder, `${mercy}-`));
          const images = filesAt(cut, steps, files, mercy, coin);
          for (const name of ['store.db', 'store.db-wal'] as const) {
            const image = images[name];
            if (image) await writeFile(join(left, name), image);
          }
          const journal = emptyJournal();
          for (const step of said) if (step.end < cut) record(journal, step.text.trimEnd());
          // What is begun by the cut may be there; the trace says so a line later.
          for (const step of said) if (step.text.startsWith('try')) record(journal, step.text.trimEnd());
          await using store = await openStore({ folder: left });
          expect({ cut, mercy, faults: await faultsOf(store, before, journal) }).toEqual({ cut, mercy, faults: [] });
        }
      }
    });

    /** A store with something in it, its files, and the trace of a writer that then wrote 120 times. */
    async function traced(durability: Durability) {
      const data = join(folder, 'store');
      const store = await openStore({ folder: data });
      await store.txn({ type: 'create', key: '/own/0/0', value: 'before' });
      const before = snapshotOf(store);
      await store.close();
      const files: Files = { 'store.db': await readFile(join(data, 'store.db')), 'store.db-wal': undefined };
      expect(existsSync(join(data, 'store.db-wal'))).toBe(false);
      const output = join(folder, 'trace');
      const writer = [
        writerFile,
        '--folder',
        data,
        '--count',
        '120',
        '--writers',
        '6',
        '--only-puts',
        '--durability',
        durability,
      ];
      const child = spawn('strace', [...straceArguments(output), process.execPath, ...writer], {
        stdio: ['ignore', 'ignore', 'inherit'],
      });
      expect(await once(child, 'close')).toEqual([0, null]);
      const steps: Step[] = stepsOf(await readFile(output, 'latin1'));
      return { before, files, steps };
    }
  },
);

function straceMissing(): string | undefined {
  try {
    execFileSync('strace', ['-qq', '-e', 'trace=none', 'true'], { stdio: 'pipe' });
    return undefined;
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    return code === 'ENOENT' ? 'strace is not installed' : `strace may not trace here: ${message.split('\n')[0]}`;
  }
}
