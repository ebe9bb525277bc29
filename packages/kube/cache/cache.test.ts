import { afterEach, describe, expect, test } from 'vitest';
import type { Frozen } from '../object.ts';
import { CollectionServer, Widget } from '../reflector/collection-server.fixture.ts';
import { ManualClock, settle } from '../testing/manual-clock.ts';
import { Cache, type CacheOptions, type CacheState } from './cache.ts';
import { CacheSet } from './cache-set.ts';
import type { CacheEvent } from './event.ts';
import { WaitError } from './waits.ts';

const ends: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end();
});

async function server(): Promise<CollectionServer> {
  const api = await CollectionServer.start();
  ends.push(() => api[Symbol.asyncDispose]());
  return api;
}

function cacheOf(api: CollectionServer, options: Partial<CacheOptions<Widget>> = {}): Cache<Widget> {
  const transport = api.transport();
  const cache = new Cache<Widget>({ transport, kind: Widget, backoff: { baseMs: 1, maxMs: 3 }, ...options });
  ends.push(async () => {
    await cache.stop();
    await transport.close();
  });
  return cache;
}

async function until(condition: () => boolean): Promise<void> {
  while (!condition()) await new Promise((resolve) => setImmediate(resolve));
}

const at = (name: string) => ({ namespace: 'default', name });
const told = (event: CacheEvent<Widget>) =>
  event.type === 'updated'
    ? `updated ${event.object.metadata?.name} ${event.old.data}->${event.object.data}`
    : `${event.type} ${event.object.metadata?.name} ${event.object.data}`;

describe('reading', () => {
  test('gives objects, lists and indexes, kept up to date', async () => {
    const api = await server();
    api.put('a', 'red');
    api.put('b', 'red');
    const cache = cacheOf(api, { indexes: { color: (object) => object.data } });
    await cache.start();
    expect(cache.get(at('a'))?.data).toBe('red');
    expect(cache.get(at('x'))).toBeUndefined();
    expect(cache.list().length).toBe(2);
    expect(cache.list('elsewhere')).toEqual([]);
    expect(cache.by('color', 'red').map((o) => o.metadata?.name)).toEqual(['a', 'b']);

    api.put('a', 'blue');
    api.remove('b');
    api.put('c', 'blue');
    await cache.waitFor(at('c'), (object) => object !== undefined);
    expect(cache.by('color', 'red')).toEqual([]);
    expect(cache.countBy('color', 'blue')).toBe(2);
    expect(() => cache.by('size', 'x')).toThrow(/no index size/);
  });

  test('before the first sync throws instead of lying', async () => {
    const api = await server();
    const cache = cacheOf(api);
    expect(() => cache.get(at('a'))).toThrow(/has not synced/);
    expect(() => cache.list()).toThrow(/has not synced/);
    expect(cache.ready).toBe(false);
  });

  test('objects are frozen under test, all the way down', async () => {
    const api = await server();
    api.put('a', '1');
    const cache = cacheOf(api);
    await cache.start();
    const labels = cache.get(at('a'))?.metadata?.labels as Record<string, string>;
    expect(() => {
      labels['x'] = 'y';
    }).toThrow(TypeError);
  });

  test('an object that an index cannot read stalls only itself', async () => {
    const api = await server();
    api.put('bad', '');
    api.put('good', 'x');
    const errors: unknown[] = [];
    const index = (object: Frozen<Widget>) => {
      if (object.data === '') throw new Error('no data');
      return object.data;
    };
    const cache = cacheOf(api, { indexes: { data: index }, onError: (error) => errors.push(error) });
    await cache.start();
    expect(cache.size).toBe(2);
    expect(cache.by('data', 'x')).toHaveLength(1);
    expect(errors.map(String)).toEqual([expect.stringMatching(/index data cannot read default\/bad/)]);
  });
});

describe('listening', () => {
  test('tells additions, updates and deletions, with what was before', async () => {
    const api = await server();
    api.put('a', '1');
    const cache = cacheOf(api);
    const events: string[] = [];
    cache.subscribe((event) => events.push(told(event)));
    await cache.start();
    api.put('a', '2');
    api.put('b', '1');
    api.remove('a');
    await until(() => events.length === 4);
    expect(events).toEqual(['added a 1', 'updated a 1->2', 'added b 1', 'deleted a 2']);
  });

  test('an object made again under its name is a deletion and an addition, also after a gap', async () => {
    const api = await server();
    api.put('a', '1');
    const cache = cacheOf(api);
    const events: string[] = [];
    cache.subscribe((event) => events.push(told(event)));
    await cache.start();
    await until(() => api.watches === 1);
    api.fault = () => ({ status: 503 });
    api.cutWatchesAfter(0);
    api.remove('a');
    api.put('a', '2');
    api.compact();
    api.fault = () => undefined;
    await until(() => events.length === 3);
    expect(events).toEqual(['added a 1', 'deleted a 1', 'added a 2']);
  });

  test('a list that comes late changes everything at once: nobody sees half of it', async () => {
    const api = await server();
    for (let i = 0; i < 300; i++) api.put(`old${i}`, '1');
    const cache = cacheOf(api, { freeze: false });
    await cache.start();
    await until(() => api.watches === 1);
    api.fault = () => ({ status: 503 });
    api.cutWatchesAfter(0);
    for (let i = 0; i < 300; i++) {
      api.remove(`old${i}`);
      api.put(`new${i}`, '1');
    }
    api.compact();
    api.fault = () => undefined;
    const sizes = new Set<number>();
    while (cache.get(at('new0')) === undefined) {
      await new Promise((resolve) => setImmediate(resolve));
      sizes.add(cache.size);
    }
    expect([...sizes]).toEqual([300]);
  });

  test('a late listener gets what is there first, and each object once', async () => {
    const api = await server();
    for (let i = 0; i < 2000; i++) api.put(`w${i}`, '1');
    const cache = cacheOf(api, { freeze: false });
    await cache.start();
    await until(() => api.watches === 1);
    const seen = new Map<string, string[]>();
    cache.subscribe((event) => seen.set(event.key, [...(seen.get(event.key) ?? []), event.type]));
    // Arrives while the replay is under way.
    api.put('w1999', '2');
    api.remove('w1998');
    api.put('w0', '2');
    await cache.waitFor(at('w0'), (object) => object?.data === '2');
    await until(() => seen.size >= 1999);
    for (const [key, types] of seen) expect([key, types.filter((type) => type === 'added').length]).toEqual([key, 1]);
    expect(seen.get('default/w0')?.at(0)).toBe('added');
    const deleted = seen.get('default/w1998');
    expect(deleted === undefined || deleted.join() === 'added,deleted').toBe(true);
  });

  test('a listener that throws is reported and disturbs nobody', async () => {
    const api = await server();
    api.put('a', '1');
    const errors: unknown[] = [];
    const cache = cacheOf(api, { onError: (error) => errors.push(error) });
    const events: string[] = [];
    cache.subscribe(() => {
      throw new Error('mine');
    });
    cache.subscribe((event) => events.push(told(event)));
    await cache.start();
    expect(events).toEqual(['added a 1']);
    expect(errors).toHaveLength(1);
  });
});

describe('starting', () => {
  test.each([
    [
      'forbidden',
      403,
      { reason: 'Forbidden', message: 'widgets is forbidden: User "x" cannot list resource "widgets"' },
    ],
    ['unauthorized', 401, { reason: 'Unauthorized', message: 'Unauthorized' }],
    ['kind-not-found', 404, {}],
  ])('rejects at once with the cause: %s', async (code, status, body) => {
    const api = await server();
    api.fault = () => ({ status, body });
    const cache = cacheOf(api);
    await expect(cache.start()).rejects.toMatchObject({ code });
    expect(cache.ready).toBe(false);
    expect(cache.state).toMatchObject({ phase: 'failed', error: { code } });
    expect(() => cache.list()).toThrow(/start failed/);
    await expect(cache.waitFor(at('a'), () => true)).rejects.toMatchObject({ code });
  });

  test('tries again until its deadline, then rejects with the last error', async () => {
    const api = await server();
    await api.down();
    const clock = new ManualClock();
    const cache = cacheOf(api, { clock, startTimeoutMs: 5000 });
    const started = cache.start();
    const failed = expect(started).rejects.toMatchObject({ code: 'unreachable' });
    while (cache.state.phase !== 'failed') {
      await clock.move(100);
      await settle();
    }
    await failed;
    expect(cache.ready).toBe(false);
    await api.up();
  });

  test('succeeds when the trouble passes in time, and may be tried again after a failure', async () => {
    const api = await server();
    let requests = 0;
    api.fault = () => (++requests < 4 ? { status: 503 } : undefined);
    const cache = cacheOf(api);
    await cache.start();
    expect(cache.ready).toBe(true);

    const other = cacheOf(api);
    api.fault = () => ({ status: 403, body: { reason: 'Forbidden' } });
    await expect(other.start()).rejects.toMatchObject({ code: 'forbidden' });
    api.fault = () => undefined;
    await other.start();
    expect(other.ready).toBe(true);
  });

  test('can be aborted', async () => {
    const api = await server();
    await api.down();
    const abort = new AbortController();
    const cache = cacheOf(api);
    const started = cache.start({ signal: abort.signal });
    abort.abort();
    await expect(started).rejects.toMatchObject({ code: 'aborted' });
    await api.up();
  });

  test('trouble after it shows in the state and passes', async () => {
    const api = await server();
    const states: CacheState[] = [];
    const cache = cacheOf(api, { onState: (state) => states.push(state) });
    await cache.start();
    await until(() => api.watches === 1);
    await api.down();
    await until(() => cache.state.phase === 'reconnecting');
    expect(cache.ready).toBe(true);
    expect(cache.list()).toEqual([]);
    await api.up();
    await until(() => cache.state.phase === 'synced');
    expect(states.map(({ phase }) => phase).slice(0, 2)).toEqual(['starting', 'synced']);
  });
});

describe('waiting', () => {
  test('looks at once, then at each change, with undefined while the object is absent', async () => {
    const api = await server();
    api.put('a', '1');
    const cache = cacheOf(api);
    await cache.start();
    expect((await cache.waitFor(at('a'), (object) => object?.data === '1'))?.data).toBe('1');
    const gone = cache.waitFor(at('a'), (object) => object === undefined);
    const changed = cache.waitFor(at('a'), (object) => object?.data === '2');
    api.put('a', '2');
    api.remove('a');
    expect((await changed)?.data).toBe('2');
    expect(await gone).toBeUndefined();
  });

  test('two waiters share nothing: not the condition, not the deadline, not the failure', async () => {
    const api = await server();
    api.put('a', '1');
    const clock = new ManualClock();
    const cache = cacheOf(api, { clock });
    await cache.start();
    const soon = cache.waitFor(at('a'), (object) => object?.data === 'never', { timeoutMs: 1000 });
    const late = cache.waitFor(at('a'), (object) => object?.data === '2', { deadline: clock.now() + 60_000 });
    const throws = cache.waitFor(at('a'), (object) => {
      if (object?.data === '2') throw new Error('mine alone');
      return false;
    });
    const failures = Promise.allSettled([soon, throws]);
    await clock.move(1000);
    await expect(soon).rejects.toMatchObject({ code: 'timeout', lastSeen: { data: '1' } });
    api.put('a', '2');
    expect((await late)?.data).toBe('2');
    await expect(throws).rejects.toThrow('mine alone');
    await failures;
  });

  test('a deadline that has passed still looks once', async () => {
    const api = await server();
    api.put('a', '1');
    const clock = new ManualClock();
    const cache = cacheOf(api, { clock });
    await cache.start();
    await expect(cache.waitFor(at('a'), (object) => object !== undefined, { deadline: 0 })).resolves.toBeDefined();
    const missed = cache.waitFor(at('x'), (object) => object !== undefined, { deadline: 0 });
    const failure = expect(missed).rejects.toBeInstanceOf(WaitError);
    await clock.move(0);
    await failure;
  });

  test('ends by its signal, by the stop, and not before the sync', async () => {
    const api = await server();
    api.put('a', '1');
    const cache = cacheOf(api);
    const abort = new AbortController();
    const aborted = cache.waitFor(at('x'), (object) => object !== undefined, { signal: abort.signal });
    const absent = cache.waitFor(at('a'), (object) => object === undefined);
    const failures = Promise.allSettled([aborted, absent]);
    abort.abort();
    await expect(aborted).rejects.toMatchObject({ code: 'aborted' });
    await cache.start();
    await cache.stop();
    await expect(absent).rejects.toMatchObject({ code: 'aborted' });
    await expect(cache.waitFor(at('a'), () => true)).rejects.toMatchObject({ code: 'aborted' });
    await failures;
  });

  test('works on an index too', async () => {
    const api = await server();
    const cache = cacheOf(api, { indexes: { color: (object) => object.data } });
    await cache.start();
    const three = cache.waitForBy('color', 'red', (objects) => objects.length === 3);
    for (const name of ['a', 'b', 'c']) api.put(name, 'red');
    expect(await three).toHaveLength(3);
  });
});

describe('a set of caches', () => {
  test('shares one per kind and selection, and starts late ones at once', async () => {
    const api = await server();
    const transport = api.transport();
    const set = new CacheSet({ transport });
    const one = set.of(Widget);
    const color = (object: Frozen<Widget>) => object.data;
    expect(set.of(Widget, { indexes: { color } })).toBe(one);
    expect(set.of(Widget, { labelSelector: 'a=b' })).not.toBe(one);
    expect(() => set.of(Widget, { indexes: { color: (object) => object.kind } })).toThrow(/another function/);
    expect(set.ready).toBe(false);
    await set.start();
    expect(set.ready).toBe(true);
    const late = set.of(Widget, { namespace: 'late' });
    await until(() => late.ready);
    await set.stop();
    await transport.close();
  });

  test('that cannot start says why and stops the rest', async () => {
    const api = await server();
    const transport = api.transport();
    const set = new CacheSet({ transport });
    const good = set.of(Widget);
    set.of(Widget, { labelSelector: 'bad' });
    api.fault = (url) =>
      url.searchParams.get('labelSelector') ? { status: 403, body: { reason: 'Forbidden' } } : undefined;
    await expect(set.start()).rejects.toMatchObject({ code: 'forbidden' });
    expect(set.ready).toBe(false);
    await until(() => good.state.phase === 'stopped' || good.state.phase === 'failed');
    await transport.close();
  });
});
