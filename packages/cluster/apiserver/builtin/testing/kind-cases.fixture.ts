import type { JsonObject } from '../../schema/structural.ts';
import { type Case, casesOf } from './case.fixture.ts';

const template: JsonObject = { metadata: { labels: { app: 'a' } }, spec: { containers: [{ name: 'c', image: 'i' }] } };
const selector: JsonObject = { matchLabels: { app: 'a' } };
const jobTemplate: JsonObject = { spec: { containers: [{ name: 'c', image: 'i' }], restartPolicy: 'Never' } };

const apps: Case[] = [
  ...casesOf('apps/v1/deployments', [
    ['the least', { spec: { selector, template } }],
    ['recreate', { spec: { selector, template, replicas: 0, strategy: { type: 'Recreate' } } }],
    [
      'rolling in numbers',
      { spec: { selector, template, strategy: { rollingUpdate: { maxSurge: 1, maxUnavailable: 0 } } } },
    ],
    [
      'service account in the template',
      {
        spec: {
          selector,
          template: {
            ...template,
            spec: {
              containers: [{ name: 'c', image: 'i:1', resources: { limits: { cpu: 1 } } }],
              serviceAccountName: 'sa',
            },
          },
        },
      },
    ],
    ['no spec', {}],
    ['no selector', { spec: { template } }],
    ['an empty selector', { spec: { selector: {}, template } }],
    ['a selector that does not match', { spec: { selector: { matchLabels: { app: 'b' } }, template } }],
    ['negative replicas', { spec: { selector, template, replicas: -1 } }],
    [
      'restart never',
      {
        spec: {
          selector,
          template: { ...template, spec: { ...(template['spec'] as JsonObject), restartPolicy: 'Never' } },
        },
      },
    ],
    [
      'recreate with rolling settings',
      { spec: { selector, template, strategy: { type: 'Recreate', rollingUpdate: { maxSurge: 1 } } } },
    ],
    ['both zero', { spec: { selector, template, strategy: { rollingUpdate: { maxSurge: 0, maxUnavailable: 0 } } } }],
    ['unknown strategy', { spec: { selector, template, strategy: { type: 'X' } } }],
    [
      'another selector',
      { spec: { selector, template } },
      { spec: { selector: { matchLabels: { app: 'a', b: 'c' } }, template: { metadata: { labels: { b: 'c' } } } } },
    ],
    ['progress deadline too short', { spec: { selector, template, progressDeadlineSeconds: 1, minReadySeconds: 5 } }],
  ]),
  ...casesOf('apps/v1/replicasets', [
    ['the least', { spec: { selector, template } }],
    ['no replicas', { spec: { selector, template, replicas: 0 } }],
    ['no selector', { spec: { template } }],
    ['another selector', { spec: { selector, template } }, { spec: { selector: { matchLabels: { z: 'z' } } } }],
  ]),
  ...casesOf('apps/v1/statefulsets', [
    ['the least', { spec: { selector, template, serviceName: 's' } }],
    [
      'claims',
      {
        spec: {
          selector,
          template,
          volumeClaimTemplates: [
            {
              metadata: { name: 'd' },
              spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } },
            },
          ],
        },
      },
    ],
    ['policy', { spec: { selector, template, podManagementPolicy: 'X' } }],
    ['another service', { spec: { selector, template, serviceName: 's' } }, { spec: { serviceName: 't' } }],
  ]),
  ...casesOf('apps/v1/daemonsets', [
    ['the least', { spec: { selector, template } }],
    ['on delete', { spec: { selector, template, updateStrategy: { type: 'OnDelete' } } }],
  ]),
  ...casesOf('apps/v1/controllerrevisions', [
    ['the least', { revision: 1, data: { a: 'b' } }],
    ['no data', { revision: 1 }],
    ['other data', { revision: 1, data: { a: 'b' } }, { data: { a: 'c' } }],
  ]),
  ...casesOf('v1/replicationcontrollers', [
    ['the least', { spec: { template } }],
    ['a selector', { spec: { selector: { app: 'a' }, template } }],
  ]),
  ...casesOf('v1/podtemplates', [['the least', { template }]]),
];

const batch: Case[] = [
  ...casesOf('batch/v1/jobs', [
    ['the least', { spec: { template: jobTemplate } }],
    ['parallel', { spec: { template: jobTemplate, parallelism: 3 } }],
    [
      'indexed',
      { spec: { template: jobTemplate, completions: 3, completionMode: 'Indexed', backoffLimitPerIndex: 1 } },
    ],
    [
      'manual',
      {
        spec: {
          template: { ...template, spec: { ...(template['spec'] as JsonObject), restartPolicy: 'Never' } },
          manualSelector: true,
          selector,
        },
      },
    ],
    ['its own selector', { spec: { template: jobTemplate, selector } }],
    ['restart always', { spec: { template: { spec: { containers: [{ name: 'c', image: 'i' }] } } } }],
    ['no template', { spec: {} }],
    [
      'negative numbers',
      {
        spec: {
          template: jobTemplate,
          parallelism: -1,
          completions: -1,
          backoffLimit: -1,
          activeDeadlineSeconds: -1,
          ttlSecondsAfterFinished: -1,
        },
      },
    ],
    ['unknown mode', { spec: { template: jobTemplate, completionMode: 'X' } }],
    ['indexed without completions', { spec: { template: jobTemplate, completionMode: 'Indexed' } }],
    [
      'failure policy',
      {
        spec: {
          template: jobTemplate,
          podFailurePolicy: {
            rules: [
              { action: 'FailJob', onExitCodes: { operator: 'In', values: [1] } },
              { action: 'Ignore', onPodConditions: [{ type: 'DisruptionTarget' }] },
            ],
          },
        },
      },
    ],
    ['more completions', { spec: { template: jobTemplate, completions: 1 } }, { spec: { completions: 2 } }],
    [
      'another image',
      { spec: { template: jobTemplate } },
      { spec: { template: { spec: { containers: [{ name: 'c', image: 'j' }] } } } },
    ],
    ['suspended', { spec: { template: jobTemplate } }, { spec: { suspend: true, parallelism: 2 } }],
    ['backoff limit changed', { spec: { template: jobTemplate } }, { spec: { backoffLimit: 2 } }],
  ]),
  ...casesOf('batch/v1/cronjobs', [
    ['the least', { spec: { schedule: '* * * * *', jobTemplate: { spec: { template: jobTemplate } } } }],
    ['no schedule', { spec: { jobTemplate: { spec: { template: jobTemplate } } } }],
    [
      'a bad policy',
      { spec: { schedule: '@hourly', concurrencyPolicy: 'X', jobTemplate: { spec: { template: jobTemplate } } } },
    ],
    [
      'a name that is too long',
      {
        metadata: { name: 'a'.repeat(53) },
        spec: { schedule: '@hourly', jobTemplate: { spec: { template: jobTemplate } } },
      },
    ],
  ]),
  ...casesOf('autoscaling/v2/horizontalpodautoscalers', [
    [
      'the least',
      { spec: { maxReplicas: 3, scaleTargetRef: { kind: 'Deployment', name: 'd', apiVersion: 'apps/v1' } } },
    ],
    [
      'min above max',
      {
        spec: {
          minReplicas: 4,
          maxReplicas: 3,
          scaleTargetRef: { kind: 'Deployment', name: 'd', apiVersion: 'apps/v1' },
        },
      },
    ],
    [
      'behaviour',
      {
        spec: {
          maxReplicas: 3,
          scaleTargetRef: { kind: 'Deployment', name: 'd', apiVersion: 'apps/v1' },
          behavior: { scaleDown: { policies: [{ type: 'Pods', value: 1, periodSeconds: 60 }] } },
        },
      },
    ],
  ]),
  ...casesOf('policy/v1/poddisruptionbudgets', [
    ['the least', { spec: { selector, minAvailable: 1 } }],
    ['a percentage', { spec: { selector, maxUnavailable: '50%' } }],
    ['both', { spec: { selector, minAvailable: 1, maxUnavailable: 1 } }],
    ['a bad percentage', { spec: { selector, minAvailable: '150%' } }],
    ['negative', { spec: { selector, minAvailable: -1 } }],
  ]),
];

const core: Case[] = [
  ...casesOf('v1/configmaps', [
    ['data', { data: { a: 'b', 'c.d': 'e' } }],
    ['nothing', {}],
    ['binary', { binaryData: { a: 'aGk=' } }],
    ['bad key', { data: { 'a b': 'c' } }],
    ['a key twice', { data: { a: 'b' }, binaryData: { a: 'aGk=' } }],
    ['immutable changed', { data: { a: 'b' }, immutable: true }, { data: { a: 'c' } }],
    ['immutable undone', { data: { a: 'b' }, immutable: true }, { immutable: false }],
    ['mutable changed', { data: { a: 'b' } }, { data: { a: 'c', d: 'e' } }],
    ['not text', { data: { a: 1 } }],
  ]),
  ...casesOf('v1/secrets', [
    ['data', { data: { a: 'aGk=' } }],
    ['plain text', { data: { a: 'aGk=', b: 'eA==' }, stringData: { a: 'new' } }],
    ['type', { type: 'kubernetes.io/tls', data: { 'tls.crt': '', 'tls.key': '' } }],
    ['tls without keys', { type: 'kubernetes.io/tls' }],
    ['basic auth without keys', { type: 'kubernetes.io/basic-auth' }],
    ['docker config', { type: 'kubernetes.io/dockerconfigjson', data: { '.dockerconfigjson': 'e30=' } }],
    [
      'docker config that is not JSON',
      { type: 'kubernetes.io/dockerconfigjson', data: { '.dockerconfigjson': 'aGk=' } },
    ],
    ['bad key', { data: { 'a/b': 'aGk=' } }],
    ['type changed', { data: { a: 'aGk=' } }, { type: 'other' }],
    ['immutable changed', { data: { a: 'aGk=' }, immutable: true }, { data: { a: 'eA==' } }],
    ['not base64', { data: { a: '???' } }],
  ]),
  ...casesOf('v1/services', [
    ['the least', { spec: { ports: [{ port: 80 }] } }],
    ['headless', { spec: { clusterIP: 'None', selector: { a: 'b' } } }],
    ['target by name', { spec: { ports: [{ port: 80, targetPort: 'http', name: 'x' }], selector: { a: 'b' } } }],
    [
      'two ports',
      {
        spec: {
          ports: [
            { port: 80, name: 'a' },
            { port: 81, name: 'b', protocol: 'UDP' },
          ],
        },
      },
    ],
    ['external name', { spec: { type: 'ExternalName', externalName: 'a.example.com' } }],
    ['affinity', { spec: { ports: [{ port: 80 }], sessionAffinity: 'ClientIP' } }],
    ['no ports', { spec: {} }],
    ['ports without names', { spec: { ports: [{ port: 80 }, { port: 81 }] } }],
    ['port zero', { spec: { ports: [{ port: 0 }] } }],
    [
      'a port twice',
      {
        spec: {
          ports: [
            { port: 80, name: 'a' },
            { port: 80, name: 'b' },
          ],
        },
      },
    ],
    [
      'a name twice',
      {
        spec: {
          ports: [
            { port: 80, name: 'a' },
            { port: 81, name: 'a' },
          ],
        },
      },
    ],
    ['bad type', { spec: { type: 'X', ports: [{ port: 80 }] } }],
    ['bad affinity', { spec: { ports: [{ port: 80 }], sessionAffinity: 'X' } }],
    ['bad cluster IP', { spec: { ports: [{ port: 80 }], clusterIP: 'x' } }],
    ['external name without one', { spec: { type: 'ExternalName' } }],
    ['a bad selector', { spec: { ports: [{ port: 80 }], selector: { 'a b': 'c' } } }],
    ['a bad name', { metadata: { name: 'Bad_name' }, spec: { ports: [{ port: 80 }] } }],
    [
      'another cluster IP',
      { spec: { ports: [{ port: 80 }] } },
      { spec: { clusterIP: '10.96.7.7', clusterIPs: ['10.96.7.7'] } },
    ],
    ['another port', { spec: { ports: [{ port: 80 }] } }, { spec: { ports: [{ port: 90 }] } }],
  ]),
  ...casesOf('v1/serviceaccounts', [
    ['the least', {}],
    ['secrets', { secrets: [{ name: 's' }], imagePullSecrets: [{ name: 'p' }], automountServiceAccountToken: false }],
  ]),
  ...casesOf('v1/namespaces', [
    ['the least', {}],
    ['labels', { metadata: { name: 'x', labels: { a: 'b' } } }],
    ['a bad name', { metadata: { name: 'a.b' } }],
  ]),
  ...casesOf('v1/nodes', [
    ['the least', {}],
    ['taints', { spec: { taints: [{ key: 'k', effect: 'NoSchedule' }], unschedulable: true } }],
    ['a bad taint', { spec: { taints: [{ key: 'k', effect: 'X' }] } }],
    [
      'a taint twice',
      {
        spec: {
          taints: [
            { key: 'k', effect: 'NoSchedule' },
            { key: 'k', effect: 'NoSchedule' },
          ],
        },
      },
    ],
    ['status', { status: { capacity: { cpu: '4', memory: '8Gi', pods: 110 }, allocatable: { cpu: 3.5 } } }],
  ]),
  ...casesOf('v1/endpoints', [
    ['the least', { subsets: [{ addresses: [{ ip: '10.0.0.1' }], ports: [{ port: 80 }] }] }],
    ['a bad address', { subsets: [{ addresses: [{ ip: 'x' }], ports: [{ port: 80 }] }] }],
  ]),
  ...casesOf('v1/events', [
    [
      'the least',
      {
        involvedObject: { kind: 'Pod', namespace: 'builtin-kinds', name: 'p' },
        reason: 'R',
        message: 'm',
        type: 'Normal',
      },
    ],
    ['another namespace', { involvedObject: { kind: 'Pod', namespace: 'other', name: 'p' } }],
  ]),
  ...casesOf('events.k8s.io/v1/events', [
    [
      'the least',
      {
        eventTime: '2026-01-01T00:00:00.000000Z',
        reportingController: 'a/b',
        reportingInstance: 'i',
        action: 'A',
        reason: 'R',
        note: 'n',
        type: 'Normal',
        regarding: { kind: 'Pod', namespace: 'builtin-kinds', name: 'p' },
      },
    ],
    ['nothing', { regarding: { kind: 'Pod', namespace: 'builtin-kinds', name: 'p' } }],
    [
      'a bad type',
      {
        eventTime: '2026-01-01T00:00:00.000000Z',
        reportingController: 'a/b',
        reportingInstance: 'i',
        action: 'A',
        reason: 'R',
        type: 'X',
        regarding: { kind: 'Pod', namespace: 'builtin-kinds', name: 'p' },
      },
    ],
  ]),
  ...casesOf('v1/limitranges', [['the least', { spec: { limits: [{ type: 'Container', default: { cpu: '1' } }] } }]]),
  ...casesOf('v1/resourcequotas', [
    ['the least', { spec: { hard: { pods: 5, 'requests.cpu': 0.5 } } }],
    ['negative', { spec: { hard: { pods: -1 } } }],
  ]),
  ...casesOf('v1/persistentvolumeclaims', [
    ['the least', { spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } } }],
    [
      'a class of nothing',
      {
        spec: { accessModes: ['ReadWriteOnce'], storageClassName: '', resources: { requests: { storage: '1024Mi' } } },
      },
    ],
    ['no mode', { spec: { resources: { requests: { storage: '1Gi' } } } }],
    ['no size', { spec: { accessModes: ['ReadWriteOnce'] } }],
    [
      'two modes that exclude each other',
      { spec: { accessModes: ['ReadWriteOncePod', 'ReadOnlyMany'], resources: { requests: { storage: '1Gi' } } } },
    ],
    ['bad mode', { spec: { accessModes: ['X'], resources: { requests: { storage: '1Gi' } } } }],
    [
      'changed mode',
      { spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } } },
      { spec: { accessModes: ['ReadOnlyMany'] } },
    ],
  ]),
  ...casesOf('v1/persistentvolumes', [
    ['the least', { spec: { capacity: { storage: '1Gi' }, accessModes: ['ReadWriteOnce'], hostPath: { path: '/x' } } }],
    ['no source', { spec: { capacity: { storage: '1Gi' }, accessModes: ['ReadWriteOnce'] } }],
    ['no capacity', { spec: { accessModes: ['ReadWriteOnce'], hostPath: { path: '/x' } } }],
  ]),
];

const rule: JsonObject = { operations: ['CREATE'], apiGroups: [''], apiVersions: ['v1'], resources: ['pods'] };
const webhook: JsonObject = {
  name: 'a.example.com',
  sideEffects: 'None',
  admissionReviewVersions: ['v1'],
  clientConfig: { url: 'https://example.com/a' },
  rules: [rule],
};
const others: Case[] = [
  ...casesOf('coordination.k8s.io/v1/leases', [
    ['the least', {}],
    ['held', { spec: { holderIdentity: 'me', leaseDurationSeconds: 15, renewTime: '2026-01-01T00:00:00.000000Z' } }],
    ['zero seconds', { spec: { leaseDurationSeconds: 0 } }],
  ]),
  ...casesOf('discovery.k8s.io/v1/endpointslices', [
    ['the least', { addressType: 'IPv4', endpoints: [{ addresses: ['10.0.0.1'] }], ports: [{ port: 80 }] }],
    ['no type', { endpoints: [] }],
    ['a bad address', { addressType: 'IPv4', endpoints: [{ addresses: ['x'] }] }],
  ]),
  ...casesOf('scheduling.k8s.io/v1/priorityclasses', [
    ['the least', { value: 5 }],
    ['too high', { value: 2_000_000_000 }],
    ['system', { metadata: { name: 'system-x' }, value: 5 }],
    ['another value', { value: 5 }, { value: 6 }],
  ]),
  ...casesOf('node.k8s.io/v1/runtimeclasses', [
    ['the least', { handler: 'runsc' }],
    ['no handler', {}],
    ['another handler', { handler: 'runsc' }, { handler: 'runc' }],
  ]),
  ...casesOf('networking.k8s.io/v1/networkpolicies', [
    ['the least', { spec: { podSelector: {} } }],
    [
      'egress',
      {
        spec: { podSelector: selector, egress: [{ to: [{ ipBlock: { cidr: '10.0.0.0/8' } }], ports: [{ port: 53 }] }] },
      },
    ],
    ['a bad type', { spec: { podSelector: {}, policyTypes: ['X'] } }],
    ['a bad block', { spec: { podSelector: {}, ingress: [{ from: [{ ipBlock: { cidr: 'x' } }] }] } }],
  ]),
  ...casesOf('networking.k8s.io/v1/ingresses', [
    ['the least', { spec: { defaultBackend: { service: { name: 's', port: { number: 80 } } } } }],
    ['nothing', { spec: {} }],
  ]),
  ...casesOf('rbac.authorization.k8s.io/v1/roles', [
    ['the least', { rules: [{ apiGroups: [''], resources: ['pods'], verbs: ['get'] }] }],
    ['no rules', {}],
    ['no verbs', { rules: [{ apiGroups: [''], resources: ['pods'], verbs: [] }] }],
    ['no groups', { rules: [{ resources: ['pods'], verbs: ['get'] }] }],
    ['urls in a namespace', { rules: [{ nonResourceURLs: ['/x'], verbs: ['get'] }] }],
  ]),
  ...casesOf('rbac.authorization.k8s.io/v1/clusterroles', [
    ['aggregated', { aggregationRule: { clusterRoleSelectors: [selector] } }],
    ['urls', { rules: [{ nonResourceURLs: ['/x'], verbs: ['get'] }] }],
  ]),
  ...casesOf('rbac.authorization.k8s.io/v1/rolebindings', [
    [
      'the least',
      {
        roleRef: { kind: 'Role', name: 'r' },
        subjects: [
          { kind: 'ServiceAccount', name: 's', namespace: 'b' },
          { kind: 'User', name: 'u' },
        ],
      },
    ],
    ['no kind', { roleRef: { name: 'r' } }],
    ['a bad kind', { roleRef: { kind: 'X', name: 'r' } }],
    ['another role', { roleRef: { kind: 'ClusterRole', name: 'view' } }, { roleRef: { name: 'edit' } }],
    [
      'a subject without a namespace',
      { roleRef: { kind: 'ClusterRole', name: 'view' }, subjects: [{ kind: 'ServiceAccount', name: 's' }] },
    ],
    [
      'a subject of no kind',
      { roleRef: { kind: 'ClusterRole', name: 'view' }, subjects: [{ kind: 'Robot', name: 's' }] },
    ],
  ]),
  ...casesOf('rbac.authorization.k8s.io/v1/clusterrolebindings', [
    ['the least', { roleRef: { kind: 'ClusterRole', name: 'view' }, subjects: [{ kind: 'Group', name: 'g' }] }],
  ]),
  ...casesOf('storage.k8s.io/v1/storageclasses', [
    ['the least', { provisioner: 'p.example.com' }],
    ['no provisioner', {}],
    ['a bad policy', { provisioner: 'p', reclaimPolicy: 'X' }],
    ['changed parameters', { provisioner: 'p.example.com' }, { parameters: { a: 'b' } }],
  ]),
  ...casesOf('admissionregistration.k8s.io/v1/validatingwebhookconfigurations', [
    ['the least', { webhooks: [webhook] }],
    ['no webhooks', {}],
    ['by service', { webhooks: [{ ...webhook, clientConfig: { service: { name: 's', namespace: 'n' } } }] }],
    ['no side effects', { webhooks: [{ ...webhook, sideEffects: null }] }],
    ['a short name', { webhooks: [{ ...webhook, name: 'a' }] }],
    ['no client', { webhooks: [{ ...webhook, clientConfig: {} }] }],
    ['http', { webhooks: [{ ...webhook, clientConfig: { url: 'http://example.com' } }] }],
    ['too patient', { webhooks: [{ ...webhook, timeoutSeconds: 31 }] }],
    ['an unknown policy', { webhooks: [{ ...webhook, failurePolicy: 'X' }] }],
    ['no versions', { webhooks: [{ ...webhook, admissionReviewVersions: [] }] }],
  ]),
  ...casesOf('admissionregistration.k8s.io/v1/mutatingwebhookconfigurations', [['the least', { webhooks: [webhook] }]]),
];

export const kindCases: readonly Case[] = [...apps, ...batch, ...core, ...others];
