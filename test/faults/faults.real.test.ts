import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import {
  Cache,
  type CacheEvent,
  type Client,
  clusterConfig,
  createClient,
  createTransport,
  type Frozen,
  type Transport,
} from '../../packages/kube/index.ts';
import { ConfigMap, Namespace } from '../../packages/kube/kinds/index.ts';
import { type ControlPlane, startControlPlane } from '../control-plane/index.ts';
import { realApiServer } from '../control-plane/suite.ts';
import { FaultProxy, type FaultyAnswer } from './proxy.ts';
import { Workload } from './workload.ts';

/**
 * A cache on one side of a proxy that breaks things, a real API server on the other, and writers that go around it.
 * After each fault: the cache equals a fresh list, its events were legal, and every waiter got its answer or its deadline.
 */
describe.skipIf(realApiServer() === null)('a cache survives', () => {
  let cluster: ControlPlane;
  let direct: { transport: Transport; client: Client };
  let proxy: FaultProxy;
  let through: Transport;
  let cache: Cache<ConfigMap>;
  let workload: Workload;
  let events: CacheEvent<ConfigMap>[];
  let namespaces = 0;

  beforeAll(async () => {
    cluster = await startControlPlane();
    const transport = createTransport(
      clusterConfig({ server: cluster.url, ca: cluster.ca, token: cluster.adminToken }),
    );
    direct = { transport, client: createClient(transport) };
  });

  afterAll(async () => {
    await direct?.transport.close();
    await cluster?.[Symbol.asyncDispose]();
  });

  afterEach(async () => {
    await cache.stop();
    await through.close();
    await proxy[Symbol.asyncDispose]();
  });

  async function begin(): Promise<void> {
    const namespace = `faults-${namespaces++}`;
    await direct.client.create(Namespace, { metadata: { name: namespace } });
    proxy = await FaultProxy.start({ url: cluster.url, ca: cluster.ca });
    through = createTransport(clusterConfig({ server: proxy.url, ca: proxy.authority, token: cluster.adminToken }));
    cache = new Cache({ transport: through, kind: ConfigMap, selection: { namespace } });
    events = [];
    cache.subscribe((event) => events.push(event));
    workload = new Workload(direct.client, namespace);
    await workload.churn();
    await cache.start();
    await until(() => proxy.watches.size === 1);
  }

  /** Breaks something while objects change, then checks everything that was promised. */
  async function surviving(fault: () => Promise<void> | void): Promise<void> {
    const value = (object: Frozen<ConfigMap> | undefined) => object?.data?.['value'];
    const namespace = `faults-${namespaces - 1}`;
    const answered = cache.waitFor({ namespace, name: 'answer' }, (object) => value(object) === 'final');
    const missed = cache.waitFor({ namespace, name: 'never' }, (object) => object !== undefined, { timeoutMs: 500 });
    const missing = expect(missed).rejects.toMatchObject({ code: 'timeout' });
    await workload.churn();
    await fault();
    await workload.churn();
    await workload.churn();
    await workload.put('answer', 'final');
    expect(value(await answered)).toBe('final');
    await missing;
    await workload.expectTrue(cache);
    expectLegal(events);
  }

  test('a watch that is cut in the middle of a line', async () => {
    await begin();
    await surviving(() => {
      for (const watch of proxy.watches) watch.cutAfter(100);
    });
    expect(lists()).toBe(1);
  });

  test('410 in the middle of a watch', async () => {
    await begin();
    const gone = {
      kind: 'Status',
      apiVersion: 'v1',
      status: 'Failure',
      reason: 'Expired',
      code: 410,
      message: 'too old',
    };
    await surviving(async () => {
      for (const watch of proxy.watches) {
        watch.hold();
        watch.inject(`${JSON.stringify({ type: 'ERROR', object: gone })}\n`);
      }
      await workload.churn();
      await until(() => lists() === 2);
    });
  });

  test('410 as the answer to a watch', async () => {
    await begin();
    let refused = false;
    proxy.requestFaults.add((request, response) => {
      if (refused || !request.url?.includes('watch=')) return false;
      refused = true;
      response.writeHead(410, { 'content-type': 'application/json' });
      response.end(JSON.stringify({ kind: 'Status', code: 410, reason: 'Expired', message: 'too old' }));
      return true;
    });
    await surviving(() => proxy.reset());
    expect(refused).toBe(true);
    expect(lists()).toBe(2);
  });

  test.each(['break', 'end'] as const)('half a JSON page, and then %s', async (then) => {
    await begin();
    let halves = 0;
    proxy.onList = (answer: FaultyAnswer) => {
      if (halves++ < 2) answer.cutAfter(700, then);
    };
    let refused = false;
    proxy.requestFaults.add((request, response) => {
      if (refused || !request.url?.includes('watch=')) return false;
      refused = true;
      response.writeHead(410).end();
      return true;
    });
    await surviving(() => proxy.reset());
    expect(halves).toBe(3);
  });

  test('ten seconds of silence', async () => {
    await begin();
    await surviving(async () => {
      for (const watch of proxy.watches) watch.hold();
      await workload.churn();
      // The fault itself takes this long; nothing is waited for.
      await new Promise((resolve) => setTimeout(resolve, 10_000));
      for (const watch of proxy.watches) watch.release();
    });
    expect(proxy.seen.filter((line) => line.includes('watch=')).length).toBe(1);
    expect(lists()).toBe(1);
  });

  test('a reset of all connections, and of those that come next during their handshake', async () => {
    await begin();
    await surviving(() => {
      proxy.resetNext = 3;
      proxy.reset();
    });
    expect(proxy.resetNext).toBe(0);
    expect(lists()).toBe(1);
  });

  test('429 with Retry-After', async () => {
    await begin();
    let refused = 0;
    proxy.requestFaults.add((_, response) => {
      if (refused >= 2) return false;
      refused++;
      response.writeHead(429, { 'content-type': 'application/json', 'retry-after': '1' });
      response.end(JSON.stringify({ kind: 'Status', code: 429, reason: 'TooManyRequests', message: 'slow down' }));
      return true;
    });
    await surviving(() => proxy.reset());
    expect(refused).toBe(2);
    expect(lists()).toBe(1);
  });

  test('kill -9 of the API server, and its restart on the same data', async () => {
    await begin();
    await surviving(async () => {
      await cluster.killApiServer('SIGKILL');
      await until(() => cache.state.phase === 'reconnecting');
      await cluster.startApiServer();
    });
    expect(cache.state.phase).toBe('synced');
  });

  function lists(): number {
    return proxy.seen.filter((line) => line.includes('/configmaps') && !line.includes('watch=')).length;
  }
});

async function until(condition: () => boolean): Promise<void> {
  while (!condition()) await new Promise((resolve) => setTimeout(resolve, 5));
}

/** Each object: added, then updated with ever newer versions, then deleted. Nothing twice. */
function expectLegal(events: readonly CacheEvent<ConfigMap>[]): void {
  const alive = new Map<string, string>();
  for (const event of events) {
    const version = event.object.metadata?.resourceVersion ?? '';
    const before = alive.get(event.key);
    expect([event.type, event.key, before === undefined]).toEqual([event.type, event.key, event.type === 'added']);
    if (event.type === 'deleted') alive.delete(event.key);
    else {
      // Etcd counts up. Only a test may lean on it.
      expect(Number(version)).toBeGreaterThan(Number(before ?? 0));
      alive.set(event.key, version);
    }
  }
}
