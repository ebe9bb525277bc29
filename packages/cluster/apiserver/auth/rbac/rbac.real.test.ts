/** Decisions, default roles and refusals of RBAC: ours and the real server's, side by side. */
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { realApiServer } from '../../../../../test/control-plane/suite.ts';
import { openMemoryStore } from '../../../store/open.ts';
import type { Store } from '../../../store/store.ts';
import { ApiError } from '../../http/api-error.ts';
import type { RequestContext, Resource } from '../../registry/resource.ts';
import type { JsonObject } from '../../schema/structural.ts';
import { metadataOf, textOf } from '../../verbs/stored-object.ts';
import { subjectAccessReview } from '../reviews/access-review.ts';
import {
  type EscalationCase,
  escalations,
  policy,
  questions,
  reviewSpec,
  SPACES,
} from '../testing/policy-cases.fixture.ts';
import { policyPath, policyPlural, realServer } from '../testing/real-server.fixture.ts';
import { reconcileBootstrap } from './bootstrap.ts';
import { bootstrapObjects } from './bootstrap-policy.ts';
import { atomsOf } from './coverage.ts';
import { rbacEscalation } from './escalation.ts';
import { POLICY_PREFIX } from './policy-index.ts';
import { Rbac } from './rbac.ts';
import { rulesOf } from './rules.ts';

const api = realApiServer();
const call = realServer(api);
const SAR = '/apis/authorization.k8s.io/v1/subjectaccessreviews';
const review = (spec: JsonObject): JsonObject => ({
  apiVersion: 'authorization.k8s.io/v1',
  kind: 'SubjectAccessReview',
  spec,
});

let store: Store;
let rbac: Rbac;

describe.skipIf(api === null)('RBAC beside the real server', () => {
  beforeAll(async () => {
    store = await openMemoryStore();
    for (const name of SPACES) await call('POST', '/api/v1/namespaces', { metadata: { name } });
    for (const object of policy) {
      const { name, namespace } = metadataOf(object);
      const [status, body] = await call('POST', policyPath(object['kind'], namespace), object);
      expect([201, JSON.stringify(body)]).toEqual([status, JSON.stringify(body)]);
      const key = `${POLICY_PREFIX}${policyPlural(object['kind'])}/${namespace === undefined ? '' : `${namespace}/`}${name}`;
      await store.txn({ type: 'create', key, value: JSON.stringify(object) });
    }
    await reconcileBootstrap(store, new Date());
    rbac = new Rbac(store);
    rbac.start((error) => {
      throw error;
    });
    // The real server follows its own store a little later: the last binding is the last to work.
    await vi.waitFor(
      async () => {
        for (const spec of ['someone+auth-roots: get /anything', 'auth-admin: get pods in auth-one']) {
          const [, body] = await call('POST', SAR, review(reviewSpec(spec)));
          expect((body['status'] as JsonObject)['allowed']).toBe(true);
        }
      },
      { timeout: 20_000, interval: 100 },
    );
  });
  afterAll(async () => {
    await rbac.close();
    await store.close();
    for (const object of policy) {
      const { name, namespace } = metadataOf(object);
      await call('DELETE', `${policyPath(object['kind'], namespace)}/${name}`);
    }
    for (const name of SPACES) await call('DELETE', `/api/v1/namespaces/${name}`);
  });

  test('there are enough questions', () => {
    expect(new Set(questions).size).toBe(questions.length);
    expect(questions.length).toBeGreaterThanOrEqual(80);
  });

  test.each(questions)('%s', async (question) => {
    const asked = review(reviewSpec(question));
    const [status, real] = await call('POST', SAR, asked);
    expect(status).toBe(201);
    expect(subjectAccessReview(rbac.authorize, asked)['status']).toEqual(real['status']);
  });

  test.each(bootstrapObjects().map((object) => [object['kind'], textOf(object, 'name')]))(
    'default %s %s is the real one',
    async (kind, name) => {
      const [status, real] = await call('GET', `${policyPath(kind, undefined)}/${name}`);
      expect(status).toBe(200);
      const entry = store.get(`${POLICY_PREFIX}${policyPlural(kind)}/${name}`);
      const ours = JSON.parse(entry?.value ?? '{}') as JsonObject;
      const grants = (role: JsonObject) =>
        new Set(
          rulesOf(role)
            .flatMap(atomsOf)
            .map((atom) => JSON.stringify(atom)),
        );
      expect(grants(ours)).toEqual(grants(real));
      expect(ours['aggregationRule']).toEqual(real['aggregationRule']);
      expect(ours['subjects']).toEqual(real['subjects']);
      expect(ours['roleRef']).toEqual(real['roleRef']);
      for (const field of ['labels', 'annotations']) expect(metadataOf(ours)[field]).toEqual(metadataOf(real)[field]);
    },
  );

  test('the rules of an aggregated role come in the same order', async () => {
    for (const name of ['admin', 'edit', 'view']) {
      const [, real] = await call('GET', `${policyPath('ClusterRole', undefined)}/${name}`);
      const ours = JSON.parse(store.get(`${POLICY_PREFIX}clusterroles/${name}`)?.value ?? '{}') as JsonObject;
      expect(ours['rules']).toEqual(real['rules']);
    }
  });

  test.each(
    escalations.map((one, at) => [`${at}: ${one.as} writes ${one.kind} ${JSON.stringify(one.body)}`, one] as const),
  )('escalation %s', async (_, one) => {
    const object = { metadata: { name: 'auth-new' }, ...one.body };
    const path = `${policyPath(one.kind, one.namespace)}?dryRun=All`;
    const [status, real] = await call('POST', path, object, { 'impersonate-user': one.as });
    const ours = escalate(one, object);
    if (status < 300) expect(ours).toBeUndefined();
    else expect(ours).toEqual(real);
  });

  test('a change of anything but finalizers and owners is judged again', async () => {
    const name = 'auth-reader';
    const [, live] = await call('GET', `${policyPath('ClusterRole', undefined)}/${name}`);
    for (const metadata of [{ labels: { a: 'b' } }, { finalizers: ['example.com/wait'] }]) {
      const changed = { ...live, metadata: { ...metadataOf(live), ...metadata } };
      const path = `${policyPath('ClusterRole', undefined)}/${name}?dryRun=All`;
      const [status, real] = await call('PUT', path, changed, { 'impersonate-user': 'auth-writer' });
      const ours = escalate({ as: 'auth-writer', kind: 'ClusterRole', body: {} }, changed, live);
      if (status < 300) expect(ours).toBeUndefined();
      else expect(ours).toEqual(real);
    }
  });
});

/** The Status that our check refuses with; undefined when it lets the write pass. */
function escalate(one: EscalationCase, object: JsonObject, oldObject?: JsonObject): JsonObject | undefined {
  const resource = {
    group: 'rbac.authorization.k8s.io',
    version: 'v1',
    plural: policyPlural(one.kind),
    kind: one.kind,
  };
  const context = { user: { name: one.as, groups: ['system:authenticated'] } };
  try {
    void rbacEscalation(rbac).validate?.({
      operation: oldObject ? 'UPDATE' : 'CREATE',
      resource: resource as Resource,
      namespace: one.namespace,
      name: textOf(object, 'name'),
      object,
      oldObject,
      options: {},
      context: context as unknown as RequestContext,
    });
    return undefined;
  } catch (error) {
    if (error instanceof ApiError) return error.toStatus();
    throw error;
  }
}
