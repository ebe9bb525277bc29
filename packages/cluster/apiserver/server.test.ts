/** The API server in one piece, spoken to by our own client: in this process and over TLS. */

import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  Cache,
  type Client,
  createClient,
  createTransport,
  isAlreadyExists,
  isConflict,
  isForbidden,
  isInvalid,
  isNotFound,
  loadConfig,
} from '@sandbank/kube';
import {
  ConfigMap,
  CustomResourceDefinition,
  Namespace,
  Pod,
  RoleBinding,
  SelfSubjectAccessReview,
  ServiceAccount,
} from '@sandbank/kube/kinds';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { parse } from 'yaml';
import { openMemoryStore } from '../store/open.ts';
import type { Store } from '../store/store.ts';
import { kubeconfigText } from './auth/kubeconfig.ts';
import { openMemoryPki, type Pki } from './auth/pki/pki.ts';
import type { Listener } from './http/listener.ts';
import { type ApiServer, startApiServer } from './server.ts';

let store: Store;
let pki: Pki;
let server: ApiServer;
let client: Client;
const troubles: unknown[] = [];

beforeAll(async () => {
  store = await openMemoryStore();
  pki = await openMemoryPki({ hosts: [], now: Date.now });
  server = await startApiServer({ store, pki, onError: (error) => troubles.push(error) });
  client = createClient(server.transport());
  // Its controller's work, which is not here yet.
  await client.create(ServiceAccount, { metadata: { namespace: 'default', name: 'default' } });
});
afterAll(async () => {
  await server[Symbol.asyncDispose]();
  await store.close();
  expect(troubles).toEqual([]);
});

const named = (name: string) => ({ namespace: 'default', name });

describe('objects', () => {
  test('create, read, update with a guard, delete with a precondition', async () => {
    const made = await client.create(ConfigMap, { metadata: named('one'), data: { a: '1' } });
    expect(made.metadata).toMatchObject({
      name: 'one',
      uid: expect.stringMatching(/^[0-9a-f-]{36}$/),
      resourceVersion: expect.any(String),
    });
    expect((await client.get(ConfigMap, named('one'))).data).toEqual({ a: '1' });

    const updated = await client.update(ConfigMap, { ...made, metadata: made.metadata ?? {}, data: { a: '2' } });
    const stale = client.update(ConfigMap, { ...made, metadata: made.metadata ?? {}, data: { a: '3' } });
    await expect(stale).rejects.toSatisfy(isConflict);
    expect(updated.metadata?.resourceVersion).not.toBe(made.metadata?.resourceVersion);

    await expect(client.delete(ConfigMap, named('one'), { uid: 'another' })).rejects.toSatisfy(isConflict);
    await client.delete(ConfigMap, named('one'), { uid: made.metadata?.uid });
    await expect(client.get(ConfigMap, named('one'))).rejects.toSatisfy(isNotFound);
  });

  test('patches: merge, JSON, strategic, apply with owners and conflicts', async () => {
    await client.create(ConfigMap, { metadata: named('patched'), data: { a: '1' } }, { fieldManager: 'creator' });
    await client.patch(ConfigMap, named('patched'), { merge: { data: { b: '2' } } });
    await client.patch(ConfigMap, named('patched'), { json: [{ op: 'replace', path: '/data/a', value: '9' }] });
    const merged = await client.patch(ConfigMap, named('patched'), { strategic: { data: { b: null, c: '3' } } });
    expect(merged.data).toEqual({ a: '9', c: '3' });
    const wanted = { metadata: named('patched'), data: { a: 'mine' } };
    await expect(client.apply(ConfigMap, wanted, { fieldManager: 'me' })).rejects.toSatisfy(isConflict);
    const applied = await client.apply(ConfigMap, wanted, { fieldManager: 'me', force: true });
    expect(applied.metadata?.managedFields?.find(({ manager }) => manager === 'me')?.operation).toBe('Apply');
  });

  test('a write that changes nothing is none', async () => {
    const before = await client.create(ConfigMap, { metadata: named('same'), data: { a: '1' } });
    const after = await client.patch(ConfigMap, named('same'), { merge: { data: { a: '1' } } });
    expect(after.metadata?.resourceVersion).toBe(before.metadata?.resourceVersion);
  });

  test('bad input is refused by name', async () => {
    await expect(client.create(ConfigMap, { metadata: named('Not_A_Name') })).rejects.toSatisfy(isInvalid);
    await expect(client.create(ConfigMap, { metadata: { namespace: 'nowhere', name: 'x' } })).rejects.toThrow(
      /namespaces "nowhere" not found/,
    );
    await client.create(ConfigMap, { metadata: named('taken') });
    await expect(client.create(ConfigMap, { metadata: named('taken') })).rejects.toSatisfy(isAlreadyExists);
    const odd = { metadata: named('odd'), dota: {} } as { metadata: { name: string } };
    await expect(client.create(ConfigMap, odd, { fieldValidation: 'Strict' })).rejects.toThrow(/unknown field "dota"/);
    await expect(client.create(Pod, { metadata: named('empty'), spec: { containers: [] } })).rejects.toThrow(
      /spec.containers: Required value/,
    );
  });

  test('dry run stores nothing', async () => {
    await client.create(ConfigMap, { metadata: named('dry') }, { dryRun: true });
    await expect(client.get(ConfigMap, named('dry'))).rejects.toSatisfy(isNotFound);
  });

  test('pods get their defaults, and wait for their grace', async () => {
    const pod = await client.create(Pod, {
      metadata: named('p'),
      spec: { nodeName: 'n', containers: [{ name: 'c', image: 'i' }] },
    });
    expect(pod.spec).toMatchObject({
      restartPolicy: 'Always',
      dnsPolicy: 'ClusterFirst',
      terminationGracePeriodSeconds: 30,
    });
    const going = await client.delete(Pod, named('p'));
    expect(going?.metadata).toMatchObject({ deletionGracePeriodSeconds: 30, deletionTimestamp: expect.any(String) });
    await client.delete(Pod, named('p'), { gracePeriodSeconds: 0 });
    await expect(client.get(Pod, named('p'))).rejects.toSatisfy(isNotFound);
  });

  test('a paged list shows one instant', async () => {
    await client.create(Namespace, { metadata: { name: 'paged' } });
    for (let n = 0; n < 7; n++)
      await client.create(ConfigMap, {
        metadata: { namespace: 'paged', name: `c${n}`, labels: { odd: String(n % 2 === 1) } },
      });
    const first = await client.list(ConfigMap, { namespace: 'paged', limit: 3 });
    await client.create(ConfigMap, { metadata: { namespace: 'paged', name: 'c9' } });
    const second = await client.list(ConfigMap, { namespace: 'paged', limit: 10, continue: first.continue });
    expect([...first.items, ...second.items].map((object) => object.metadata?.name)).toEqual([
      'c0',
      'c1',
      'c2',
      'c3',
      'c4',
      'c5',
      'c6',
    ]);
    expect((await client.list(ConfigMap, { namespace: 'paged', labelSelector: 'odd=true' })).items).toHaveLength(3);
    expect(
      (await client.list(ConfigMap, { namespace: 'paged', fieldSelector: 'metadata.name=c3' })).items,
    ).toHaveLength(1);
  });
});

test('a cache follows the server and equals a fresh list', async () => {
  const transport = server.transport();
  const cache = new Cache({ kind: ConfigMap, transport, selection: { namespace: 'default' } });
  await cache.start();
  await client.create(ConfigMap, { metadata: named('seen'), data: { n: '1' } });
  await client.patch(ConfigMap, named('seen'), { merge: { data: { n: '2' } } });
  await cache.waitFor(named('seen'), (object) => object?.data?.['n'] === '2', { timeoutMs: 5000 });
  await client.delete(ConfigMap, named('seen'));
  await cache.waitFor(named('seen'), (object) => object === undefined, { timeoutMs: 5000 });
  const fresh = await client.list(ConfigMap, { namespace: 'default' });
  expect(
    cache
      .list()
      .map((object) => object.metadata?.name)
      .sort(),
  ).toEqual(fresh.items.map((object) => object.metadata?.name).sort());
  await cache.stop();
  await transport.close();
});

test('our own CRDs are taken, served and enforced; a deleted one takes its objects with it', async () => {
  const text = await readFile(
    new URL('../../../deploy/crds/sandbox.opensandbox.io_pools.yaml', import.meta.url),
    'utf8',
  );
  const crd = parse(text) as CustomResourceDefinition & { metadata: { name: string } };
  const pools = {
    group: 'sandbox.opensandbox.io',
    version: 'v1alpha1',
    kind: 'Pool',
    plural: 'pools',
    namespaced: true,
  };
  await client.apply(CustomResourceDefinition, crd, { fieldManager: 'test' });
  await vi.waitUntil(
    () =>
      client.list(pools).then(
        () => true,
        () => false,
      ),
    { timeout: 5000 },
  );
  const capacitySpec = { bufferMin: 1, bufferMax: 2, poolMin: 0, poolMax: 3 };
  const pool = (spec: object) => ({ metadata: named('python'), spec }) as { metadata: { name: string } };
  await expect(client.create(pools, pool({ capacitySpec: { ...capacitySpec, poolMax: -1 } }))).rejects.toThrow(
    /spec.capacitySpec.poolMax: Invalid value: -1/,
  );
  const made = await client.create(pools, pool({ capacitySpec, recycleStrategy: {} }));
  expect(made).toMatchObject({ spec: { recycleStrategy: { type: 'Delete' } }, metadata: { generation: 1 } });
  await client.patch(
    pools,
    named('python'),
    { merge: { status: { total: 3, revision: 'r', allocated: 0, available: 0 } } },
    { subresource: 'status' },
  );
  const read = await client.get(pools, named('python'));
  expect(read).toMatchObject({ status: { total: 3 }, metadata: { generation: 1 } });
  await client.delete(CustomResourceDefinition, { name: crd.metadata.name });
  await vi.waitUntil(
    () =>
      client.list(pools).then(
        () => false,
        () => true,
      ),
    { timeout: 5000 },
  );
  const crdIsGone = () =>
    client.get(CustomResourceDefinition, { name: crd.metadata.name }).then(() => false, isNotFound);
  await vi.waitUntil(crdIsGone, { timeout: 5000 });
});

describe('over TLS', () => {
  let listener: Listener;
  let folder = '';
  const kubeconfig = async (name: string, groups: string[]) => {
    const identity = await pki.issueClient({ name, groups });
    const file = join(folder, `${name}.yaml`);
    await writeFile(
      file,
      kubeconfigText({ server: `https://127.0.0.1:${listener.port}`, ca: pki.ca, credentials: identity }),
    );
    return loadConfig({ kubeconfig: file });
  };
  beforeAll(async () => {
    listener = await server.listen({ host: '127.0.0.1', port: 0 });
    folder = await mkdtemp(join(tmpdir(), 'sandbank-apiserver-'));
  });
  afterAll(() => rm(folder, { recursive: true, force: true }));

  async function as(name: string, groups: string[]) {
    const transport = createTransport(await kubeconfig(name, groups));
    return { client: createClient(transport), [Symbol.asyncDispose]: () => transport.close() };
  }

  test('an administrator may, a stranger may not, a bound user may what was bound', async () => {
    await using admin = await as('root', ['system:masters']);
    expect((await admin.client.list(Namespace)).items.length).toBeGreaterThan(3);
    await using stranger = await as('stranger', []);
    await expect(stranger.client.list(ConfigMap, { namespace: 'default' })).rejects.toSatisfy(isForbidden);
    await admin.client.create(RoleBinding, {
      metadata: named('viewers'),
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'view' },
      subjects: [{ kind: 'User', name: 'stranger', apiGroup: 'rbac.authorization.k8s.io' }],
    });
    await vi.waitUntil(
      () =>
        stranger.client.list(ConfigMap, { namespace: 'default' }).then(
          () => true,
          () => false,
        ),
      { timeout: 5000 },
    );
    await expect(stranger.client.create(ConfigMap, { metadata: named('no') })).rejects.toSatisfy(isForbidden);
    const review = await stranger.client.create(SelfSubjectAccessReview, {
      metadata: {},
      spec: { resourceAttributes: { namespace: 'default', verb: 'list', resource: 'configmaps' } },
    });
    expect(review.status?.allowed).toBe(true);
  });

  test('without credentials only health answers', async () => {
    const { Agent, request } = await import('undici');
    const dispatcher = new Agent({ connect: { ca: pki.ca } });
    const ask = async (path: string) => {
      const { statusCode, body } = await request(`https://127.0.0.1:${listener.port}${path}`, { dispatcher });
      return [statusCode, await body.text()] as const;
    };
    expect(await ask('/healthz')).toEqual([200, 'ok']);
    for (const path of ['/api', '/api/v1/namespaces', '/metrics', '/version', '/api/v1/%2e%2e/healthz'])
      expect((await ask(path))[0], path).toBe(401);
    await dispatcher.close();
  });

  test('a body over 3 MiB and broken JSON are refused, and the server goes on', async () => {
    await using admin = await as('root', ['system:masters']);
    const huge = admin.client.create(ConfigMap, { metadata: named('huge'), data: { a: 'x'.repeat(4 * 1024 * 1024) } });
    await expect(huge).rejects.toMatchObject({ code: 'too-large' });
    expect((await admin.client.list(Namespace)).items.length).toBeGreaterThan(3);
  });
});
