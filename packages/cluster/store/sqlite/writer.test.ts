import { mkdtemp, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Worker } from 'node:worker_threads';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { StoreError } from '../errors.ts';
import { openStore } from '../open.ts';
import { spawnWriter } from './sqlite-log.ts';

// Each test waits for real syncs of a disk that others may be using.
vi.setConfig({ testTimeout: 60_000, hookTimeout: 60_000 });

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'store-'));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

test('a writer thread that dies is replaced; every write under way is kept and acknowledged, or neither', async () => {
  const workers: Worker[] = [];
  const trouble: StoreError[] = [];
  await using store = await openStore({
    folder,
    onTrouble: (error) => trouble.push(error),
    spawn: (options) => {
      const worker = spawnWriter(options);
      workers.push(worker);
      return worker;
    },
  });
  const kept = new Map<string, number>();
  const lost = new Set<string>();
  for (let round = 0; round < 5; round++) {
    const writes = Array.from({ length: 30 }, async (_, i) => {
      for (const key of [`/${round}/${i}/a`, `/${round}/${i}/b`]) {
        try {
          const outcome = await store.txn({ type: 'create', key, value: 'x'.repeat(5000) });
          if (outcome.ok) kept.set(key, outcome.revision);
        } catch (error) {
          expect(error).toMatchObject({ code: 'writer-crashed' });
          lost.add(key);
        }
      }
    });
    // Let some rounds get as far as the commit, and cut others before it.
    if (round % 2 === 0) await store.txn({ type: 'create', key: `/${round}/first`, value: '' }).catch(() => {});
    await workers.at(-1)?.terminate();
    await Promise.all(writes);
  }
  expect(await store.txn({ type: 'create', key: '/after', value: '' })).toMatchObject({ ok: true });
  expect(workers).toHaveLength(6);
  expect(trouble.map((error) => error.code)).toEqual(Array(5).fill('writer-crashed'));
  expect(kept.size + lost.size).toBe(300);

  await store.close();
  await using again = await openStore({ folder });
  for (const [key, revision] of kept) expect(again.get(key)?.revision).toBe(revision);
  for (const key of lost) expect(again.get(key)).toBeUndefined();
});

test('when the writer cannot be replaced, writes are refused and reads go on', async () => {
  let worker: Worker | undefined;
  const trouble = Promise.withResolvers<StoreError>();
  const store = await openStore({
    folder,
    onTrouble: trouble.resolve,
    spawn: (options) => {
      worker = spawnWriter(worker ? { ...options, file: join(folder, 'nowhere', 'store.db') } : options);
      return worker;
    },
  });
  await store.txn({ type: 'create', key: '/a', value: '1' });
  await worker?.terminate();
  expect(await trouble.promise).toMatchObject({ code: 'unknown-outcome' });
  await expect(store.txn({ type: 'create', key: '/b', value: '1' })).rejects.toMatchObject({ code: 'unknown-outcome' });
  expect(store.get('/a')?.value).toBe('1');
  await store.close();
  await using again = await openStore({ folder });
  expect(again.get('/a')?.value).toBe('1');
});

test('the files stay bounded while the same keys are written over and over', async () => {
  await using store = await openStore({ folder, history: { bytes: 1_000_000 } });
  const value = 'x'.repeat(20_000);
  const round = () =>
    Promise.all(Array.from({ length: 50 }, (_, i) => store.txn({ type: 'put', key: `/${i}`, value })));
  for (let i = 0; i < 40; i++) {
    await round();
    store.compact(store.compacted);
  }
  const size = async (name: string) => (await stat(join(folder, name))).size;
  // 40 MB have been written; the log keeps at most a checkpoint's worth, the database what is live and kept.
  expect(await size('store.db-wal')).toBeLessThan(15_000_000);
  expect(await size('store.db')).toBeLessThan(15_000_000);
});
