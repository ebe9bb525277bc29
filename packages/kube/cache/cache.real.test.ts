import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { realApiServer } from '../../../test/control-plane/suite.ts';
import { type Connected, connect } from '../client/connect.ts';
import { clusterConfig } from '../config/cluster-config.ts';
import { defineKind } from '../kind.ts';
import { ConfigMap, Namespace, Pod } from '../kinds/index.ts';
import type { KubeObject } from '../object.ts';
import { createTransport } from '../transport/http.ts';
import { Cache, type CacheOptions } from './cache.ts';
import { ownerUids } from './index-map.ts';

const api = realApiServer();

describe.skipIf(api === null)('a cache of a real API server', () => {
  let kube: Connected;
  let namespace = '';
  const caches: { stop(): Promise<void> }[] = [];

  beforeAll(async () => {
    kube = await connect({ kubeconfig: api?.kubeconfig });
    namespace = (await kube.client.create(Namespace, { metadata: { generateName: 'cache-' } })).metadata?.name ?? '';
    const objects = Array.from({ length: 40 }, (_, i) =>
      kube.client.create(ConfigMap, {
        metadata: { name: `m-${i}`, namespace, labels: { half: i % 2 ? 'odd' : 'even' } },
        data: { value: `${i} ${'ä"\\\n'.repeat(i)}` },
      }),
    );
    await Promise.all(objects);
  });

  afterAll(async () => {
    for (const cache of caches) await cache.stop();
    await kube?.client.delete(Namespace, { name: namespace });
    await kube?.[Symbol.asyncDispose]();
  });

  async function started(options: Partial<CacheOptions<ConfigMap>>): Promise<Cache<ConfigMap>> {
    const cache = new Cache<ConfigMap>({ transport: kube.transport, kind: ConfigMap, ...options });
    caches.push(cache);
    await cache.start();
    return cache;
  }

  test.each([
    ['whole', true],
    ['whole', false],
    ['paged', true],
    ['paged', false],
  ] as const)('equals a list: %s, compression %s', async (listForm, compression) => {
    const cache = await started({ selection: { namespace }, listForm, compression, pageBytes: 2000 });
    const { items } = await kube.client.list(ConfigMap, { namespace });
    const wanted = items.map((item) => {
      const { managedFields: _dropped, ...metadata } = item.metadata ?? {};
      return { ...item, apiVersion: 'v1', kind: 'ConfigMap', metadata };
    });
    expect(cache.size).toBe(items.length);
    for (const item of wanted) expect(cache.get(item.metadata as { name: string })).toEqual(item);
  });

  test('selects by label and field, and sees objects leave the selection', async () => {
    const cache = await started({ selection: { namespace, labelSelector: 'half=odd' } });
    expect(cache.size).toBe(20);
    const one = await started({ selection: { namespace, fieldSelector: 'metadata.name=m-1' } });
    expect(one.list().map((object) => object.metadata?.name)).toEqual(['m-1']);
    await kube.client.patch(
      ConfigMap,
      { namespace, name: 'm-1' },
      { merge: { metadata: { labels: { half: 'none' } } } },
    );
    await cache.waitFor({ namespace, name: 'm-1' }, (object) => object === undefined, { timeoutMs: 10_000 });
    await one.waitFor({ namespace, name: 'm-1' }, (object) => object?.metadata?.labels?.['half'] === 'none');
  });

  test('of metadata only has no data, in the list and in the watch', async () => {
    const cache = await started({ selection: { namespace }, metadataOnly: true });
    expect(cache.get({ namespace, name: 'm-2' })).toMatchObject({ apiVersion: 'v1', kind: 'ConfigMap' });
    expect(cache.get({ namespace, name: 'm-2' })).not.toHaveProperty('data');
    const patched = await kube.client.patch(ConfigMap, { namespace, name: 'm-2' }, { merge: { data: { more: 'x' } } });
    const version = patched.metadata?.resourceVersion;
    const changed = await cache.waitFor(
      { namespace, name: 'm-2' },
      (object) => object?.metadata?.resourceVersion === version,
      { timeoutMs: 10_000 },
    );
    expect(changed).toMatchObject({ kind: 'ConfigMap', metadata: { name: 'm-2' } });
    expect(changed).not.toHaveProperty('data');
  });

  test('is cluster-wide without a namespace, and indexed', async () => {
    const owner = await kube.client.get(ConfigMap, { namespace, name: 'm-0' });
    const uid = owner.metadata?.uid ?? '';
    const cache = await started({ indexes: { owner: ownerUids } });
    expect(new Set(cache.list().map((object) => object.metadata?.namespace)).size).toBeGreaterThan(1);
    const owned = cache.waitForBy('owner', uid, (objects) => objects.length === 1, { timeoutMs: 10_000 });
    const reference = { apiVersion: 'v1', kind: 'ConfigMap', name: 'm-0', uid };
    await kube.client.create(ConfigMap, { metadata: { name: 'child', namespace, ownerReferences: [reference] } });
    expect((await owned)[0]?.metadata?.name).toBe('child');
  });

  test('says why it cannot start: forbidden, no such kind, bad credentials, nobody there', async () => {
    const as = (init: object) =>
      createTransport(clusterConfig({ server: api?.url ?? '', ca: api?.ca, token: api?.token, ...init }));
    const failure = async (transport: ReturnType<typeof as>, kind: typeof Pod = Pod, more: object = {}) => {
      const cache = new Cache({ transport, kind, ...more });
      const error: unknown = await cache.start().then(
        () => undefined,
        (cause: unknown) => cause,
      );
      expect(cache.ready).toBe(false);
      await cache.stop();
      await transport.close();
      return error;
    };
    const Ghost = defineKind<KubeObject>({
      group: 'no.dev',
      version: 'v1',
      kind: 'Ghost',
      plural: 'ghosts',
      namespaced: true,
    });
    expect(await failure(as({ impersonate: { user: 'nobody' } }))).toMatchObject({
      code: 'forbidden',
      message: expect.stringMatching(/list pods.*nobody.*Role/s),
    });
    expect(await failure(as({}), Ghost as typeof Pod)).toMatchObject({
      code: 'kind-not-found',
      message: expect.stringMatching(/ghosts\.no\.dev.*CRD/s),
    });
    expect(await failure(as({ token: 'wrong' }))).toMatchObject({ code: 'unauthorized' });
    expect(await failure(as({ server: 'https://127.0.0.1:1' }), Pod, { startTimeoutMs: 300 })).toMatchObject({
      code: 'unreachable',
      message: expect.stringMatching(/did not sync within 0\.3 s/),
    });
  });
});
