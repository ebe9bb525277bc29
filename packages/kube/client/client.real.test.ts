import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { realApiServer } from '../../../test/control-plane/suite.ts';
import { clusterConfig } from '../config/cluster-config.ts';
import { createMapper } from '../discovery/mapper.ts';
import type { KubeError } from '../errors.ts';
import { defineKind } from '../kind.ts';
import type { KubeObject } from '../object.ts';
import { createTransport } from '../transport/http.ts';
import { createClient } from './client.ts';
import type { Connected } from './connect.ts';
import { connect } from './connect.ts';
import type { WatchEvent } from './contract.ts';
import { evict, getScale, requestToken, setScale } from './subresources.ts';

const api = realApiServer();

interface ConfigMap extends KubeObject {
  data?: Record<string, string>;
}
const ConfigMap = defineKind<ConfigMap>({
  group: '',
  version: 'v1',
  kind: 'ConfigMap',
  plural: 'configmaps',
  namespaced: true,
});
const Namespace = defineKind<KubeObject>({
  group: '',
  version: 'v1',
  kind: 'Namespace',
  plural: 'namespaces',
  namespaced: false,
});
const ServiceAccount = defineKind<KubeObject>({
  group: '',
  version: 'v1',
  kind: 'ServiceAccount',
  plural: 'serviceaccounts',
  namespaced: true,
});
const Deployment = defineKind<KubeObject & { spec?: unknown; status?: { observedGeneration?: number } }>({
  group: 'apps',
  version: 'v1',
  kind: 'Deployment',
  plural: 'deployments',
  namespaced: true,
});
const Pod = defineKind<KubeObject & { spec?: unknown }>({
  group: '',
  version: 'v1',
  kind: 'Pod',
  plural: 'pods',
  namespaced: true,
});
const Widget = defineKind<KubeObject & { spec?: { size?: number } }>({
  group: 'client.test.sandbank.dev',
  version: 'v1',
  kind: 'Widget',
  plural: 'widgets',
  namespaced: true,
});
const Crd = defineKind<KubeObject & { spec?: object }>({
  group: 'apiextensions.k8s.io',
  version: 'v1',
  kind: 'CustomResourceDefinition',
  plural: 'customresourcedefinitions',
  namespaced: false,
});

describe.skipIf(api === null)('on a real API server', () => {
  const namespace = `kube-client-${process.pid}`;
  const warnings: string[] = [];
  let kube: Connected;

  beforeAll(async () => {
    kube = await connect({
      kubeconfig: api?.kubeconfig,
      env: {},
      client: { onWarning: (text) => void warnings.push(text), fieldManager: 'unit' },
    });
    await kube.client.create(Namespace, { metadata: { name: namespace } });
  });

  afterAll(async () => {
    await kube?.client.delete(Namespace, { name: namespace });
    await kube?.[Symbol.asyncDispose]();
  });

  const named = (name: string) => ({ namespace, name });
  const map = (name: string, data: Record<string, string> = {}) => ({ metadata: named(name), data });

  test('an object lives through create, get, update, patch, apply and delete', async () => {
    const { client } = kube;
    const created = await client.create(ConfigMap, map('life', { a: '1' }));
    expect(created).toMatchObject({ kind: 'ConfigMap', metadata: { name: 'life' }, data: { a: '1' } });
    expect(await client.get(ConfigMap, named('life'))).toEqual(created);
    await expect(client.create(ConfigMap, map('life'))).rejects.toMatchObject({ code: 'already-exists' });

    const updated = await client.update(ConfigMap, { ...created, data: { a: '2' }, metadata: created.metadata ?? {} });
    await expect(client.update(ConfigMap, { ...created, metadata: created.metadata ?? {} })).rejects.toMatchObject({
      code: 'conflict',
    });

    expect((await client.patch(ConfigMap, named('life'), { merge: { data: { b: '1' } } })).data).toEqual({
      a: '2',
      b: '1',
    });
    expect((await client.patch(ConfigMap, named('life'), { json: [{ op: 'remove', path: '/data/a' }] })).data).toEqual({
      b: '1',
    });
    expect((await client.patch(ConfigMap, named('life'), { strategic: { data: { c: '1' } } })).data).toEqual({
      b: '1',
      c: '1',
    });
    const stale = updated.metadata?.resourceVersion;
    await expect(
      client.patch(ConfigMap, named('life'), { merge: { metadata: { resourceVersion: stale } } }),
    ).rejects.toMatchObject({ code: 'conflict' });

    await expect(client.delete(ConfigMap, named('life'), { uid: 'another' })).rejects.toMatchObject({
      code: 'conflict',
    });
    expect(await client.delete(ConfigMap, named('life'), { uid: created.metadata?.uid })).toBeUndefined();
    await expect(client.get(ConfigMap, named('life'))).rejects.toMatchObject({ code: 'not-found', status: 404 });
  });

  test('server-side apply owns fields, and takes over only by force', async () => {
    const { client } = kube;
    await client.apply(ConfigMap, map('applied', { a: 'mine' }), { fieldManager: 'one' });
    await expect(
      client.apply(ConfigMap, map('applied', { a: 'theirs' }), { fieldManager: 'two' }),
    ).rejects.toMatchObject({
      code: 'conflict',
      message: expect.stringMatching(/conflict with "one".*take them over with force/s),
    });
    expect(
      (await client.apply(ConfigMap, map('applied', { a: 'theirs' }), { fieldManager: 'two', force: true })).data,
    ).toEqual({ a: 'theirs' });
  });

  test('dry-run changes nothing; strict validation names the unknown field', async () => {
    const { client } = kube;
    await client.create(ConfigMap, map('dry'), { dryRun: true });
    await expect(client.get(ConfigMap, named('dry'))).rejects.toMatchObject({ code: 'not-found' });
    const typo = { ...map('typo'), dta: {} };
    await expect(client.create(ConfigMap, typo, { fieldValidation: 'Strict' })).rejects.toMatchObject({
      code: 'bad-request',
      message: expect.stringContaining('unknown field "dta"'),
    });
    warnings.length = 0;
    await client.create(ConfigMap, typo, { fieldValidation: 'Warn', dryRun: true });
    expect(warnings).toEqual([expect.stringContaining('unknown field "dta"')]);
    await expect(client.create(ConfigMap, map('Bad_Name'))).rejects.toMatchObject({
      code: 'invalid',
      message: expect.stringContaining('metadata.name'),
    });
  });

  test('lists come in pages of one revision, by selector, as metadata, and are deleted together', async () => {
    const { client } = kube;
    const names = Array.from({ length: 1205 }, (_, index) => `page-${String(index).padStart(4, '0')}`);
    await Promise.all(
      names.map((name) => client.create(ConfigMap, { metadata: { ...named(name), labels: { set: 'page' } } })),
    );
    const all = await client.list(ConfigMap, { namespace, labelSelector: 'set=page' });
    expect(all.items.map((item) => item.metadata?.name)).toEqual(names);
    expect(all.items[0]).toMatchObject({ kind: 'ConfigMap', apiVersion: 'v1' });
    const page = await client.list(ConfigMap, { namespace, labelSelector: 'set=page', limit: 5 });
    expect(page).toMatchObject({ items: { length: 5 }, continue: expect.any(String) });
    const bare = await client.list(ConfigMap, {
      namespace,
      fieldSelector: 'metadata.name=page-0003',
      metadataOnly: true,
    });
    expect(bare.items).toMatchObject([{ kind: 'ConfigMap', metadata: { name: 'page-0003' } }]);
    await client.deleteCollection(ConfigMap, { namespace, labelSelector: 'set=page' });
    expect((await client.list(ConfigMap, { namespace, labelSelector: 'set=page' })).items).toEqual([]);
  });

  test('a watch sees what happens', async () => {
    const { client } = kube;
    const { resourceVersion } = await client.list(ConfigMap, { namespace });
    const controller = new AbortController();
    const watching = (async () => {
      const seen: string[] = [];
      const events: AsyncIterable<WatchEvent<ConfigMap>> = client.watch(ConfigMap, {
        namespace,
        resourceVersion,
        bookmarks: true,
        labelSelector: 'w=1',
        signal: controller.signal,
      });
      for await (const event of events) {
        if (event.type !== 'BOOKMARK') seen.push(`${event.type} ${event.object.data?.['text']}`);
        if (event.type === 'DELETED') break;
      }
      return seen;
    })();
    const text = '🙂'.repeat(50_000);
    await client.create(ConfigMap, { metadata: { ...named('watched'), labels: { w: '1' } }, data: { text } });
    await client.patch(ConfigMap, named('watched'), { merge: { data: { text: 'short' } } });
    await client.delete(ConfigMap, named('watched'));
    expect(await watching).toEqual([`ADDED ${text}`, 'MODIFIED short', 'DELETED short']);
  });

  test('a streaming list ends with its bookmark', async () => {
    const seen: WatchEvent<KubeObject>[] = [];
    for await (const event of kube.client.watch(Namespace, { sendInitialEvents: true, bookmarks: true })) {
      seen.push(event);
      if (event.type === 'BOOKMARK' && event.initialEventsEnd) break;
    }
    expect(seen.some((event) => event.type === 'ADDED' && event.object.metadata?.name === namespace)).toBe(true);
  });

  test('subresources: status, scale, eviction, token', async () => {
    const { client } = kube;
    const template = { metadata: { labels: { app: 'x' } }, spec: { containers: [{ name: 'c', image: 'none' }] } };
    await client.create(Deployment, {
      metadata: named('scaled'),
      spec: { replicas: 0, selector: { matchLabels: { app: 'x' } }, template },
    });
    expect(await setScale(client, Deployment, named('scaled'), 0)).toMatchObject({ kind: 'Scale', spec: {} });
    expect(await getScale(client, Deployment, named('scaled'))).toMatchObject({
      kind: 'Scale',
      metadata: { name: 'scaled' },
    });
    await client.patch(
      Deployment,
      named('scaled'),
      { merge: { status: { observedGeneration: 0 } } },
      { subresource: 'status' },
    );
    await client.create(Pod, {
      metadata: named('evicted'),
      spec: {
        containers: [{ name: 'c', image: 'none' }],
        automountServiceAccountToken: false,
        serviceAccountName: 'default',
      },
    });
    await evict(client, named('evicted'), { gracePeriodSeconds: 0 });
    await client.create(ServiceAccount, { metadata: named('bot') });
    const { token } = await requestToken(client, named('bot'), { expirationSeconds: 600 });
    expect(token.split('.')).toHaveLength(3);
  });

  describe('bad input', () => {
    test('a kind whose CRD is missing, until it is applied', async () => {
      const { client } = kube;
      await expect(client.list(Widget)).rejects.toMatchObject({
        code: 'kind-not-found',
        message: expect.stringMatching(/does not serve widgets\.client\.test.* in client\.test.*\/v1: apply the CRD/),
      });
      const mapper = createMapper(kube.transport);
      await expect(mapper.byKind('client.test.sandbank.dev/v1', 'Widget')).rejects.toMatchObject({
        code: 'kind-not-found',
      });
      const schema = {
        openAPIV3Schema: {
          type: 'object',
          properties: {
            spec: { type: 'object', required: ['size'], properties: { size: { type: 'integer', minimum: 1 } } },
          },
        },
      };
      await client.create(Crd, {
        metadata: { name: 'widgets.client.test.sandbank.dev' },
        spec: {
          group: Widget.group,
          scope: 'Namespaced',
          names: { kind: 'Widget', plural: 'widgets', shortNames: ['wdg'] },
          versions: [{ name: 'v1', served: true, storage: true, schema }],
        },
      });
      try {
        await expect
          .poll(
            () =>
              mapper.byName('wdg').then(
                (found) => found.plural,
                (error: KubeError) => error.code,
              ),
            { timeout: 20_000 },
          )
          .toBe('widgets');
        await expect
          .poll(
            () =>
              client.list(Widget).then(
                ({ items }) => items,
                (error: KubeError) => error.code,
              ),
            { timeout: 20_000 },
          )
          .toEqual([]);
        await expect(client.create(Widget, { metadata: named('w'), spec: { size: 0 } })).rejects.toMatchObject({
          code: 'invalid',
          message: expect.stringMatching(/spec\.size.*greater than or equal to 1/),
        });
        await client.create(Widget, { metadata: named('w'), spec: { size: 1 } });
        // This CRD enables no status subresource.
        await expect(client.patch(Widget, named('w'), { merge: {} }, { subresource: 'status' })).rejects.toMatchObject({
          code: 'not-found',
          message: expect.stringContaining('subresource status is not enabled'),
        });
      } finally {
        await client.delete(Crd, { name: 'widgets.client.test.sandbank.dev' });
      }
    });

    test('RBAC that forbids names who may not do what, and the remedy', async () => {
      const { client } = kube;
      await client.create(ServiceAccount, { metadata: named('nobody') });
      const { token } = await requestToken(client, named('nobody'));
      const transport = createTransport(clusterConfig({ server: api?.url ?? '', ca: api?.ca, token }));
      const restricted = createClient(transport);
      await expect(restricted.list(ConfigMap, { namespace })).rejects.toMatchObject({
        code: 'forbidden',
        message: expect.stringMatching(
          /User "system:serviceaccount:.*:nobody" cannot list resource "configmaps".*Bind a Role or ClusterRole that allows "list" on "configmaps"/,
        ),
      });
      await expect(Array.fromAsync(restricted.watch(ConfigMap, { namespace }))).rejects.toMatchObject({
        code: 'forbidden',
      });
      await transport.close();
    });

    test('a wrong token is refused by name', async () => {
      const config = clusterConfig({ server: api?.url ?? '', ca: api?.ca, token: 'wrong', source: 'the test' });
      await expect(connect({ config })).rejects.toMatchObject({
        code: 'unauthorized',
        message: expect.stringMatching(/not accepted: the token of the test\. Log in again/),
      });
    });

    test('an API server of another cluster is not trusted', async () => {
      const config = clusterConfig({ server: api?.url ?? '', source: 'the test' });
      await expect(connect({ config })).rejects.toMatchObject({
        code: 'tls-failed',
        message: expect.stringContaining('certificate-authority-data'),
      });
    });
  });

  test('impersonation acts as somebody else', async () => {
    const config = clusterConfig({
      server: api?.url ?? '',
      ca: api?.ca,
      token: api?.token,
      impersonate: { user: 'jane', groups: ['dev', 'system:authenticated'] },
    });
    const transport = createTransport(config);
    await expect(createClient(transport).list(ConfigMap, { namespace })).rejects.toThrow(/User "jane" cannot list/);
    await transport.close();
  });
});
