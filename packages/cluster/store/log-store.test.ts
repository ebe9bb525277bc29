import { expect, test } from 'vitest';
import { StoreError } from './errors.ts';
import type { Log, Row } from './log.ts';
import { LogStore } from './log-store.ts';
import { memoryLog } from './memory-log.ts';

/** A log whose commits end when, and how, the test says. */
function heldLog() {
  const log = memoryLog();
  const commits: { rows: readonly Row[]; keep(): void; fail(): void }[] = [];
  let arrived = Promise.withResolvers<void>();
  const held: Log = {
    ...log,
    async append(rows) {
      const end = Promise.withResolvers<void>();
      commits.push({
        rows,
        keep: () => end.resolve(),
        fail: () => end.reject(new StoreError('disk-full', 'The disk is full.')),
      });
      arrived.resolve();
      await end.promise;
      await log.append(rows);
    },
  };
  return {
    log: held,
    async commit() {
      await arrived.promise;
      const first = commits.shift();
      if (!first) throw new Error('no commit is waiting');
      if (commits.length === 0) arrived = Promise.withResolvers();
      return first;
    },
  };
}

test('nothing is seen before it is durable', async () => {
  const { log, commit } = heldLog();
  const store = await LogStore.open(log);
  const watch = store.watch('/');
  const event = watch.next();
  const write = store.txn({ type: 'create', key: '/a', value: '1' });
  const first = await commit();
  expect(store.get('/a')).toBeUndefined();
  expect(store.revision).toBe(0);
  expect(store.list('/').entries).toEqual([]);
  expect(await Promise.race([event, write, 'nothing'])).toBe('nothing');
  first.keep();
  expect(await write).toMatchObject({ ok: true, revision: 1 });
  expect((await event).value).toMatchObject([{ revision: 1, key: '/a' }]);
});

test('a refusal is not answered from a write that may still fail', async () => {
  const { log, commit } = heldLog();
  const store = await LogStore.open(log);
  const first = store.txn({ type: 'create', key: '/a', value: 'first' });
  const second = store.txn({ type: 'create', key: '/a', value: 'second' });
  (await commit()).fail();
  await expect(first).rejects.toMatchObject({ code: 'disk-full' });
  const retried = await commit();
  expect(retried.rows).toMatchObject([{ revision: 1, value: 'second' }]);
  retried.keep();
  expect(await second).toMatchObject({ ok: true, revision: 1 });
});

test('a commit that fails fails its writers, and the ones behind it go on', async () => {
  const { log, commit } = heldLog();
  const store = await LogStore.open(log);
  const failing = ['/a', '/b'].map((key) => store.txn({ type: 'create', key, value: key }));
  const first = await commit();
  const behind = ['/c', '/d'].map((key) => store.txn({ type: 'create', key, value: key }));
  first.fail();
  for (const write of failing) await expect(write).rejects.toMatchObject({ code: 'disk-full' });
  (await commit()).keep();
  expect(await Promise.all(behind)).toMatchObject([
    { ok: true, revision: 1 },
    { ok: true, revision: 2 },
  ]);
  expect(store.list('/').entries.map((entry) => entry.key)).toEqual(['/c', '/d']);
});

test('closing waits for the writes that were begun', async () => {
  const { log, commit } = heldLog();
  const store = await LogStore.open(log);
  const begun = [store.txn({ type: 'create', key: '/a', value: '1' })];
  const first = await commit();
  begun.push(store.txn({ type: 'create', key: '/b', value: '1' }));
  const closed = store.close();
  first.keep();
  (await commit()).keep();
  await closed;
  expect(await Promise.all(begun)).toMatchObject([{ ok: true }, { ok: true }]);
});

test('a commit is bounded, so that one failure fails few', async () => {
  const { log, commit } = heldLog();
  const store = await LogStore.open(log);
  const big = 'x'.repeat(1024 * 1024);
  const writes = Array.from({ length: 6 }, (_, i) => store.txn({ type: 'create', key: `/${i}`, value: big }));
  const first = await commit();
  expect(first.rows).toHaveLength(4);
  first.keep();
  (await commit()).keep();
  expect((await Promise.all(writes)).every((outcome) => outcome.ok)).toBe(true);
});
