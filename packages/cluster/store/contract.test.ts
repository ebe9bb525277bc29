import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { LogStore, type LogStoreOptions } from './log-store.ts';
import { memoryLog } from './memory-log.ts';
import { openStore } from './open.ts';
import type { Entry, Outcome, Store, StoreEvent, Write } from './store.ts';

// Each test waits for real syncs of a disk that others may be using.
vi.setConfig({ testTimeout: 60_000, hookTimeout: 60_000 });

/** Something that can be opened again and again, and then holds what it held. */
interface Subject {
  open(options?: LogStoreOptions): Promise<Store>;
  remove(): Promise<void>;
}

const subjects: [string, () => Promise<Subject>][] = [
  [
    'in memory',
    async () => {
      const log = memoryLog();
      return { open: (options) => LogStore.open(log, options), remove: async () => {} };
    },
  ],
  [
    'on disk',
    async () => {
      const folder = await mkdtemp(join(tmpdir(), 'store-'));
      return {
        open: (options) => openStore({ folder, ...options }),
        remove: () => rm(folder, { recursive: true }),
      };
    },
  ],
];

describe.each(subjects)('the store %s', (where, make) => {
  let subject: Subject;
  let store: Store;
  beforeEach(async () => {
    subject = await make();
    store = await subject.open();
  });
  afterEach(async () => {
    await store.close();
    await subject.remove();
  });

  const create = (key: string, value = key) => store.txn({ type: 'create', key, value });
  const put = (key: string, value: string, ifRevision?: number) => store.txn({ type: 'put', key, value, ifRevision });
  const remove = (key: string, ifRevision?: number) => store.txn({ type: 'delete', key, ifRevision });

  test('a write is seen by its writer, at the next revision', async () => {
    expect(await create('/a', '1')).toEqual({ ok: true, revision: 1, entry: { key: '/a', value: '1', revision: 1 } });
    expect(store.get('/a')).toEqual({ key: '/a', value: '1', revision: 1 });
    expect(store.revision).toBe(1);
  });

  test('each precondition lets through, and refuses with what it was compared with', async () => {
    await create('/a', '1');
    const current = store.get('/a');
    expect(await create('/a', '2')).toEqual({ ok: false, current });
    expect(await put('/a', '2', 9)).toEqual({ ok: false, current });
    expect(await remove('/a', 9)).toEqual({ ok: false, current });
    expect(await put('/none', 'x', 1)).toEqual({ ok: false, current: undefined });
    expect(await remove('/none')).toEqual({ ok: false, current: undefined });
    expect(store.revision).toBe(1);
    expect(await put('/a', '2', 1)).toMatchObject({ ok: true, revision: 2, previous: { value: '1' } });
    expect(await put('/b', 'new')).toMatchObject({ ok: true, revision: 3 });
    expect(await remove('/a', 2)).toEqual({ ok: true, revision: 4, previous: { key: '/a', value: '2', revision: 2 } });
    expect(store.get('/a')).toBeUndefined();
  });

  test('of many writers with the same precondition one wins, and the others see the winner', async () => {
    await create('/a', '0');
    const outcomes = await Promise.all(Array.from({ length: 20 }, (_, i) => put('/a', `${i}`, 1)));
    expect(outcomes.filter((outcome) => outcome.ok)).toHaveLength(1);
    for (const outcome of outcomes) if (!outcome.ok) expect(outcome.current).toBe(store.get('/a'));
  });

  test('writers of different keys share a commit', async () => {
    await Promise.all(Array.from({ length: 50 }, (_, i) => create(`/k/${i}`)));
    expect(store.stats()).toMatchObject({ writes: 50, commits: 1 });
  });

  test('a value may carry its own revision', async () => {
    await store.txn({ type: 'create', key: '/a', value: (revision) => `{"resourceVersion":"${revision}"}` });
    expect(store.get('/a')?.value).toBe('{"resourceVersion":"1"}');
  });

  test('a value that cannot be made fails its writer alone', async () => {
    const broken = store.txn({
      type: 'create',
      key: '/a',
      value: () => {
        throw new Error('no');
      },
    });
    const lone = create('/b', 'x\ud800');
    const good = create('/c');
    await expect(broken).rejects.toThrow('no');
    await expect(lone).rejects.toMatchObject({ code: 'bad-input' });
    expect(await good).toMatchObject({ ok: true, revision: 1 });
    await expect(create('')).rejects.toMatchObject({ code: 'bad-input' });
    expect(await create('/a')).toMatchObject({ ok: true });
  });

  test('text comes back as it was, whatever is in it', async () => {
    const odd = ['', '\0', 'a\0b', 'ÿ', '漢字', '😀', '"\\\n', 'x'.repeat(100_000)];
    await Promise.all(odd.map((value, i) => create(`/${i}\0ü😀`, value)));
    await store.close();
    store = await subject.open();
    expect(odd.map((_, i) => store.get(`/${i}\0ü😀`)?.value)).toEqual(odd);
  });

  test('pages of a list show one instant, whatever is written between them', async () => {
    for (const key of ['/p/a', '/p/c', '/p/e', '/p/g', '/q']) await create(key);
    const first = store.list('/p/', { limit: 2 });
    expect(first).toMatchObject({ revision: 5, remaining: 2 });
    await remove('/p/e');
    await put('/p/g', 'changed');
    await create('/p/d');
    await create('/p/z');
    const second = store.list('/p/', { limit: 1, continue: first.continue });
    expect(second.entries).toEqual([{ key: '/p/e', value: '/p/e', revision: 3 }]);
    expect(second).toMatchObject({ revision: 5, remaining: 1 });
    const third = store.list('/p/', { limit: 1, continue: second.continue });
    expect(third.entries).toEqual([{ key: '/p/g', value: '/p/g', revision: 4 }]);
    expect(third.continue).toBeUndefined();
    expect(store.list('/p/').entries.map((entry) => entry.key)).toEqual(['/p/a', '/p/c', '/p/d', '/p/g', '/p/z']);
    expect(store.count('/p/')).toBe(5);
  });

  test('a bad token, limit or revision is refused', async () => {
    await create('/p/a');
    await create('/p/b');
    const token = store.list('/p/', { limit: 1 }).continue;
    const failing = (read: () => unknown, code: string) =>
      expect(read).toThrow(expect.objectContaining({ name: 'StoreError', code }));
    failing(() => store.list('/other/', { continue: token }), 'bad-continue');
    failing(() => store.list('/p/', { continue: 'nonsense' }), 'bad-continue');
    failing(() => store.list('/p/', { limit: 0 }), 'bad-input');
    failing(() => store.list('/p/', { revision: 99 }), 'future-revision');
    failing(() => store.watch('/p/', { after: 99 }), 'future-revision');
    failing(() => store.watch('/p/', { after: -1 }), 'bad-input');
    failing(() => store.compact(99), 'future-revision');
  });

  test('a watch gives what happened, then what happens', async () => {
    await create('/p/a', '1');
    await create('/q', 'other');
    const watch = store.watch('/p/', { after: 0 });
    const first: Entry = { key: '/p/a', value: '1', revision: 1 };
    expect((await watch.next()).value).toEqual([
      { revision: 1, type: 'create', key: '/p/a', entry: first, previous: undefined },
    ]);
    const next = watch.next();
    await put('/p/a', '2');
    const second: Entry = { key: '/p/a', value: '2', revision: 3 };
    expect((await next).value).toEqual([{ revision: 3, type: 'update', key: '/p/a', entry: second, previous: first }]);
    await remove('/p/a');
    expect((await watch.next()).value).toEqual([
      { revision: 4, type: 'delete', key: '/p/a', entry: undefined, previous: second },
    ]);
    const waiting = watch.next();
    await create('/q2');
    expect(watch.revision).toBe(5);
    await watch.return();
    expect(await waiting).toEqual({ done: true, value: undefined });
  });

  test('a watch ends by its signal, and with the store', async () => {
    const abort = new AbortController();
    const aborted = store.watch('/', { signal: abort.signal });
    const waiting = aborted.next();
    abort.abort();
    expect((await waiting).done).toBe(true);
    const parked = store.watch('/').next();
    const away = store.watch('/');
    expect(store.stats().watches).toBe(2);
    const refused = expect(parked).rejects.toMatchObject({ code: 'closed' });
    await store.close();
    await refused;
    await expect(away.next()).rejects.toMatchObject({ code: 'closed' });
    await expect(create('/late')).rejects.toMatchObject({ code: 'closed' });
    expect((await away.next()).done).toBe(true);
  });

  test('what is compacted can be neither listed nor watched, and the rest can', async () => {
    for (let i = 1; i <= 5; i++) await put('/a', `${i}`);
    await remove('/a');
    store.compact(3);
    for (const again of [false, true]) {
      if (again) {
        await store.close();
        store = await subject.open();
      }
      expect(() => store.list('/', { revision: 2 })).toThrow(expect.objectContaining({ code: 'compacted' }));
      expect(() => store.watch('/', { after: 2 })).toThrow(expect.objectContaining({ code: 'compacted' }));
      expect(store.list('/', { revision: 3 }).entries).toEqual([{ key: '/a', value: '3', revision: 3 }]);
      const events = (await store.watch('/', { after: 3 }).next()).value;
      expect(events?.map((event) => [event.revision, event.previous?.value])).toEqual([
        [4, '3'],
        [5, '4'],
        [6, '5'],
      ]);
      expect(store.revision).toBe(6);
    }
  });

  test('history is dropped by size, and a watch that does not read then ends, while memory stays bounded', async () => {
    await store.close();
    store = await subject.open({ history: { bytes: 20_000 } });
    const slow = store.watch('/');
    const live = store.watch('/');
    const seen: number[] = [];
    const reading = (async () => {
      for await (const events of live) for (const event of events) seen.push(event.revision);
    })();
    for (let i = 0; i < 60; i++) await put('/a', 'x'.repeat(1000));
    expect(store.stats().historyBytes).toBeLessThanOrEqual(20_000);
    await expect(slow.next()).rejects.toMatchObject({ code: 'compacted' });
    expect((await slow.next()).done).toBe(true);
    await live.return();
    await reading;
    expect(seen).toEqual(Array.from({ length: 60 }, (_, i) => i + 1));
  });

  test('history is dropped by age', async () => {
    await store.close();
    let now = 1_000_000;
    let tick = () => {};
    const clock = {
      now: () => now,
      monotonic: () => now,
      after: (_ms: number, callback: () => void) => {
        tick = callback;
        return () => {};
      },
    };
    store = await subject.open({ clock, history: { ageMs: 1000 } });
    await put('/a', '1');
    now += 600;
    await put('/a', '2');
    now += 600;
    tick();
    expect(store.compacted).toBe(1);
    await store.close();
    now += 600;
    store = await subject.open({ clock, history: { ageMs: 1000 } });
    expect(store).toMatchObject({ compacted: 2, revision: 2 });
    expect(store.get('/a')?.value).toBe('2');
  });

  test('behaves as the model in any history', { timeout: 120_000 }, async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 40 }), async (steps) => {
        const fresh = await make();
        const run = new ModelRun(fresh, await fresh.open());
        try {
          for (const one of steps) await run.step(one);
          await run.check();
        } finally {
          await run.store.close();
          await fresh.remove();
        }
      }),
      { numRuns: where === 'on disk' ? 25 : 300 },
    );
  });
});

type Step =
  | { do: 'write'; writes: { type: Write['type']; key: number; guard: 'none' | 'right' | 'wrong' }[] }
  | { do: 'list'; at: number; limit: number; prefix: number }
  | { do: 'watch'; at: number; prefix: number }
  | { do: 'compact'; at: number }
  | { do: 'reopen' };

const prefixes = ['', '/a/', '/b/', '/a/1', '/c/'];
const keys = ['/a/1', '/a/10', '/a/2', '/b/1', '/b/2', '/a'];
const fraction = fc.double({ min: 0, max: 1, noNaN: true });
const prefix = fc.nat(prefixes.length - 1);
const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({
      do: fc.constant('write' as const),
      writes: fc.array(
        fc.record({
          type: fc.constantFrom('create' as const, 'put' as const, 'delete' as const),
          key: fc.nat(keys.length - 1),
          guard: fc.constantFrom('none' as const, 'right' as const, 'wrong' as const),
        }),
        { minLength: 1, maxLength: 6 },
      ),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      do: fc.constant('list' as const),
      at: fraction,
      limit: fc.integer({ min: 1, max: 4 }),
      prefix,
    }),
  },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('watch' as const), at: fraction, prefix }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('compact' as const), at: fraction }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('reopen' as const) }) },
);

/** The model: every state there has been, by revision. Revision r is states[r]. */
class ModelRun {
  readonly states: Map<string, Entry>[] = [new Map()];
  readonly events: StoreEvent[] = [];
  readonly live: { stop(): Promise<void> }[] = [];
  readonly subject: Subject;
  store: Store;
  counter = 0;

  constructor(subject: Subject, store: Store) {
    this.subject = subject;
    this.store = store;
  }

  get now(): Map<string, Entry> {
    return this.states.at(-1) as Map<string, Entry>;
  }

  revisionAt(part: number): number {
    return Math.round(this.store.compacted + part * (this.store.revision - this.store.compacted));
  }

  async step(step: Step): Promise<void> {
    switch (step.do) {
      case 'write':
        return this.write(step.writes);
      case 'list':
        return this.list(prefixes[step.prefix] as string, this.revisionAt(step.at), step.limit);
      case 'watch':
        return this.watch(prefixes[step.prefix] as string, this.revisionAt(step.at));
      case 'compact':
        return this.store.compact(this.revisionAt(step.at));
      case 'reopen': {
        await this.check();
        const { revision } = this.store;
        await this.store.close();
        this.store = await this.subject.open();
        expect(this.store.revision).toBe(revision);
      }
    }
  }

  /** All at once; the order that the store chose is that of the revisions it gave, and refusals are checked after. */
  async write(wanted: { type: Write['type']; key: number; guard: 'none' | 'right' | 'wrong' }[]): Promise<void> {
    const before = this.now;
    const first = this.states.length - 1;
    const writes = wanted.map(({ type, key: index, guard }): Write => {
      const key = keys[index] as string;
      const value = `v${this.counter++}`;
      const ifRevision = guard === 'none' ? undefined : guard === 'right' ? before.get(key)?.revision : 1_000_000;
      return type === 'create'
        ? { type, key, value }
        : type === 'put'
          ? { type, key, value, ifRevision }
          : { type, key, ifRevision };
    });
    const outcomes = await Promise.all(writes.map((write) => this.store.txn(write)));
    const done = writes.map((write, i) => ({ write, outcome: outcomes[i] as Outcome }));
    const kept = done.filter((one) => one.outcome.ok).sort((a, b) => revisionOf(a.outcome) - revisionOf(b.outcome));
    for (const { write, outcome } of kept) this.apply(write, revisionOf(outcome));
    for (const { write, outcome } of done) {
      if (outcome.ok) continue;
      // It must have been refused by a state that existed while it was under way.
      const held = this.states.slice(first);
      expect(
        held.some((state) => !permits(write, state.get(write.key)) && same(state.get(write.key), outcome.current)),
      ).toBe(true);
    }
  }

  apply(write: Write, revision: number): void {
    const previous = this.now.get(write.key);
    expect(permits(write, previous)).toBe(true);
    expect(revision).toBe(this.states.length);
    const state = new Map(this.now);
    const entry = write.type === 'delete' ? undefined : { key: write.key, value: write.value as string, revision };
    if (entry) state.set(write.key, entry);
    else state.delete(write.key);
    this.states.push(state);
    const type = !entry ? 'delete' : previous ? 'update' : 'create';
    this.events.push({ revision, type, key: write.key, entry, previous });
  }

  list(prefix: string, revision: number, limit: number): void {
    const expected = [...(this.states[revision] as Map<string, Entry>).values()]
      .filter((entry) => entry.key.startsWith(prefix))
      .sort((a, b) => (a.key < b.key ? -1 : 1));
    const entries: Entry[] = [];
    let page = this.store.list(prefix, { revision, limit });
    for (;;) {
      entries.push(...page.entries);
      expect(page).toMatchObject({ revision, remaining: expected.length - entries.length });
      if (page.continue === undefined) break;
      page = this.store.list(prefix, { continue: page.continue, limit });
    }
    expect(entries).toEqual(expected);
  }

  async watch(prefix: string, after: number): Promise<void> {
    const watch = this.store.watch(prefix, { after });
    const seen: StoreEvent[] = [];
    const reading = (async () => {
      for await (const events of watch) seen.push(...events);
    })();
    this.live.push({
      stop: async () => {
        await watch.return();
        await reading;
        expect(seen).toEqual(this.events.filter((event) => event.revision > after && event.key.startsWith(prefix)));
      },
    });
  }

  async check(): Promise<void> {
    this.list('', this.store.revision, 3);
    // One turn, in which parked watches take what was delivered to them.
    await new Promise((done) => setImmediate(done));
    for (const live of this.live.splice(0)) await live.stop();
  }
}

function revisionOf(outcome: Outcome): number {
  return outcome.ok ? outcome.revision : Number.NaN;
}

function same(a: Entry | undefined, b: Entry | undefined): boolean {
  return a?.revision === b?.revision && a?.value === b?.value;
}

function permits(write: Write, current: Entry | undefined): boolean {
  if (write.type === 'create') return !current;
  if (write.ifRevision !== undefined) return current?.revision === write.ifRevision;
  return write.type === 'put' || current !== undefined;
}
