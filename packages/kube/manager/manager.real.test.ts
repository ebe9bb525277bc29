import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { realApiServer } from '../../../test/control-plane/suite.ts';
import { type Connected, connect } from '../client/connect.ts';
import { controller } from '../controller/spec.ts';
import { Expectations } from '../expectations/expectations.ts';
import { observeExpectations } from '../expectations/observe.ts';
import { ConfigMap, Namespace, Secret, ServiceAccount } from '../kinds/index.ts';
import { keyText } from '../object.ts';
import { controllerOf, ownerReference } from '../owners.ts';
import { startManager } from './manager.ts';
import { tokenReview } from './token-review.ts';

const api = realApiServer();

describe.skipIf(api === null)('a manager on a real API server', () => {
  let kube: Connected;
  let namespace = '';

  beforeAll(async () => {
    kube = await connect({ kubeconfig: api?.kubeconfig });
    namespace = (await kube.client.create(Namespace, { metadata: { generateName: 'manager-' } })).metadata?.name ?? '';
  });

  afterAll(async () => {
    await kube?.client.delete(Namespace, { name: namespace });
    await kube?.[Symbol.asyncDispose]();
  });

  /** Keeps as many Secrets for a ConfigMap as it asks for. */
  function keeper(expectations: Expectations, made: { count: number }) {
    return controller<ConfigMap>({
      name: 'keeper',
      for: { of: ConfigMap, labelSelector: 'keeper=yes' },
      owns: [Secret],
      workers: 4,
      async reconcile({ key, cache, client, signal }) {
        const id = keyText(key);
        const wanted = cache.of(ConfigMap).get(key);
        if (!wanted) return expectations.forget(id);
        const left = expectations.remainingMs(id);
        if (left !== undefined) return { requeueAfter: left };
        const mine = cache.of(Secret).by('keeper', wanted.metadata?.uid ?? '');
        const missing = Number(wanted.data?.['count'] ?? 0) - mine.length;
        const metadata = {
          namespace: key.namespace ?? '',
          generateName: `${key.name}-`,
          ownerReferences: [ownerReference(ConfigMap, wanted)],
        };
        for (let i = 0; i < missing; i++) {
          expectations.expectCreate(id, { count: 1 });
          made.count++;
          await client.create(Secret, { metadata }, { signal });
        }
        for (const extra of mine.slice(0, Math.max(0, -missing))) {
          const { uid = '', name = '' } = extra.metadata ?? {};
          expectations.expectDelete(id, uid);
          await client.delete(Secret, { namespace: key.namespace, name }, { uid, signal });
        }
        return undefined;
      },
    });
  }

  test('runs a controller with owned objects and expectations, and makes none too many', async () => {
    await using manager = await startManager({
      kube,
      namespace,
      leaderElection: { lease: { namespace, name: 'keeper' } },
    });
    const expectations = new Expectations();
    const made = { count: 0 };
    const secrets = manager.caches.of(Secret, { indexes: { keeper: (secret) => controllerOf(secret)?.uid } });
    observeExpectations(expectations, secrets, (secret) => {
      const owner = controllerOf(secret);
      return owner ? `${secret.metadata?.namespace}/${owner.name}` : undefined;
    });
    const running = manager.run(keeper(expectations, made));
    const asked = { name: 'three', namespace, labels: { keeper: 'yes' } };
    const owner = await kube.client.create(ConfigMap, { metadata: asked, data: { count: '3' } });
    const uid = owner.metadata?.uid ?? '';
    const counts = (count: number) =>
      secrets.waitForBy('keeper', uid, (objects) => objects.length === count, { timeoutMs: 20_000 });
    await counts(3);
    // A change that asks for nothing new, as often as it likes.
    for (let i = 0; i < 5; i++) {
      await kube.client.patch(ConfigMap, { namespace, name: 'three' }, { merge: { data: { note: `${i}` } } });
    }
    const [one] = await counts(3);
    await kube.client.delete(Secret, { namespace, name: one?.metadata?.name ?? '' });
    await secrets.waitForBy(
      'keeper',
      uid,
      (all) => all.length === 3 && !all.some((s) => s.metadata?.uid === one?.metadata?.uid),
    );
    expect(made.count).toBe(4);
    await kube.client.patch(ConfigMap, { namespace, name: 'three' }, { merge: { data: { count: '1' } } });
    await counts(1);
    expect(made.count).toBe(4);
    const text = await manager.metrics.registry.metrics();
    expect(text).toMatch(/controller_runtime_reconcile_total\{controller="keeper",result="success"\} [1-9]/);
    expect(text).toContain(`leader_election_master_status{name="${namespace}/keeper"} 1`);
    await manager.stop();
    await running;
  });

  test('metrics are read with a token that the API server knows and RBAC allows', async () => {
    const auth = tokenReview({ client: kube.client });
    await using manager = await startManager({ kube, metrics: { port: 0, host: '127.0.0.1', auth } });
    const status = async (token: string) => {
      const url = `http://127.0.0.1:${manager.metricsAddress?.port}/metrics`;
      return (await fetch(url, { headers: { authorization: `Bearer ${token}` } })).status;
    };
    await kube.client.create(ServiceAccount, { metadata: { name: 'reader', namespace } });
    const request = await kube.transport.request({
      method: 'POST',
      path: `/api/v1/namespaces/${namespace}/serviceaccounts/reader/token`,
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ apiVersion: 'authentication.k8s.io/v1', kind: 'TokenRequest', spec: {} }),
    });
    const { status: issued } = JSON.parse(request.body.toString()) as { status: { token: string } };
    expect(await status(api?.token ?? '')).toBe(200);
    expect(await status('unknown')).toBe(403);
    expect(await status(issued.token)).toBe(403);
  });
});
