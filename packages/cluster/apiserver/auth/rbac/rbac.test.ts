import fc from 'fast-check';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { openMemoryStore } from '../../../store/open.ts';
import type { Store } from '../../../store/store.ts';
import type { User } from '../../registry/resource.ts';
import type { JsonObject } from '../../schema/structural.ts';
import type { Attributes, Decision } from '../contract.ts';
import { POLICY_PREFIX } from './policy-index.ts';
import { asking, Rbac } from './rbac.ts';
import { ruleAllows, rulesOf } from './rules.ts';

async function policy(...objects: JsonObject[]): Promise<{ store: Store; rbac: Rbac }> {
  const store = await openMemoryStore();
  for (const object of objects) await write(store, object);
  const rbac = new Rbac(store);
  rbac.start((error) => {
    throw error;
  });
  onTestFinished(async () => {
    await rbac.close();
    await store.close();
  });
  return { store, rbac };
}

const PLURALS: Record<string, string> = {
  Role: 'roles',
  ClusterRole: 'clusterroles',
  RoleBinding: 'rolebindings',
  ClusterRoleBinding: 'clusterrolebindings',
};

function keyOf(object: JsonObject): string {
  const { name, namespace } = object['metadata'] as { name: string; namespace?: string };
  return `${POLICY_PREFIX}${PLURALS[String(object['kind'])]}/${namespace === undefined ? '' : `${namespace}/`}${name}`;
}

const write = (store: Store, object: JsonObject) =>
  store.txn({ type: 'put', key: keyOf(object), value: JSON.stringify(object) });

const rule = (apiGroups: string[], resources: string[], verbs: string[], resourceNames: string[] = []): JsonObject => ({
  apiGroups,
  resources,
  verbs,
  resourceNames,
});
const paths = (nonResourceURLs: string[], verbs: string[]): JsonObject => ({ nonResourceURLs, verbs });
const role = (kind: string, name: string, rules: JsonObject[], namespace?: string): JsonObject => ({
  kind,
  metadata: { name, ...(namespace === undefined ? {} : { namespace }) },
  rules,
});
const binding = (name: string, roleRef: [string, string], subjects: JsonObject[], namespace?: string): JsonObject => ({
  kind: namespace === undefined ? 'ClusterRoleBinding' : 'RoleBinding',
  metadata: { name, ...(namespace === undefined ? {} : { namespace }) },
  roleRef: { kind: roleRef[0], name: roleRef[1] },
  subjects,
});
const jane: User = { name: 'jane', groups: ['dev'] };
const toJane = [{ kind: 'User', name: 'jane' }];

/** `get pods/exec x in ns` */
function question(text: string, user = jane): Attributes {
  const match = /^(\S+) (\/\S*|[^\s/]+)(?:\/(\S+))?(?: (?!in )(\S+))?(?: in (\S+))?$/.exec(text);
  if (!match) throw new Error(text);
  const [, verb = '', what = '', subresource = '', name = '', namespace = ''] = match;
  if (what.startsWith('/')) return asking(user, { verb, path: text.slice(verb.length + 1) });
  const [resource = '', ...group] = what.split('.');
  return asking(user, { verb, group: group.join('.'), resource, subresource, name, namespace });
}

describe('what a role allows', () => {
  const cases: [rules: JsonObject[], question: string, allowed: boolean][] = [
    [[rule([''], ['pods'], ['get'])], 'get pods in a', true],
    [[rule([''], ['pods'], ['get'])], 'list pods in a', false],
    [[rule([''], ['pods'], ['get'])], 'get pods/log x in a', false],
    [[rule([''], ['pods/log'], ['get'])], 'get pods/log x in a', true],
    [[rule([''], ['pods/log'], ['get'])], 'get pods x in a', false],
    [[rule([''], ['pods/*'], ['get'])], 'get pods/log x in a', false],
    [[rule([''], ['*'], ['get'])], 'get pods/log x in a', true],
    [[rule(['apps'], ['*/scale'], ['update'])], 'update deployments.apps/scale x in a', true],
    [[rule(['apps'], ['*/scale'], ['update'])], 'update deployments.apps x in a', false],
    [[rule(['apps'], ['*/scale'], ['update'])], 'update deployments.apps/status x in a', false],
    [[rule(['apps'], ['deployments'], ['*'])], 'escalate deployments.apps in a', true],
    [[rule(['apps'], ['deployments'], ['get'])], 'get deployments in a', false],
    [[rule(['*'], ['deployments'], ['get'])], 'get deployments.apps in a', true],
    [[rule([''], ['secrets'], ['get'], ['x'])], 'get secrets x in a', true],
    [[rule([''], ['secrets'], ['get'], ['x'])], 'get secrets y in a', false],
    [[rule([''], ['secrets'], ['list'], ['x'])], 'list secrets in a', false],
    [[rule([''], [], ['get'])], 'get pods in a', false],
    [[rule([], ['pods'], ['get'])], 'get pods in a', false],
    [[paths(['/healthz'], ['get'])], 'get /healthz', true],
    [[paths(['/healthz'], ['get'])], 'get /healthz/etcd', false],
    [[paths(['/healthz/*'], ['get'])], 'get /healthz/etcd', true],
    [[paths(['/healthz/*'], ['get'])], 'get /healthz', false],
    [[paths(['/logs*'], ['get'])], 'get /logsmore', true],
    [[paths(['*'], ['*'])], 'post /anything', true],
    [[paths(['*'], ['*'])], 'get pods in a', false],
    [[rule(['*'], ['*'], ['*'])], 'get /healthz', false],
  ];
  test.each(cases)('%j: %s is %s', async (rules, text, allowed) => {
    const { rbac } = await policy(role('ClusterRole', 'r', rules), binding('b', ['ClusterRole', 'r'], toJane));
    expect(rbac.authorize(question(text)).allowed).toBe(allowed);
    expect(rulesOf({ rules }).some((one) => ruleAllows(one, question(text)))).toBe(allowed);
  });
});

describe('whom a binding means', () => {
  const pods = [rule([''], ['pods'], ['get'])];
  const account = {
    name: 'system:serviceaccount:a:bot',
    groups: ['system:serviceaccounts', 'system:serviceaccounts:a'],
  };
  const ask = async (objects: JsonObject[], user: User, text = 'get pods in a'): Promise<Decision> =>
    (await policy(role('ClusterRole', 'r', pods), role('Role', 'r', pods, 'a'), ...objects)).rbac.authorize(
      question(text, user),
    );

  const cases: [string, JsonObject[], User, string, Decision][] = [
    [
      'a user everywhere',
      [binding('b', ['ClusterRole', 'r'], toJane)],
      jane,
      'get pods in z',
      { allowed: true, reason: 'RBAC: allowed by ClusterRoleBinding "b" of ClusterRole "r" to User "jane"' },
    ],
    [
      'a group in a namespace',
      [binding('b', ['Role', 'r'], [{ kind: 'Group', name: 'dev' }], 'a')],
      jane,
      'get pods in a',
      { allowed: true, reason: 'RBAC: allowed by RoleBinding "b/a" of Role "r" to Group "dev"' },
    ],
    [
      'not in another namespace',
      [binding('b', ['Role', 'r'], toJane, 'a')],
      jane,
      'get pods in z',
      { allowed: false, reason: '' },
    ],
    [
      'not cluster-wide',
      [binding('b', ['ClusterRole', 'r'], toJane, 'a')],
      jane,
      'get pods',
      { allowed: false, reason: '' },
    ],
    [
      'a service account, in the namespace of the binding when it names none',
      [binding('b', ['ClusterRole', 'r'], [{ kind: 'ServiceAccount', name: 'bot' }], 'a')],
      account,
      'get pods in a',
      { allowed: true, reason: 'RBAC: allowed by RoleBinding "b/a" of ClusterRole "r" to ServiceAccount "bot/a"' },
    ],
    [
      'a service account without a namespace means nobody cluster-wide',
      [binding('b', ['ClusterRole', 'r'], [{ kind: 'ServiceAccount', name: 'bot' }])],
      account,
      'get pods in a',
      { allowed: false, reason: '' },
    ],
    [
      'a role that is missing is said',
      [binding('b', ['Role', 'gone'], toJane, 'a'), binding('c', ['ClusterRole', 'lost'], toJane)],
      jane,
      'get pods in a',
      {
        allowed: false,
        reason:
          'RBAC: [clusterrole.rbac.authorization.k8s.io "lost" not found, role.rbac.authorization.k8s.io "gone" not found]',
      },
    ],
    [
      'masters need no binding',
      [],
      { name: 'root', groups: ['system:masters'] },
      'get /metrics',
      { allowed: true, reason: '' },
    ],
    ['nobody', [], jane, 'get pods in a', { allowed: false, reason: '' }],
  ];
  test.each(cases)('%s', async (_, objects, user, text, decision) => {
    expect(await ask(objects, user, text)).toEqual(decision);
  });
});

test('the index follows the store', async () => {
  const { store, rbac } = await policy();
  const allowed = () => rbac.authorize(question('get pods in a')).allowed;
  expect(allowed()).toBe(false);
  await write(store, binding('b', ['Role', 'r'], toJane, 'a'));
  await write(store, role('Role', 'r', [rule([''], ['pods'], ['get'])], 'a'));
  await vi.waitFor(() => expect(allowed()).toBe(true));
  await write(store, role('Role', 'r', [rule([''], ['pods'], ['list'])], 'a'));
  await vi.waitFor(() => expect(allowed()).toBe(false));
  await write(store, role('Role', 'r', [rule([''], ['pods'], ['*'])], 'a'));
  await vi.waitFor(() => expect(allowed()).toBe(true));
  await write(store, binding('b', ['Role', 'r'], [{ kind: 'User', name: 'tim' }], 'a'));
  await vi.waitFor(() => expect(allowed()).toBe(false));
  expect(rbac.authorize(question('get pods in a', { name: 'tim', groups: [] })).allowed).toBe(true);
  await store.txn({ type: 'delete', key: `${POLICY_PREFIX}rolebindings/a/b` });
  await vi.waitFor(() =>
    expect(rbac.authorize(question('get pods in a', { name: 'tim', groups: [] })).allowed).toBe(false),
  );
});

test('property: the index decides as a reading of all bindings, one by one, does', async () => {
  const name = fc.constantFrom('r', 's', 't');
  const namespace = fc.constantFrom('a', 'b');
  const some = (...items: string[]) => fc.subarray(items, { minLength: 1 });
  const anyRule = fc.oneof(
    fc.record({
      apiGroups: some('', 'apps', '*'),
      resources: some('pods', 'pods/exec', '*/exec', '*', 'pods/*', 'secrets'),
      verbs: some('get', 'list', '*'),
      resourceNames: fc.subarray(['x', 'y']),
    }),
    fc.record({ nonResourceURLs: some('/a', '/a/*', '/b*', '*'), verbs: some('get', '*') }),
  );
  const rules = fc.array(anyRule, { maxLength: 3 }) as fc.Arbitrary<JsonObject[]>;
  const subjects = fc.array(
    fc.constantFrom<JsonObject>(
      { kind: 'User', name: 'jane' },
      { kind: 'User', name: 'system:serviceaccount:a:bot' },
      { kind: 'Group', name: 'dev' },
      { kind: 'ServiceAccount', name: 'bot', namespace: 'a' },
      { kind: 'ServiceAccount', name: 'bot' },
    ),
    { maxLength: 2 },
  );
  const object = fc.oneof(
    fc.tuple(name, rules).map(([n, r]) => role('ClusterRole', n, r)),
    fc.tuple(name, rules, namespace).map(([n, r, ns]) => role('Role', n, r, ns)),
    fc.tuple(name, name, subjects).map(([n, r, s]) => binding(n, ['ClusterRole', r], s)),
    fc
      .tuple(name, fc.constantFrom('Role', 'ClusterRole'), name, subjects, namespace)
      .map(([n, kind, r, s, ns]) => binding(n, [kind, r], s, ns)),
  );
  const step = fc.record({ object, remove: fc.boolean() });
  const user = fc.constantFrom<User>(
    jane,
    { name: 'tim', groups: ['dev', 'ops'] },
    { name: 'system:serviceaccount:a:bot', groups: [] },
    { name: 'system:serviceaccount:b:bot', groups: ['dev'] },
  );
  const asked = fc.tuple(
    user,
    fc.constantFrom(
      'get pods in a',
      'list pods in b',
      'get pods/exec x in a',
      'get pods x in a',
      'get pods.apps/exec y in b',
      'list secrets',
      'get /a',
      'get /a/b',
      'post /bc',
      'watch pods in a',
    ),
  );
  await fc.assert(
    fc.asyncProperty(
      fc.array(step, { maxLength: 14 }),
      fc.array(asked, { minLength: 1, maxLength: 12 }),
      async (steps, all) => {
        const store = await openMemoryStore();
        const rbac = new Rbac(store);
        rbac.start(() => undefined);
        const model = new Map<string, JsonObject>();
        for (const { object, remove } of steps) {
          const key = keyOf(object);
          if (remove) await store.txn({ type: 'delete', key });
          else await write(store, object);
          if (remove) model.delete(key);
          else model.set(key, object);
        }
        const fresh = new Rbac(store);
        fresh.start(() => undefined);
        for (const [who, text] of all) {
          const request = question(text, who);
          const naive = naively([...model.values()], request);
          expect(fresh.authorize(request).allowed).toBe(naive);
          await vi.waitFor(() => expect(rbac.authorize(request).allowed).toBe(naive), { interval: 1 });
        }
        await Promise.all([rbac.close(), fresh.close()]);
        await store.close();
      },
    ),
    { numRuns: 300 },
  );
});

function naively(objects: JsonObject[], request: Attributes): boolean {
  const { user } = request;
  const namespace = request.path === undefined ? request.namespace : '';
  return objects.some((object) => {
    const own = (object['metadata'] as { namespace?: string }).namespace ?? '';
    const isCluster = object['kind'] === 'ClusterRoleBinding';
    if (!isCluster && (object['kind'] !== 'RoleBinding' || own !== namespace)) return false;
    const subjects = object['subjects'] as { kind: string; name: string; namespace?: string }[];
    const meant = subjects.some((subject) => {
      if (subject.kind === 'User') return subject.name === user.name;
      if (subject.kind === 'Group') return user.groups.includes(subject.name);
      const where = subject.namespace ?? own;
      return where !== '' && user.name === `system:serviceaccount:${where}:${subject.name}`;
    });
    const ref = object['roleRef'] as { kind: string; name: string };
    const found = objects.find((one) => {
      const metadata = one['metadata'] as { name: string; namespace?: string };
      return (
        one['kind'] === ref.kind &&
        metadata.name === ref.name &&
        (ref.kind === 'ClusterRole' || metadata.namespace === own)
      );
    });
    return meant && found !== undefined && rulesOf(found).some((one) => ruleAllows(one, request));
  });
}
