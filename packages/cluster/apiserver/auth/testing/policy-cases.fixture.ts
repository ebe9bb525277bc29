/** Roles and bindings with questions about them: put to the real server and to ours. */
import type { JsonObject } from '../../schema/structural.ts';

export const SPACES = ['auth-one', 'auth-two'] as const;
const [ONE, TWO] = SPACES;
const GROUP = 'rbac.authorization.k8s.io';
const API_VERSION = `${GROUP}/v1`;

const rule = (groups: string, resources: string, verbs: string, names = ''): JsonObject => ({
  apiGroups: groups.split(','),
  resources: resources.split(','),
  verbs: verbs.split(','),
  ...(names === '' ? {} : { resourceNames: names.split(',') }),
});
const paths = (urls: string, verbs: string): JsonObject => ({
  nonResourceURLs: urls.split(','),
  verbs: verbs.split(','),
});

const role = (name: string, rules: JsonObject[], namespace?: string): JsonObject => ({
  apiVersion: API_VERSION,
  kind: namespace === undefined ? 'ClusterRole' : 'Role',
  metadata: { name, ...(namespace === undefined ? {} : { namespace }) },
  rules,
});

function binding(
  name: string,
  kind: 'Role' | 'ClusterRole',
  ref: string,
  subject: string,
  namespace?: string,
): JsonObject {
  const [who = '', what = '', where = ''] = subject.split(' ');
  return {
    apiVersion: API_VERSION,
    kind: namespace === undefined ? 'ClusterRoleBinding' : 'RoleBinding',
    metadata: { name, ...(namespace === undefined ? {} : { namespace }) },
    roleRef: { apiGroup: GROUP, kind, name: ref },
    subjects: [
      who === 'ServiceAccount'
        ? { kind: who, name: what, namespace: where }
        : { kind: who, apiGroup: GROUP, name: what },
    ],
  };
}

export const policy: readonly JsonObject[] = [
  role('auth-reader', [rule('', 'pods,pods/log', 'get,list,watch'), rule('apps', 'deployments', 'get')]),
  role('auth-scaler', [rule('*', '*/scale', 'get,update'), rule('apps', 'deployments', '*')]),
  role('auth-paths', [paths('/metrics,/debug/*,/logs*', 'get'), paths('/flush', 'post')]),
  role('auth-names', [rule('', 'secrets,configmaps', 'get,update,delete', 'one,two'), rule('', 'secrets', 'create')]),
  role('auth-groups', [rule('*', 'widgets', '*'), rule('a.example,b.example', 'things', 'get,list')]),
  role('auth-all', [rule('*', '*', 'get')]),
  role('auth-star-sub', [rule('', 'pods/*', '*'), rule('', 'nodes/proxy', 'get')]),
  role('auth-role', [rule('', 'services', 'get,create'), rule('', 'pods/exec', 'create')], ONE),
  role('auth-impersonator', [
    rule('', 'users', 'impersonate', 'jane'),
    rule('', 'serviceaccounts', 'impersonate'),
    rule('', 'groups', 'impersonate', 'devs'),
  ]),
  role('auth-writer', [rule(GROUP, 'roles,rolebindings,clusterroles,clusterrolebindings', 'create,get,update,patch')]),
  role('auth-escalator', [rule(GROUP, 'clusterroles', 'create,update,escalate,bind')]),
  binding('auth-1', 'ClusterRole', 'auth-reader', 'User auth-reader'),
  binding('auth-2', 'ClusterRole', 'auth-reader', 'Group auth-readers', ONE),
  binding('auth-3', 'ClusterRole', 'auth-scaler', 'User auth-scaler', TWO),
  binding('auth-4', 'ClusterRole', 'auth-paths', 'User auth-paths'),
  binding('auth-5', 'ClusterRole', 'auth-paths', 'User auth-local', ONE),
  binding('auth-6', 'ClusterRole', 'auth-names', 'ServiceAccount bot auth-one', ONE),
  binding('auth-7', 'ClusterRole', 'auth-groups', 'User auth-groups'),
  binding('auth-8', 'ClusterRole', 'auth-all', 'User auth-all'),
  binding('auth-9', 'ClusterRole', 'auth-star-sub', 'User auth-sub'),
  binding('auth-10', 'Role', 'auth-role', 'ServiceAccount bot auth-two', ONE),
  binding('auth-11', 'Role', 'auth-missing', 'User auth-lost', ONE),
  binding('auth-12', 'ClusterRole', 'auth-missing', 'User auth-lost-wide'),
  binding('auth-13', 'ClusterRole', 'auth-impersonator', 'User auth-impersonator'),
  binding('auth-14', 'ClusterRole', 'view', 'User auth-viewer', ONE),
  binding('auth-15', 'ClusterRole', 'edit', 'User auth-editor', ONE),
  binding('auth-16', 'ClusterRole', 'admin', 'User auth-admin', ONE),
  binding('auth-17', 'ClusterRole', 'auth-writer', 'User auth-writer'),
  binding('auth-18', 'ClusterRole', 'auth-escalator', 'User auth-escalator'),
  binding('auth-19', 'ClusterRole', 'cluster-admin', 'Group auth-roots'),
];

/** `user[+group,group]: verb resource[.group][/subresource] [name] [in namespace]` or `…: verb /path` */
export const questions: readonly string[] = [
  'auth-reader: get pods in auth-one',
  'auth-reader: list pods',
  'auth-reader: watch pods in auth-two',
  'auth-reader: get pods x in auth-two',
  'auth-reader: get pods/log x in auth-two',
  'auth-reader: get pods/exec x in auth-two',
  'auth-reader: create pods in auth-one',
  'auth-reader: get deployments.apps in auth-one',
  'auth-reader: get deployments in auth-one',
  'auth-reader: list deployments.apps in auth-one',
  'auth-reader: get /metrics',
  'someone+auth-readers: get pods in auth-one',
  'someone+auth-readers: get pods in auth-two',
  'someone+auth-readers: get pods',
  'someone+other: get pods in auth-one',
  'auth-readers: get pods in auth-one',
  'auth-scaler: update deployments.apps/scale x in auth-two',
  'auth-scaler: update replicasets.apps/scale x in auth-two',
  'auth-scaler: get widgets.a.example/scale x in auth-two',
  'auth-scaler: patch replicasets.apps/scale x in auth-two',
  'auth-scaler: update deployments.apps/status x in auth-two',
  'auth-scaler: update deployments.apps x in auth-two',
  'auth-scaler: deletecollection deployments.apps in auth-two',
  'auth-scaler: update deployments.apps x in auth-one',
  'auth-scaler: get scale in auth-two',
  'auth-paths: get /metrics',
  'auth-paths: get /metrics/slis',
  'auth-paths: get /debug',
  'auth-paths: get /debug/',
  'auth-paths: get /debug/pprof/heap',
  'auth-paths: get /logs',
  'auth-paths: get /logsandmore',
  'auth-paths: post /flush',
  'auth-paths: get /flush',
  'auth-paths: get pods in auth-one',
  'auth-local: get /metrics',
  'system:serviceaccount:auth-one:bot: get secrets one in auth-one',
  'system:serviceaccount:auth-one:bot: get secrets three in auth-one',
  'system:serviceaccount:auth-one:bot: get configmaps two in auth-one',
  'system:serviceaccount:auth-one:bot: list secrets in auth-one',
  'system:serviceaccount:auth-one:bot: create secrets in auth-one',
  'system:serviceaccount:auth-one:bot: create configmaps in auth-one',
  'system:serviceaccount:auth-one:bot: delete secrets two in auth-one',
  'system:serviceaccount:auth-one:bot: get secrets one in auth-two',
  'system:serviceaccount:auth-two:bot: get services in auth-one',
  'system:serviceaccount:auth-two:bot: create pods/exec x in auth-one',
  'system:serviceaccount:auth-two:bot: get services in auth-two',
  'system:serviceaccount:auth-two:bot: get secrets one in auth-one',
  'bot: get services in auth-one',
  'auth-groups: delete widgets.any.group in auth-one',
  'auth-groups: delete widgets in auth-one',
  'auth-groups: get things.a.example in auth-one',
  'auth-groups: list things.b.example',
  'auth-groups: get things.c.example',
  'auth-groups: get widgets.a.example/status x',
  'auth-all: get anything.at.all/sub name in auth-two',
  'auth-all: list pods',
  'auth-all: get /metrics',
  'auth-sub: get pods/exec x in auth-one',
  'auth-sub: get pods in auth-one',
  'auth-sub: get nodes/proxy n',
  'auth-sub: create nodes/proxy n',
  'auth-lost: get pods in auth-one',
  'auth-lost: get pods in auth-two',
  'auth-lost-wide: get pods in auth-two',
  'auth-lost-wide: get /metrics',
  'auth-impersonator: impersonate users jane',
  'auth-impersonator: impersonate users tim',
  'auth-impersonator: impersonate serviceaccounts bot in auth-one',
  'auth-impersonator: impersonate groups devs',
  'auth-impersonator: impersonate groups system:masters',
  'auth-viewer: get pods in auth-one',
  'auth-viewer: get secrets in auth-one',
  'auth-viewer: create pods in auth-one',
  'auth-viewer: get pods/log x in auth-one',
  'auth-viewer: get pods in auth-two',
  'auth-viewer: get namespaces auth-one in auth-one',
  'auth-viewer: get roles.rbac.authorization.k8s.io in auth-one',
  'auth-editor: get secrets in auth-one',
  'auth-editor: create pods/exec x in auth-one',
  'auth-editor: create serviceaccounts/token bot in auth-one',
  'auth-editor: create roles.rbac.authorization.k8s.io in auth-one',
  'auth-editor: delete leases.coordination.k8s.io x in auth-one',
  'auth-editor: update resourcequotas x in auth-one',
  'auth-admin: create rolebindings.rbac.authorization.k8s.io in auth-one',
  'auth-admin: create localsubjectaccessreviews.authorization.k8s.io in auth-one',
  'auth-admin: update namespaces auth-one in auth-one',
  'auth-admin: create resourcequotas in auth-one',
  'auth-admin: create rolebindings.rbac.authorization.k8s.io in auth-two',
  'someone+auth-roots: delete nodes n',
  'someone+auth-roots: get /anything',
  'someone+system:masters: escalate clusterroles.rbac.authorization.k8s.io x',
  'someone+system:authenticated: get /api',
  'someone+system:authenticated: get /apis/apps/v1',
  'someone+system:authenticated: get /openapi/v3',
  'someone+system:authenticated: get /metrics',
  'someone+system:authenticated: create selfsubjectaccessreviews.authorization.k8s.io',
  'someone+system:authenticated: create selfsubjectreviews.authentication.k8s.io',
  'someone+system:authenticated: create subjectaccessreviews.authorization.k8s.io',
  'someone+system:unauthenticated: get /version',
  'someone+system:unauthenticated: get /api',
  'someone+system:monitoring: get /metrics',
  'someone+system:serviceaccounts: get /openid/v1/jwks',
  'system:kube-scheduler: create pods/binding x in auth-one',
  'system:kube-scheduler: update leases.coordination.k8s.io kube-scheduler in auth-one',
  'system:kube-scheduler: update leases.coordination.k8s.io other in auth-one',
  'system:kube-scheduler: patch persistentvolumes x',
  'system:kube-controller-manager: list anything.at.all',
  'system:serviceaccount:kube-system:job-controller: create pods in auth-one',
  'system:serviceaccount:kube-system:job-controller: create secrets in auth-one',
  'system:serviceaccount:kube-system:namespace-controller: deletecollection things.a.example in auth-one',
  'system:serviceaccount:kube-system:generic-garbage-collector: patch pods x in auth-one',
];

/** The spec of a SubjectAccessReview. */
export function reviewSpec(question: string): JsonObject {
  const at = question.indexOf(': ');
  const [user = '', groups = ''] = question.slice(0, at).split('+');
  const text = question.slice(at + 2);
  const subject = { user, ...(groups === '' ? {} : { groups: groups.split(',') }) };
  const path = /^(\S+) (\/\S*)$/.exec(text);
  if (path) return { ...subject, nonResourceAttributes: { verb: path[1] ?? '', path: path[2] ?? '' } };
  const match = /^(\S+) ([^\s/]+)(?:\/(\S+))?(?: (?!in )(\S+))?(?: in (\S+))?$/.exec(text);
  if (!match) throw new Error(`not a question: ${question}`);
  const [, verb = '', full = '', subresource = '', name = '', namespace = ''] = match;
  const [resource = '', ...group] = full.split('.');
  return {
    ...subject,
    resourceAttributes: { verb, group: group.join('.'), resource, subresource, name, namespace },
  };
}

export interface EscalationCase {
  readonly as: string;
  readonly kind: 'Role' | 'ClusterRole' | 'RoleBinding' | 'ClusterRoleBinding';
  readonly body: JsonObject;
  readonly namespace?: string;
}

const roleRef = (kind: string, name: string) => ({ roleRef: { apiGroup: GROUP, kind, name }, subjects: [] });

/** Writes that try to grant: most of them more than their author has. */
export const escalations: readonly EscalationCase[] = [
  { as: 'auth-writer', kind: 'Role', namespace: ONE, body: { rules: [rule('', 'pods', 'get')] } },
  { as: 'auth-writer', kind: 'Role', namespace: ONE, body: { rules: [] } },
  { as: 'auth-writer', kind: 'Role', namespace: ONE, body: { rules: [rule(GROUP, 'roles', 'get,create')] } },
  { as: 'auth-writer', kind: 'Role', namespace: ONE, body: { rules: [rule(GROUP, 'roles', 'get,delete,list')] } },
  {
    as: 'auth-writer',
    kind: 'ClusterRole',
    body: {
      rules: [
        rule(',apps', 'pods,secrets', 'get,list', 'a,b'),
        rule('', 'secrets', 'watch,get', 'a'),
        paths('/x,/y/*', 'get,post'),
        rule('*', '*', '*'),
      ],
    },
  },
  { as: 'auth-writer', kind: 'ClusterRole', body: { rules: [rule(GROUP, 'roles/status', 'get')] } },
  { as: 'auth-writer', kind: 'ClusterRole', body: { rules: [rule(GROUP, 'roles', 'get', 'x')] } },
  { as: 'auth-writer', kind: 'ClusterRole', body: { rules: [paths('/api,/apis/*,/version', 'get')] } },
  {
    as: 'auth-writer',
    kind: 'ClusterRole',
    body: { rules: [], aggregationRule: { clusterRoleSelectors: [{ matchLabels: { a: 'b' } }] } },
  },
  { as: 'auth-writer', kind: 'RoleBinding', namespace: ONE, body: roleRef('ClusterRole', 'auth-reader') },
  { as: 'auth-writer', kind: 'RoleBinding', namespace: ONE, body: roleRef('Role', 'auth-role') },
  { as: 'auth-writer', kind: 'RoleBinding', namespace: ONE, body: roleRef('Role', 'auth-nowhere') },
  { as: 'auth-writer', kind: 'ClusterRoleBinding', body: roleRef('ClusterRole', 'auth-writer') },
  { as: 'auth-writer', kind: 'ClusterRoleBinding', body: roleRef('ClusterRole', 'cluster-admin') },
  { as: 'auth-writer', kind: 'ClusterRoleBinding', body: roleRef('ClusterRole', 'auth-nowhere') },
  { as: 'auth-escalator', kind: 'ClusterRole', body: { rules: [rule('*', '*', '*')] } },
  { as: 'auth-admin', kind: 'Role', namespace: ONE, body: { rules: [rule('', 'pods', 'get,create')] } },
  { as: 'auth-admin', kind: 'Role', namespace: ONE, body: { rules: [rule('', 'pods', 'bind')] } },
  { as: 'auth-admin', kind: 'RoleBinding', namespace: ONE, body: roleRef('ClusterRole', 'admin') },
  { as: 'auth-admin', kind: 'RoleBinding', namespace: ONE, body: roleRef('ClusterRole', 'edit') },
  { as: 'auth-admin', kind: 'RoleBinding', namespace: ONE, body: roleRef('ClusterRole', 'cluster-admin') },
];
