/** One object of every built-in kind that can be stored, and those that are only answered; together they use every form of value. */
import type { JsonObject } from '../../schema/structural.ts';

/** By its collection, without the namespace: `apps/v1/deployments`. */
export interface Example {
  readonly path: string;
  readonly namespaced: boolean;
  readonly object: JsonObject;
}

/** Where the examples go that have one. */
export const NAMESPACE = 'protobuf-decode';

const labels = { app: 'example' };
const selector = { matchLabels: labels };
const containers = [{ name: 'main', image: 'example.com/main:1' }];
const template = (restartPolicy = 'Always') => ({ metadata: { labels }, spec: { containers, restartPolicy } });
const future = '2030-01-02T03:04:05.678901Z';
const caBundle = Buffer.from('certificate').toString('base64');
const rules = [{ apiGroups: ['*'], apiVersions: ['v1'], operations: ['CREATE'], resources: ['pods'], scope: '*' }];
const matchConstraints = { resourceRules: rules };
const webhook = {
  name: 'hook.example.com',
  admissionReviewVersions: ['v1'],
  sideEffects: 'None',
  failurePolicy: 'Ignore',
  timeoutSeconds: 1,
  clientConfig: { service: { namespace: 'nowhere', name: 'nobody', path: '/x', port: 444 } },
  namespaceSelector: { matchExpressions: [{ key: 'no-such-label', operator: 'In', values: ['x'] }] },
  rules,
};

const pod: JsonObject = {
  metadata: { labels, annotations: { note: 'ünïcode' } },
  spec: {
    automountServiceAccountToken: false,
    terminationGracePeriodSeconds: 0,
    hostAliases: [{ ip: '10.0.0.1', hostnames: ['a', 'b'] }],
    nodeSelector: { disk: 'ssd' },
    tolerations: [{ key: 'k', operator: 'Exists', effect: 'NoExecute', tolerationSeconds: 0 }],
    securityContext: { runAsUser: 0, fsGroup: 2000, sysctls: [{ name: 'net.ipv4.tcp_syncookies', value: '0' }] },
    affinity: {
      nodeAffinity: {
        requiredDuringSchedulingIgnoredDuringExecution: {
          nodeSelectorTerms: [{ matchExpressions: [{ key: 'zone', operator: 'NotIn', values: ['x'] }] }],
        },
      },
    },
    topologySpreadConstraints: [
      { maxSkew: 1, topologyKey: 'zone', whenUnsatisfiable: 'ScheduleAnyway', labelSelector: selector },
    ],
    initContainers: [{ name: 'side', image: 'x', restartPolicy: 'Always' }],
    containers: [
      {
        name: 'main',
        image: 'x',
        command: ['sh', '-c', ''],
        env: [
          { name: 'EMPTY', value: '' },
          { name: 'SECRET', valueFrom: { secretKeyRef: { name: 's', key: 'k', optional: false } } },
          { name: 'CPU', valueFrom: { resourceFieldRef: { resource: 'limits.cpu', divisor: '1m' } } },
        ],
        envFrom: [{ prefix: 'P_', configMapRef: { name: 'c', optional: true } }],
        ports: [{ containerPort: 80, name: 'http' }],
        resources: { limits: { cpu: '1500m', memory: '1Gi' }, requests: { cpu: '0.25' } },
        livenessProbe: { httpGet: { path: '/', port: 'http', httpHeaders: [{ name: 'X', value: 'y' }] } },
        readinessProbe: { tcpSocket: { port: 80 }, initialDelaySeconds: 0 },
        startupProbe: { exec: { command: ['true'] }, failureThreshold: 30 },
        lifecycle: { preStop: { sleep: { seconds: 0 } } },
        securityContext: { allowPrivilegeEscalation: false, capabilities: { drop: ['ALL'] } },
        volumeMounts: [{ name: 'data', mountPath: '/data', readOnly: true }],
      },
    ],
    volumes: [
      { name: 'data', emptyDir: { medium: 'Memory', sizeLimit: '64Mi' } },
      { name: 'config', configMap: { name: 'c', items: [{ key: 'a', path: 'b', mode: 0 }], defaultMode: 420 } },
      {
        name: 'all',
        projected: { sources: [{ serviceAccountToken: { path: 'token', expirationSeconds: 3600, audience: '' } }] },
      },
    ],
  },
};

const namespacedKinds: Readonly<Record<string, JsonObject>> = {
  'v1/configmaps': { data: { a: '1', empty: '' }, binaryData: { b: 'AAH/' }, immutable: false },
  'v1/secrets': { type: 'Opaque', data: { password: 'c2VjcmV0', empty: '' } },
  'v1/pods': pod,
  'v1/podtemplates': { template: template() },
  'v1/replicationcontrollers': { spec: { replicas: 0, selector: labels, template: template() } },
  'v1/services': {
    spec: {
      selector: labels,
      ports: [
        { name: 'a', port: 80, targetPort: 'http' },
        { name: 'b', port: 81 },
      ],
    },
  },
  'v1/serviceaccounts': { automountServiceAccountToken: false, imagePullSecrets: [{ name: 'x' }] },
  'v1/endpoints': {
    metadata: { name: 'no-service' },
    subsets: [{ addresses: [{ ip: '10.1.2.3', nodeName: 'n' }], ports: [{ port: 80 }] }],
  },
  'v1/events': {
    involvedObject: { kind: 'Pod', name: 'x', namespace: NAMESPACE },
    reason: 'Because',
    firstTimestamp: '2030-01-02T03:04:05Z',
    eventTime: future,
    reportingComponent: 'tests',
    reportingInstance: 'one',
    action: 'Test',
    type: 'Normal',
  },
  'v1/limitranges': { spec: { limits: [{ type: 'Pod', max: { cpu: '2' }, min: { memory: '1Mi' } }] } },
  'v1/resourcequotas': { spec: { hard: { 'requests.storage': '1Ti', 'count/jobs.batch': '5000' } } },
  'v1/persistentvolumeclaims': {
    spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } }, storageClassName: '' },
  },
  'apps/v1/deployments': {
    spec: {
      replicas: 0,
      selector,
      template: template(),
      strategy: { type: 'RollingUpdate', rollingUpdate: { maxSurge: '25%', maxUnavailable: 0 } },
    },
  },
  'apps/v1/replicasets': { spec: { replicas: 0, selector, template: template() } },
  'apps/v1/statefulsets': {
    spec: {
      replicas: 0,
      serviceName: 'x',
      selector,
      template: template(),
      volumeClaimTemplates: [
        {
          metadata: { name: 'data' },
          spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } },
        },
      ],
    },
  },
  'apps/v1/daemonsets': { spec: { selector, template: template() } },
  'apps/v1/controllerrevisions': { data: { spec: { list: [1, 'two', null] } }, revision: 7 },
  'batch/v1/jobs': {
    spec: {
      suspend: true,
      template: template('Never'),
      podFailurePolicy: {
        rules: [{ action: 'Ignore', onExitCodes: { operator: 'In', values: [1, 42] } }],
      },
    },
  },
  'batch/v1/cronjobs': {
    spec: { schedule: '0 0 1 1 *', suspend: true, jobTemplate: { spec: { template: template('Never') } } },
  },
  'autoscaling/v1/horizontalpodautoscalers': {
    spec: { maxReplicas: 3, scaleTargetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'x' } },
  },
  'autoscaling/v2/horizontalpodautoscalers': {
    metadata: { name: 'second-version' },
    spec: {
      minReplicas: 1,
      maxReplicas: 3,
      scaleTargetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'x' },
      metrics: [
        { type: 'Resource', resource: { name: 'cpu', target: { type: 'AverageValue', averageValue: '1500m' } } },
      ],
      behavior: { scaleDown: { stabilizationWindowSeconds: 0 } },
    },
  },
  'coordination.k8s.io/v1/leases': {
    spec: { holderIdentity: 'me', leaseDurationSeconds: 15, renewTime: future, leaseTransitions: 0 },
  },
  'discovery.k8s.io/v1/endpointslices': {
    addressType: 'IPv4',
    endpoints: [{ addresses: ['10.1.2.3'], conditions: { ready: false }, hints: { forZones: [{ name: 'z' }] } }],
    ports: [{ name: '', port: 80, protocol: 'TCP' }],
  },
  'events.k8s.io/v1/events': {
    metadata: { name: 'second-version' },
    eventTime: future,
    action: 'Test',
    reason: 'Because',
    type: 'Normal',
    reportingController: 'tests',
    reportingInstance: 'one',
    regarding: { kind: 'Pod', name: 'x', namespace: NAMESPACE },
    series: { count: 2, lastObservedTime: '2030-01-02T03:04:05.000000Z' },
  },
  'networking.k8s.io/v1/networkpolicies': {
    spec: {
      podSelector: {},
      policyTypes: ['Ingress', 'Egress'],
      ingress: [{ from: [{ ipBlock: { cidr: '10.0.0.0/8', except: ['10.1.0.0/16'] } }], ports: [{ port: 'http' }] }],
      egress: [{}],
    },
  },
  'networking.k8s.io/v1/ingresses': {
    spec: {
      rules: [
        {
          host: 'a.example.com',
          http: {
            paths: [{ path: '/', pathType: 'Prefix', backend: { service: { name: 'x', port: { number: 80 } } } }],
          },
        },
      ],
    },
  },
  'policy/v1/poddisruptionbudgets': { spec: { maxUnavailable: '50%', selector } },
  'rbac.authorization.k8s.io/v1/roles': { rules: [{ apiGroups: [''], resources: ['pods'], verbs: ['get'] }] },
  'rbac.authorization.k8s.io/v1/rolebindings': {
    roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'Role', name: 'x' },
    subjects: [{ kind: 'ServiceAccount', name: 'x', namespace: 'y' }],
  },
  'storage.k8s.io/v1/csistoragecapacities': { storageClassName: 'x', capacity: '10Gi', nodeTopology: selector },
};

const clusterKinds: Readonly<Record<string, JsonObject>> = {
  'v1/namespaces': {},
  'v1/nodes': {
    spec: { podCIDR: '10.9.0.0/24', podCIDRs: ['10.9.0.0/24'], taints: [{ key: 'k', effect: 'NoSchedule' }] },
  },
  'v1/persistentvolumes': {
    spec: {
      accessModes: ['ReadWriteOnce'],
      capacity: { storage: '1.5Gi' },
      csi: { driver: 'd.example.com', volumeHandle: 'h', volumeAttributes: { a: 'b' } },
    },
  },
  'admissionregistration.k8s.io/v1/mutatingwebhookconfigurations': { webhooks: [webhook] },
  'admissionregistration.k8s.io/v1/validatingwebhookconfigurations': {
    webhooks: [{ ...webhook, clientConfig: { url: 'https://nobody.example.com/' } }],
  },
  'admissionregistration.k8s.io/v1/validatingadmissionpolicies': {
    spec: { matchConstraints, failurePolicy: 'Ignore', validations: [{ expression: 'true', message: 'never' }] },
  },
  'admissionregistration.k8s.io/v1/validatingadmissionpolicybindings': {
    spec: { policyName: 'no-such-policy', validationActions: ['Deny'] },
  },
  'apiregistration.k8s.io/v1/apiservices': {
    metadata: { name: 'v1.nowhere.example.com' },
    spec: {
      group: 'nowhere.example.com',
      version: 'v1',
      groupPriorityMinimum: 10,
      versionPriority: 10,
      caBundle,
      service: { namespace: 'nowhere', name: 'nobody', port: 443 },
    },
  },
  'apiextensions.k8s.io/v1/customresourcedefinitions': {
    metadata: { name: 'gadgets.protobuf.example.com' },
    spec: {
      group: 'protobuf.example.com',
      scope: 'Namespaced',
      names: { plural: 'gadgets', kind: 'Gadget' },
      versions: [
        {
          name: 'v1',
          served: true,
          storage: true,
          subresources: { status: {} },
          additionalPrinterColumns: [{ name: 'Size', type: 'integer', jsonPath: '.spec.size', priority: 1 }],
          schema: {
            openAPIV3Schema: {
              type: 'object',
              properties: {
                spec: {
                  type: 'object',
                  default: { size: 1 },
                  'x-kubernetes-validations': [{ rule: 'self.size >= 0' }],
                  properties: {
                    size: { type: 'number', minimum: 0, maximum: 2.5, exclusiveMaximum: true },
                    tags: {
                      type: 'array',
                      items: { type: 'string', enum: ['a', 'b'] },
                      'x-kubernetes-list-type': 'set',
                    },
                    labels: { type: 'object', additionalProperties: { type: 'string' } },
                    any: { 'x-kubernetes-int-or-string': true, nullable: true },
                    more: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
                    one: { type: 'object', properties: { x: { type: 'string' } }, oneOf: [{ required: ['x'] }, {}] },
                  },
                },
              },
            },
          },
        },
      ],
    },
  },
  'networking.k8s.io/v1/ingressclasses': { spec: { controller: 'example.com/controller' } },
  'node.k8s.io/v1/runtimeclasses': { handler: 'x', overhead: { podFixed: { cpu: '250m' } } },
  'rbac.authorization.k8s.io/v1/clusterroles': { aggregationRule: { clusterRoleSelectors: [selector] }, rules: [] },
  'rbac.authorization.k8s.io/v1/clusterrolebindings': {
    roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'view' },
  },
  'scheduling.k8s.io/v1/priorityclasses': { value: -5, preemptionPolicy: 'Never' },
  'storage.k8s.io/v1/storageclasses': {
    provisioner: 'p.example.com',
    parameters: { a: 'b' },
    allowVolumeExpansion: false,
    allowedTopologies: [{ matchLabelExpressions: [{ key: 'zone', values: ['a'] }] }],
  },
  'storage.k8s.io/v1/csidrivers': { spec: { attachRequired: false, tokenRequests: [{ audience: '' }] } },
  'storage.k8s.io/v1/csinodes': { spec: { drivers: [{ name: 'd', nodeID: 'n', topologyKeys: null }] } },
  'storage.k8s.io/v1/volumeattachments': {
    spec: { attacher: 'a', nodeName: 'n', source: { persistentVolumeName: 'v' } },
  },
  'storage.k8s.io/v1/volumeattributesclasses': { driverName: 'd.example.com', parameters: { iops: '1' } },
};

/** Answered and forgotten. */
export const reviews: readonly Example[] = [
  {
    path: 'authentication.k8s.io/v1/tokenreviews',
    namespaced: false,
    object: { spec: { token: 'nonsense' } },
  },
  { path: 'authentication.k8s.io/v1/selfsubjectreviews', namespaced: false, object: {} },
  {
    path: 'authorization.k8s.io/v1/subjectaccessreviews',
    namespaced: false,
    object: {
      spec: { user: 'u', extra: { scopes: ['a', 'b'] }, resourceAttributes: { verb: 'get', resource: 'pods' } },
    },
  },
  {
    path: 'authorization.k8s.io/v1/selfsubjectaccessreviews',
    namespaced: false,
    object: { spec: { nonResourceAttributes: { path: '/healthz', verb: 'get' } } },
  },
];

const named = (object: JsonObject, name: string): JsonObject => ({
  ...object,
  metadata: { name, ...(object['metadata'] as JsonObject | undefined) },
});

export function examples(name: string): Example[] {
  return [
    ...Object.entries(clusterKinds).map(([path, object]) => ({ path, namespaced: false, object: named(object, name) })),
    ...Object.entries(namespacedKinds).map(([path, object]) => ({
      path,
      namespaced: true,
      object: named(object, name),
    })),
  ];
}
