import { expect, onTestFinished, test, vi } from 'vitest';
import { openMemoryStore } from '../../../store/open.ts';
import type { Store } from '../../../store/store.ts';
import type { JsonObject } from '../../schema/structural.ts';
import { metadataOf } from '../../verbs/stored-object.ts';
import { followAggregation, reconcileAggregation } from './aggregation.ts';
import { reconcileBootstrap } from './bootstrap.ts';
import { bootstrapObjects } from './bootstrap-policy.ts';
import { POLICY_PREFIX } from './policy-index.ts';
import { rulesOf } from './rules.ts';

const NOW = new Date('2026-01-02T03:04:05Z');

async function openStore(): Promise<Store> {
  const store = await openMemoryStore();
  onTestFinished(() => store.close());
  return store;
}

const keyOf = (plural: string, name: string) => `${POLICY_PREFIX}${plural}/${name}`;
const read = (store: Store, plural: string, name: string) =>
  JSON.parse(store.get(keyOf(plural, name))?.value ?? '{}') as JsonObject;
const write = (store: Store, plural: string, name: string, object: JsonObject) =>
  store.txn({ type: 'put', key: keyOf(plural, name), value: JSON.stringify(object) });

test('the policy is made once and then left as it is', async () => {
  const store = await openStore();
  expect(await reconcileBootstrap(store, NOW)).toBeGreaterThan(bootstrapObjects().length);
  expect(await reconcileBootstrap(store, NOW)).toBe(0);
  const view = read(store, 'clusterroles', 'view');
  expect(metadataOf(view)).toMatchObject({
    uid: expect.stringMatching(/^[0-9a-f-]{36}$/),
    creationTimestamp: '2026-01-02T03:04:05Z',
    resourceVersion: String(store.get(keyOf('clusterroles', 'view'))?.revision),
  });
  expect(rulesOf(view).length).toBeGreaterThan(10);
});

test('what was taken out comes back, what was added stays, and who says no is left alone', async () => {
  const store = await openStore();
  await reconcileBootstrap(store, NOW);
  const extra = { apiGroups: ['x.example'], resources: ['things'], verbs: ['get'] };
  const basic = read(store, 'clusterroles', 'system:basic-user');
  await write(store, 'clusterroles', 'system:basic-user', { ...basic, rules: [extra] });
  const discovery = read(store, 'clusterrolebindings', 'system:discovery');
  const jane = { kind: 'User', name: 'jane' };
  await write(store, 'clusterrolebindings', 'system:discovery', { ...discovery, subjects: [jane] });
  const monitoring = read(store, 'clusterroles', 'system:monitoring');
  const annotations = { 'rbac.authorization.kubernetes.io/autoupdate': 'false' };
  await write(store, 'clusterroles', 'system:monitoring', {
    ...monitoring,
    metadata: { ...metadataOf(monitoring), annotations },
    rules: [],
  });
  expect(await reconcileBootstrap(store, NOW)).toBe(2);
  const [first, ...rest] = rulesOf(read(store, 'clusterroles', 'system:basic-user'));
  expect(first?.apiGroups).toEqual(['x.example']);
  expect(rest.map(({ resources }) => resources[0])).toEqual([
    'selfsubjectaccessreviews',
    'selfsubjectrulesreviews',
    'selfsubjectreviews',
  ]);
  expect(read(store, 'clusterrolebindings', 'system:discovery')['subjects']).toEqual([
    jane,
    { apiGroup: 'rbac.authorization.k8s.io', kind: 'Group', name: 'system:authenticated' },
  ]);
  expect(read(store, 'clusterroles', 'system:monitoring')['rules']).toEqual([]);
});

test('a role with the label becomes part of view, edit and admin, and leaves them again', async () => {
  const store = await openStore();
  await reconcileBootstrap(store, NOW);
  const stop = new AbortController();
  const following = followAggregation(store, {
    signal: stop.signal,
    onError: (error) => {
      throw error;
    },
  });
  const has = (role: string) =>
    rulesOf(read(store, 'clusterroles', role)).some(({ apiGroups }) => apiGroups.includes('x.example'));
  await write(store, 'clusterroles', 'things-viewer', {
    metadata: { name: 'things-viewer', labels: { 'rbac.authorization.k8s.io/aggregate-to-view': 'true' } },
    rules: [{ apiGroups: ['x.example'], resources: ['things'], verbs: ['get'] }],
  });
  await vi.waitFor(() => expect(['view', 'edit', 'admin'].map(has)).toEqual([true, true, true]));
  await store.txn({ type: 'delete', key: keyOf('clusterroles', 'things-viewer') });
  await vi.waitFor(() => expect(['view', 'edit', 'admin'].map(has)).toEqual([false, false, false]));
  stop.abort();
  await following;
});

test('roles that are part of each other come to rest', async () => {
  const store = await openStore();
  for (const [name, other] of [
    ['a', 'b'],
    ['b', 'a'],
  ] as const) {
    await write(store, 'clusterroles', name, {
      metadata: { name, labels: { is: name } },
      aggregationRule: { clusterRoleSelectors: [{ matchLabels: { is: other } }] },
      rules: [{ apiGroups: [''], resources: [name], verbs: ['get'] }],
    });
  }
  await reconcileAggregation(store);
  expect(store.revision).toBeLessThan(50);
});
