import { afterEach, describe, expect, test } from 'vitest';
import { CacheSet } from '../cache/cache-set.ts';
import { KubeError } from '../errors.ts';
import { defineKind } from '../kind.ts';
import type { KubeObject } from '../object.ts';
import { CollectionServer, Widget } from '../reflector/collection-server.fixture.ts';
import { ManualClock, settle } from '../testing/manual-clock.ts';
import { MemoryClient } from '../testing/memory-client.ts';
import { Controller, type ReconcileOutcome } from './controller.ts';
import { type ControllerSpec, controller, generationChanged, on, type Reconcile } from './spec.ts';

const ends: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end();
});

async function run(
  api: CollectionServer,
  spec: Omit<ControllerSpec<Widget>, 'name' | 'for'> & { for?: ControllerSpec<Widget>['for'] },
) {
  const transport = api.transport();
  const clock = new ManualClock();
  const caches = new CacheSet({ transport });
  const outcomes: ReconcileOutcome[] = [];
  const active: number[] = [];
  const ignore = () => {};
  const running = new Controller(controller<Widget>({ name: 'test', for: Widget, ...spec }), {
    caches,
    client: new MemoryClient(),
    clock,
    random: () => 0,
    observer: {
      queue: { added: ignore, retried: ignore, depth: ignore, started: ignore, finished: ignore },
      reconciling: (count) => active.push(count),
      reconciled: (outcome) => outcomes.push(outcome),
    },
  });
  await caches.start();
  running.start();
  ends.push(async () => {
    await running.stop({ drainMs: 0 });
    await caches.stop();
    await transport.close();
    await api[Symbol.asyncDispose]();
  });
  return { running, clock, outcomes, active, cache: caches.of(Widget) };
}

async function until(condition: () => boolean): Promise<void> {
  while (!condition()) await new Promise((resolve) => setImmediate(resolve));
}

describe('a controller', () => {
  test('reconciles what is there, then what changes, with the cache and the time at hand', async () => {
    const api = await CollectionServer.start();
    api.put('a', '1');
    const seen: string[] = [];
    const { clock } = await run(api, {
      async reconcile({ key, cache, now }) {
        seen.push(`${key.namespace}/${key.name} ${cache.of(Widget).get(key)?.data} ${now}`);
      },
    });
    const now = clock.now();
    await until(() => seen.length === 1);
    api.put('a', '2');
    await until(() => seen.length === 2);
    api.remove('a');
    await until(() => seen.length === 3);
    expect(seen).toEqual([`default/a 1 ${now}`, `default/a 2 ${now}`, `default/a undefined ${now}`]);
  });

  test('a throw is one failed request, tried again with back-off; the others go on', async () => {
    const api = await CollectionServer.start();
    for (const name of ['bad', 'good']) api.put(name, '');
    const seen: string[] = [];
    const { running, clock, outcomes } = await run(api, {
      reconcile({ key }) {
        seen.push(key.name);
        if (key.name === 'bad') throw new TypeError('cannot read properties of undefined');
      },
    });
    await until(() => seen.length === 2);
    expect(outcomes.toSorted()).toEqual(['error', 'success']);
    expect(running.queue.failures('default/bad')).toBe(1);
    await clock.move(5);
    await until(() => seen.length === 3);
    expect(running.queue.failures('default/bad')).toBe(2);
  });

  test('a conflict is looked at again at once, and with back-off when that did not help', async () => {
    const api = await CollectionServer.start();
    api.put('a', '');
    let runs = 0;
    const { clock, outcomes, running } = await run(api, {
      reconcile() {
        if (++runs < 4) throw new KubeError(runs === 1 ? 'conflict' : 'already-exists', 'newer');
      },
    });
    await until(() => runs === 2);
    await settle();
    expect(runs).toBe(2);
    await clock.move(5);
    await until(() => runs === 3);
    await clock.move(10);
    await until(() => runs === 4);
    await until(() => outcomes.length === 4);
    expect(outcomes).toEqual(['requeue', 'requeue', 'requeue', 'success']);
    expect(running.queue.failures('default/a')).toBe(0);
  });

  test('comes back after a while, or at a time', async () => {
    const api = await CollectionServer.start();
    api.put('a', '');
    const times: number[] = [];
    const { clock } = await run(api, {
      reconcile({ now }) {
        times.push(now);
        return times.length === 1 ? { requeueAfter: 5000 } : times.length === 2 ? { again: now + 60_000 } : undefined;
      },
    });
    const start = clock.now();
    await until(() => times.length === 1);
    await clock.move(5000);
    await until(() => times.length === 2);
    await clock.move(60_000);
    await until(() => times.length === 3);
    expect(times).toEqual([start, start + 5000, start + 65_000]);
  });

  test('runs as many keys at a time as it has workers, and one key once', async () => {
    const api = await CollectionServer.start();
    for (let i = 0; i < 6; i++) api.put(`w${i}`, '');
    const gate = Promise.withResolvers<void>();
    const busy = new Set<string>();
    let doubled = false;
    let runs = 0;
    const { active } = await run(api, {
      workers: 3,
      async reconcile({ key }) {
        doubled ||= busy.has(key.name);
        busy.add(key.name);
        await gate.promise;
        busy.delete(key.name);
        runs++;
      },
    });
    await until(() => busy.size === 3);
    api.put([...busy][0] ?? '', '2');
    await settle();
    expect(busy.size).toBe(3);
    gate.resolve();
    await until(() => runs === 7);
    expect(Math.max(...active)).toBe(3);
    expect(doubled).toBe(false);
  });

  test('stops gracefully: what runs may finish, what waits is dropped', async () => {
    const api = await CollectionServer.start();
    for (const name of ['a', 'b']) api.put(name, '');
    const gate = Promise.withResolvers<void>();
    const requests: Reconcile[] = [];
    const { running, clock } = await run(api, {
      async reconcile(request) {
        requests.push(request);
        await gate.promise;
      },
    });
    await until(() => requests.length === 1);
    let stopped = false;
    const stopping = running.stop({ drainMs: 3000 }).then(() => {
      stopped = true;
    });
    await clock.move(2999);
    expect(requests[0]?.signal.aborted).toBe(false);
    await clock.move(1);
    expect(requests[0]?.signal.aborted).toBe(true);
    expect(stopped).toBe(false);
    gate.resolve();
    await stopping;
    expect(requests).toHaveLength(1);
  });

  test('a reconcile past its own time is told by its signal', async () => {
    const api = await CollectionServer.start();
    api.put('a', '');
    let signal: AbortSignal | undefined;
    const { clock } = await run(api, {
      timeoutMs: 1000,
      reconcile: (request) => {
        signal = request.signal;
        return new Promise((resolve) => request.signal.addEventListener('abort', () => resolve(undefined)));
      },
    });
    await until(() => signal !== undefined);
    await clock.move(1000);
    expect(signal?.aborted).toBe(true);
  });

  test('refuses a kind that was not declared, instead of showing it empty', async () => {
    const api = await CollectionServer.start();
    api.put('a', '');
    const Other = defineKind<KubeObject>({
      group: 'o',
      version: 'v1',
      kind: 'Other',
      plural: 'others',
      namespaced: true,
    });
    const errors: unknown[] = [];
    await run(api, {
      reconcile({ cache }) {
        try {
          cache.of(Other);
        } catch (error) {
          errors.push(error);
        }
      },
    });
    await until(() => errors.length === 1);
    expect(String(errors[0])).toMatch(/does not declare others\.o/);
  });

  test('maps other objects to keys, old and new, through a filter', async () => {
    const api = await CollectionServer.start();
    const seen: string[] = [];
    const { cache } = await run(api, {
      when: () => false,
      watches: [
        on(
          Widget,
          (event) => event.object.data !== 'ignored',
          (widget) => (widget.data ? { namespace: 'pools', name: widget.data } : undefined),
        ),
      ],
      reconcile: ({ key }) => void seen.push(key.name),
    });
    api.put('x', 'ignored');
    api.put('a', 'p1');
    await until(() => seen.length === 1);
    api.put('a', 'p2');
    await until(() => seen.length === 3);
    expect(seen.toSorted()).toEqual(['p1', 'p1', 'p2']);
    expect(cache.size).toBe(2);
  });
});

test('generationChanged passes everything but status updates', () => {
  const at = (generation: number, more = {}) => ({ metadata: { name: 'a', generation, ...more } });
  const updated = (old: object, object: object) =>
    generationChanged({ type: 'updated', key: 'a', old: old as KubeObject, object: object as KubeObject });
  expect(updated(at(1), at(1))).toBe(false);
  expect(updated(at(1), at(2))).toBe(true);
  expect(updated(at(1), at(1, { deletionTimestamp: '2026-01-01T00:00:00Z' }))).toBe(true);
  expect(generationChanged({ type: 'added', key: 'a', object: at(1), initial: false })).toBe(true);
});
