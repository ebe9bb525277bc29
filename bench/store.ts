/** Durable puts per second of the embedded store, beside SQLite used plainly: one put, one transaction, one fsync. */
import { mkdtemp, rm, statfs } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { openStore } from '@sandbank/cluster';
import type { Benchmark, Experiment, Side } from './harness/definition.ts';
import { percentile } from './harness/statistics.ts';

const valueBytes = 2048;
const value = 'x'.repeat(valueBytes);
const keys = 2000;
const tmpfs = 0x0102_1994;

export const benchmark: Benchmark = {
  title: 'The store: durable puts',
  about:
    'Puts of 2 KiB, each acknowledged after its fsync: the store, where writers at once share one, and plain SQLite.',
  async missing() {
    const { type } = await statfs(tmpdir());
    return type === tmpfs
      ? `${tmpdir()} is a tmpfs, where an fsync costs nothing; set TMPDIR to a real disk`
      : undefined;
  },
  async prepare(run) {
    const folder = await mkdtemp(join(tmpdir(), 'bench-store-'));
    const store = await openStore({ folder: join(folder, 'store') });
    const plain = openPlain(join(folder, 'plain.db'));
    const ms = run.quick ? 500 : 2000;

    const ours =
      (atOnce: number): Side =>
      ({ signal }) =>
        measure(ms, atOnce, signal, async (n) => {
          await store.txn({ type: 'put', key: `/bench/${n % keys}`, value });
        });
    const theirs: Side = ({ signal }) => measure(ms, 1, signal, plain.put);

    const experiments = [1, 20, 100].map(
      (atOnce): Experiment => ({
        name: `${atOnce} at once`,
        figures: { rate: { unit: 'puts/s', better: 'higher' }, p99: { unit: 'ms', better: 'lower' } },
        sides: { store: ours(atOnce), sqlite: theirs },
        bars: atOnce === 1 ? [] : [{ figure: 'rate', side: 'store', against: 'sqlite', atLeast: 3 }],
      }),
    );
    return {
      experiments,
      settings: { valueBytes, keys, milliseconds: ms, sqlite: process.versions.sqlite },
      async close() {
        await store.close();
        plain.close();
        await rm(folder, { recursive: true });
      },
    };
  },
};

function openPlain(file: string) {
  const db = new DatabaseSync(file);
  db.exec(
    'PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; CREATE TABLE log (revision INTEGER PRIMARY KEY, key TEXT, value TEXT)',
  );
  const insert = db.prepare('INSERT INTO log (key, value) VALUES (?, ?)');
  return {
    put: async (n: number) => {
      insert.run(`/bench/${n % keys}`, value);
    },
    close: () => db.close(),
  };
}

async function measure(ms: number, atOnce: number, signal: AbortSignal, put: (n: number) => Promise<void>) {
  const times: number[] = [];
  const start = performance.now();
  let n = 0;
  const work = async () => {
    while (performance.now() - start < ms && !signal.aborted) {
      const begun = performance.now();
      await put(n++);
      times.push(performance.now() - begun);
    }
  };
  await Promise.all(Array.from({ length: atOnce }, work));
  return { rate: (times.length * 1000) / (performance.now() - start), p99: percentile(times, 99) };
}
