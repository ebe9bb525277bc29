/**
 * The roles and bindings that every cluster has, as a table of facts: what the API server itself, its controllers, its
 * nodes and its users may do before anybody wrote a role. The tests compare it with the real server's.
 */
import type { JsonObject } from '../../schema/structural.ts';

const GROUP = 'rbac.authorization.k8s.io';
const API_VERSION = `${GROUP}/v1`;

/** `groups | resources | verbs [| names]`; `core` is the group without a name; a row that begins with `/` lists paths. */
type Row = string;

const READ = 'get,list,watch';
const WRITE = 'create,delete,deletecollection,patch,update';
const ALL = 'create,delete,deletecollection,get,list,patch,update,watch';
const EVENTS: Row = 'core,events.k8s.io | events | create,patch,update';
const REVIEWS: readonly Row[] = [
  'authentication.k8s.io | tokenreviews | create',
  'authorization.k8s.io | subjectaccessreviews | create',
];
const HEALTH = '/healthz,/livez,/readyz,/version,/version/';

const view: readonly Row[] = [
  `core | configmaps,endpoints,persistentvolumeclaims,persistentvolumeclaims/status,pods,replicationcontrollers,replicationcontrollers/scale,serviceaccounts,services,services/status | ${READ}`,
  `core | bindings,limitranges,namespaces/status,pods/log,pods/status,replicationcontrollers/status,resourcequotas,resourcequotas/status | ${READ}`,
  `core | namespaces | ${READ}`,
  `core,events.k8s.io | events | ${READ}`,
  `discovery.k8s.io | endpointslices | ${READ}`,
  `apps | controllerrevisions,daemonsets,daemonsets/status,deployments,deployments/scale,deployments/status,replicasets,replicasets/scale,replicasets/status,statefulsets,statefulsets/scale,statefulsets/status | ${READ}`,
  `autoscaling | horizontalpodautoscalers,horizontalpodautoscalers/status | ${READ}`,
  `batch | cronjobs,cronjobs/status,jobs,jobs/status | ${READ}`,
  `extensions | daemonsets,daemonsets/status,deployments,deployments/scale,deployments/status,ingresses,ingresses/status,networkpolicies,replicasets,replicasets/scale,replicasets/status,replicationcontrollers/scale | ${READ}`,
  `policy | poddisruptionbudgets,poddisruptionbudgets/status | ${READ}`,
  `networking.k8s.io | ingresses,ingresses/status,networkpolicies | ${READ}`,
  `resource.k8s.io | resourceclaims,resourceclaims/status,resourceclaimtemplates | ${READ}`,
];

const edit: readonly Row[] = [
  `core | pods/attach,pods/exec,pods/portforward,pods/proxy,secrets,services/proxy | ${READ}`,
  'core | serviceaccounts | impersonate',
  `core | pods,pods/attach,pods/exec,pods/portforward,pods/proxy | ${WRITE}`,
  'core | pods/eviction | create',
  `core | configmaps,persistentvolumeclaims,replicationcontrollers,replicationcontrollers/scale,secrets,serviceaccounts,services,services/proxy | ${WRITE}`,
  'core | serviceaccounts/token | create',
  `core,events.k8s.io | events | ${WRITE}`,
  `apps | daemonsets,deployments,deployments/rollback,deployments/scale,replicasets,replicasets/scale,statefulsets,statefulsets/scale | ${WRITE}`,
  `autoscaling | horizontalpodautoscalers | ${WRITE}`,
  `batch | cronjobs,jobs | ${WRITE}`,
  `extensions | daemonsets,deployments,deployments/rollback,deployments/scale,ingresses,networkpolicies,replicasets,replicasets/scale,replicationcontrollers/scale | ${WRITE}`,
  `policy | poddisruptionbudgets | ${WRITE}`,
  `networking.k8s.io | ingresses,networkpolicies | ${WRITE}`,
  `coordination.k8s.io | leases | ${ALL}`,
  `resource.k8s.io | resourceclaims,resourceclaimtemplates | ${WRITE}`,
];

const admin: readonly Row[] = [
  'authorization.k8s.io | localsubjectaccessreviews | create',
  `${GROUP} | rolebindings,roles | ${ALL}`,
];

const scheduler: readonly Row[] = [
  EVENTS,
  'coordination.k8s.io | leases | create',
  `coordination.k8s.io | leases | get,list,update,watch | kube-scheduler`,
  `coordination.k8s.io | leasecandidates | ${ALL}`,
  `core | nodes | ${READ}`,
  `core | pods | delete,${READ}`,
  'core | bindings,pods/binding | create',
  'core | pods/status | patch,update',
  `core | replicationcontrollers,services | ${READ}`,
  `apps,extensions | replicasets | ${READ}`,
  `apps | statefulsets | ${READ}`,
  `policy | poddisruptionbudgets | ${READ}`,
  `core | persistentvolumeclaims,persistentvolumes | ${READ}`,
  ...REVIEWS,
  `storage.k8s.io | csinodes | ${READ}`,
  `storage.k8s.io | volumeattachments | ${READ}`,
  `core | namespaces | ${READ}`,
  `storage.k8s.io | csidrivers | ${READ}`,
  `storage.k8s.io | csistoragecapacities | ${READ}`,
  `resource.k8s.io | deviceclasses | ${READ}`,
  'resource.k8s.io | resourceclaims | get,list,patch,update,watch',
  'resource.k8s.io | resourceclaims/status | get,list,patch,update,watch',
  'core | pods/finalizers | update',
  `resource.k8s.io | resourceslices | ${READ}`,
  'resource.k8s.io | resourceclaims | create,delete',
  'resource.k8s.io | resourceclaims/binding | patch,update',
];

const controllerManager: readonly Row[] = [
  EVENTS,
  'coordination.k8s.io | leases | create',
  'coordination.k8s.io | leases | get,update | kube-controller-manager',
  'core | secrets,serviceaccounts | create',
  'core | secrets | delete',
  'core | configmaps,namespaces,secrets,serviceaccounts | get',
  'core | secrets,serviceaccounts | update',
  ...REVIEWS,
  '* | * | list,watch',
  'core | serviceaccounts/token | create',
];

const node: readonly Row[] = [
  'authentication.k8s.io | tokenreviews | create',
  'authorization.k8s.io | localsubjectaccessreviews,subjectaccessreviews | create',
  `core | services | ${READ}`,
  `core | nodes | create,${READ}`,
  'core | nodes/status | patch,update',
  'core | nodes | patch,update',
  EVENTS,
  `core | pods | ${READ}`,
  'core | pods | create,delete',
  'core | pods/status | patch,update',
  'core | pods/eviction | create',
  `core | configmaps,secrets | ${READ}`,
  'core | persistentvolumeclaims,persistentvolumes | get',
  'core | endpoints | get',
  `certificates.k8s.io | certificatesigningrequests | create,${READ}`,
  'coordination.k8s.io | leases | create,delete,get,patch,update',
  'storage.k8s.io | volumeattachments | get',
  'core | serviceaccounts/token | create',
  'core | persistentvolumeclaims/status | get,patch,update',
  `storage.k8s.io | csidrivers | ${READ}`,
  'storage.k8s.io | csinodes | create,delete,get,patch,update',
  `node.k8s.io | runtimeclasses | ${READ}`,
  'resource.k8s.io | resourceclaims | get',
  'resource.k8s.io | resourceslices | deletecollection',
  'core | serviceaccounts | get',
];

/** What the controllers of the cluster may do, each under its own service account in kube-system. */
const controllers: Readonly<Record<string, readonly Row[]>> = {
  'clusterrole-aggregation-controller': [`${GROUP} | clusterroles | escalate,get,list,patch,update,watch`],
  'deployment-controller': [
    'apps,extensions | deployments | get,list,update,watch',
    'apps,extensions | deployments/status | update',
    'apps,extensions | deployments/finalizers | update',
    'apps,extensions | replicasets | create,delete,get,list,patch,update,watch',
    'core | pods | get,list,update,watch',
    EVENTS,
  ],
  'replicaset-controller': [
    'apps,extensions | replicasets | get,list,update,watch',
    'apps,extensions | replicasets/status | update',
    'apps,extensions | replicasets/finalizers | update',
    'core | pods | create,delete,list,patch,watch',
    EVENTS,
  ],
  'job-controller': [
    'batch | jobs | get,list,patch,update,watch',
    'batch | jobs/status | update',
    'batch | jobs/finalizers | update',
    'core | pods | create,delete,list,patch,watch',
    EVENTS,
  ],
  'ttl-after-finished-controller': [`batch | jobs | delete,${READ}`, EVENTS],
  'namespace-controller': [
    `core | namespaces | delete,${READ}`,
    'core | namespaces/finalize,namespaces/status | update',
    '* | * | delete,deletecollection,get,list,watch',
  ],
  'generic-garbage-collector': ['* | * | delete,get,list,patch,update,watch', EVENTS],
  'pod-garbage-collector': ['core | pods | delete,list,watch', `core | nodes | ${READ}`, 'core | pods/status | patch'],
  'node-controller': [
    'core | nodes | delete,get,list,patch,update,watch',
    'core | nodes/status | patch,update',
    'core | pods/status | patch,update',
    `core | pods | delete,${READ}`,
    EVENTS,
  ],
  'endpoint-controller': [
    `core | pods,services | ${READ}`,
    'core | endpoints | create,delete,get,list,update,watch',
    'core | endpoints/restricted | create',
    EVENTS,
  ],
  'endpointslice-controller': [
    `core | nodes,pods,services | ${READ}`,
    'core | services/finalizers | update',
    'discovery.k8s.io | endpointslices | create,delete,get,list,update,watch',
    EVENTS,
  ],
  'root-ca-cert-publisher': ['core | configmaps | create,update', EVENTS],
  'service-account-controller': ['core | serviceaccounts | create', EVENTS],
};

const roles: Readonly<Record<string, readonly Row[]>> = {
  'cluster-admin': ['* | * | *', '* || *'],
  'system:aggregate-to-admin': admin,
  'system:aggregate-to-edit': edit,
  'system:aggregate-to-view': view,
  'system:auth-delegator': REVIEWS,
  'system:basic-user': [
    'authorization.k8s.io | selfsubjectaccessreviews,selfsubjectrulesreviews | create',
    'authentication.k8s.io | selfsubjectreviews | create',
  ],
  'system:discovery': [
    '/api,/api/*,/apis,/apis/*,/healthz,/livez,/openapi,/openapi/*,/readyz,/version,/version/ || get',
  ],
  'system:kube-controller-manager': controllerManager,
  'system:kube-scheduler': scheduler,
  'system:volume-scheduler': [
    'core | persistentvolumes | get,list,patch,update,watch',
    `storage.k8s.io | storageclasses | ${READ}`,
    'core | persistentvolumeclaims | get,list,patch,update,watch',
  ],
  'system:monitoring': [
    '/flagz,/healthz,/healthz/*,/livez,/livez/*,/metrics,/metrics/slis,/readyz,/readyz/*,/statusz || get',
    'core | nodes/metrics | get',
  ],
  'system:node': node,
  'system:public-info-viewer': [`${HEALTH} || get`],
  'system:service-account-issuer-discovery': [
    '/.well-known/openid-configuration,/.well-known/openid-configuration/,/openid/v1/jwks,/openid/v1/jwks/ || get',
  ],
};

/** Roles made of others, and the labels that make a role part of one. */
const aggregates: Readonly<Record<string, string>> = { admin: 'admin', edit: 'edit', view: 'view' };
const partOf: Readonly<Record<string, string>> = {
  'system:aggregate-to-admin': 'admin',
  'system:aggregate-to-edit': 'edit',
  'system:aggregate-to-view': 'view',
  edit: 'admin',
  view: 'edit',
};

const bindings: Readonly<Record<string, readonly JsonObject[]>> = {
  'cluster-admin': [group('system:masters')],
  'system:basic-user': [group('system:authenticated')],
  'system:discovery': [group('system:authenticated')],
  'system:kube-controller-manager': [user('system:kube-controller-manager')],
  'system:kube-scheduler': [user('system:kube-scheduler')],
  'system:volume-scheduler': [user('system:kube-scheduler')],
  'system:monitoring': [group('system:monitoring')],
  'system:public-info-viewer': [group('system:authenticated'), group('system:unauthenticated')],
  'system:service-account-issuer-discovery': [group('system:serviceaccounts')],
};

function group(name: string): JsonObject {
  return { apiGroup: GROUP, kind: 'Group', name };
}
function user(name: string): JsonObject {
  return { apiGroup: GROUP, kind: 'User', name };
}

/** Every object of the bootstrap policy, in the order in which they are made. */
export function bootstrapObjects(): JsonObject[] {
  const objects: JsonObject[] = [];
  for (const name of Object.keys(aggregates)) {
    const matchLabels = { [aggregationLabel(aggregates[name] ?? name)]: 'true' };
    objects.push(clusterRole(name, { aggregationRule: { clusterRoleSelectors: [{ matchLabels }] } }));
  }
  for (const [name, rows] of Object.entries(roles)) objects.push(clusterRole(name, { rules: rows.map(ruleOf) }));
  for (const [name, subjects] of Object.entries(bindings)) objects.push(clusterRoleBinding(name, subjects));
  for (const [name, rows] of Object.entries(controllers)) {
    const full = `system:controller:${name}`;
    objects.push(clusterRole(full, { rules: rows.map(ruleOf) }));
    objects.push(clusterRoleBinding(full, [{ kind: 'ServiceAccount', name, namespace: 'kube-system' }]));
  }
  return objects;
}

const aggregationLabel = (role: string) => `${GROUP}/aggregate-to-${role}`;

function metadata(name: string): JsonObject {
  const part = partOf[name];
  return {
    name,
    annotations: { 'rbac.authorization.kubernetes.io/autoupdate': 'true' },
    labels: {
      'kubernetes.io/bootstrapping': 'rbac-defaults',
      ...(part === undefined ? {} : { [aggregationLabel(part)]: 'true' }),
    },
  };
}

const clusterRole = (name: string, content: JsonObject): JsonObject => ({
  apiVersion: API_VERSION,
  kind: 'ClusterRole',
  metadata: metadata(name),
  ...content,
});

const clusterRoleBinding = (name: string, subjects: readonly JsonObject[]): JsonObject => ({
  apiVersion: API_VERSION,
  kind: 'ClusterRoleBinding',
  metadata: metadata(name),
  roleRef: { apiGroup: GROUP, kind: 'ClusterRole', name },
  subjects: [...subjects],
});

function ruleOf(row: Row): JsonObject {
  const [first = [], resources = [], verbs = [], names = []] = row.split('|').map((cell) =>
    cell
      .split(',')
      .map((item) => item.trim())
      .filter((item) => item !== ''),
  );
  if (resources.length === 0) return { nonResourceURLs: first, verbs };
  const apiGroups = first.map((name) => (name === 'core' ? '' : name));
  return { apiGroups, ...(names.length > 0 ? { resourceNames: names } : {}), resources, verbs };
}
