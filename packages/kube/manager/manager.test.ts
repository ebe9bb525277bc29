import { afterEach, describe, expect, test } from 'vitest';
import { type ControllerSpec, controller } from '../controller/spec.ts';
import { KubeError } from '../errors.ts';
import { Lease } from '../leader/record.ts';
import { CollectionServer, Widget } from '../reflector/collection-server.fixture.ts';
import { ManualClock } from '../testing/manual-clock.ts';
import { MemoryClient } from '../testing/memory-client.ts';
import { type Manager, type ManagerOptions, startManager } from './manager.ts';

const ends: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end();
});

const lease = { namespace: 'system', name: 'operator' };
const open = { port: 0, host: '127.0.0.1' };

async function manager(options: Partial<ManagerOptions> = {}) {
  const api = await CollectionServer.start();
  const transport = api.transport();
  const client = new MemoryClient();
  const one = await startManager({
    kube: { client, transport },
    health: open,
    metrics: { ...open, auth: 'none' },
    caches: { backoff: { baseMs: 1, maxMs: 3 } },
    ...options,
  });
  ends.push(async () => {
    await one.stop();
    await transport.close();
    await api[Symbol.asyncDispose]();
  });
  return { api, client, manager: one };
}

async function until(condition: () => boolean): Promise<void> {
  while (!condition()) await new Promise((resolve) => setImmediate(resolve));
}

async function ask(one: Manager, path: string, init: RequestInit = {}): Promise<[number, string]> {
  const response = await fetch(`http://127.0.0.1:${one.healthAddress?.port}${path}`, init);
  return [response.status, await response.text()];
}

async function metrics(
  one: Manager,
  headers: Record<string, string> = {},
  path = '/metrics',
): Promise<[number, string]> {
  const response = await fetch(`http://127.0.0.1:${one.metricsAddress?.port}${path}`, { headers });
  return [response.status, await response.text()];
}

const idle: ControllerSpec = controller<Widget>({ name: 'idle', for: Widget, reconcile: () => {} });

describe('the order', () => {
  test('is caches, webhooks, leadership, controllers, and backwards at the stop', async () => {
    const order: string[] = [];
    const {
      api,
      client,
      manager: one,
    } = await manager({
      leaderElection: { lease, identity: 'me' },
      webhooks: [
        {
          start: async () => void order.push(`webhook up, caches ${one.caches.ready ? 'synced' : 'empty'}`),
          close: async () =>
            void order.push(`webhook down, lease held by ${client.peek(Lease, lease)?.spec?.holderIdentity}`),
        },
      ],
    });
    api.put('a', '1');
    const gate = Promise.withResolvers<void>();
    const running = one.run(
      controller<Widget>({
        name: 'pool',
        for: Widget,
        async reconcile({ key, cache }) {
          order.push(`reconcile ${key.name} ${cache.of(Widget).get(key)?.data}`);
          order.push(`lease held by ${client.peek(Lease, lease)?.spec?.holderIdentity}`);
          await gate.promise;
          order.push('reconciled');
        },
      }),
    );
    await until(() => order.length === 3);
    const stopping = one.stop();
    gate.resolve();
    await stopping;
    await running;
    expect(order).toEqual([
      'webhook up, caches synced',
      'reconcile a 1',
      'lease held by me',
      'reconciled',
      'webhook down, lease held by ',
    ]);
    expect(one.caches.all[0]?.state.phase).toBe('stopped');
  });

  test('a cache that cannot start ends the run with the cause, before anything else begins', async () => {
    const { api, client, manager: one } = await manager({ leaderElection: { lease } });
    api.fault = () => ({ status: 403, body: { reason: 'Forbidden' } });
    await expect(one.run(idle)).rejects.toMatchObject({ code: 'forbidden' });
    expect(client.calls).toEqual([]);
    expect(one.ready).toBe(false);
  });

  test('a webhook that cannot start ends it too', async () => {
    const failing = { start: () => Promise.reject(new KubeError('bad-config', 'port taken')), close: async () => {} };
    const { manager: one } = await manager({ webhooks: [failing] });
    await expect(one.run(idle)).rejects.toMatchObject({ code: 'bad-config' });
  });

  test('a stop while waiting to lead ends at once', async () => {
    const { client, manager: one } = await manager({ leaderElection: { lease, identity: 'me' } });
    client.put(Lease, { metadata: { ...lease }, spec: { holderIdentity: 'other', leaseDurationSeconds: 3600 } });
    const running = one.run(idle, controller<Widget>({ ...idle, name: 'all', everywhere: true } as never));
    await until(() => one.ready);
    expect(await ask(one, '/readyz')).toEqual([200, 'ok']);
    await one.stop();
    await running;
    expect(client.peek(Lease, lease)?.spec?.holderIdentity).toBe('other');
  });
});

test('lost leadership aborts what runs, stops everything and rejects', async () => {
  const clock = new ManualClock();
  const { api, client, manager: one } = await manager({ clock, leaderElection: { lease, identity: 'me' } });
  api.put('a', '1');
  let signal: AbortSignal | undefined;
  const running = one.run(
    controller<Widget>({
      name: 'pool',
      for: Widget,
      reconcile: (request) => {
        signal = request.signal;
        return new Promise((resolve) => request.signal.addEventListener('abort', () => resolve(undefined)));
      },
    }),
  );
  const ended = expect(running).rejects.toMatchObject({ code: 'timeout' });
  await until(() => signal !== undefined);
  client.before = () => {
    throw new KubeError('unreachable', 'no route');
  };
  await clock.move(9000);
  expect(signal?.aborted).toBe(false);
  await clock.move(1000);
  expect(signal?.aborted).toBe(true);
  await ended;
  expect(one.ready).toBe(false);
});

describe('health', () => {
  test('answers ok or not and nothing else, to everybody', async () => {
    const { api, manager: one } = await manager();
    expect(await ask(one, '/livez')).toEqual([200, 'ok']);
    expect(await ask(one, '/healthz?verbose')).toEqual([200, 'ok']);
    expect(await ask(one, '/readyz')).toEqual([503, 'not ok']);
    expect(await ask(one, '/metrics')).toEqual([404, 'not ok']);
    expect(await ask(one, '/readyz/../livez/x')).toEqual([404, 'not ok']);
    expect(await ask(one, '/livez', { method: 'POST' })).toEqual([405, 'not ok']);
    api.fault = () => ({ status: 503 });
    const running = one.run(idle);
    expect(await ask(one, '/readyz')).toEqual([503, 'not ok']);
    api.fault = () => undefined;
    await until(() => one.ready);
    expect(await ask(one, '/readyz')).toEqual([200, 'ok']);
    await one.stop();
    await running;
  });

  test('a port that is taken is one clear error', async () => {
    const { manager: one } = await manager();
    const taken = { port: one.healthAddress?.port ?? 0, host: '127.0.0.1' };
    await expect(manager({ health: taken, metrics: undefined })).rejects.toThrow(/health listener cannot use port/);
  });
});

describe('metrics', () => {
  test('are open only when that was said', async () => {
    const { manager: one } = await manager();
    const running = one.run(idle);
    await until(() => one.ready);
    const [status, text] = await metrics(one);
    expect(status).toBe(200);
    expect(text).toContain('workqueue_depth{name="idle",controller="idle"}');
    expect(text).toMatch(/rest_client_requests_total\{code="200"/);
    expect((await metrics(one, { origin: 'http://evil.test' }))[0]).toBe(403);
    expect((await metrics(one, {}, '/'))[0]).toBe(404);
    await one.stop();
    await running;
  });

  test('else ask for a token that the hook takes', async () => {
    const asked: string[] = [];
    const auth = (token: string) => {
      asked.push(token);
      if (token === 'boom') throw new Error('secret detail');
      return token === 'good';
    };
    const { manager: one } = await manager({ metrics: { ...open, auth } });
    expect((await metrics(one))[0]).toBe(401);
    expect((await metrics(one, { authorization: 'Basic Zm9v' }))[0]).toBe(401);
    expect((await metrics(one, { authorization: 'Bearer bad' }))[0]).toBe(403);
    expect(await metrics(one, { authorization: 'Bearer boom' })).toEqual([500, '']);
    expect((await metrics(one, { authorization: 'Bearer good' }))[0]).toBe(200);
    expect(asked).toEqual(['bad', 'boom', 'good']);
  });
});
