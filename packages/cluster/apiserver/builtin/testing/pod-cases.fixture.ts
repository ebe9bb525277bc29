import type { Json, JsonObject } from '../../schema/structural.ts';
import { type Case, casesOf } from './case.fixture.ts';

const main = (extra: JsonObject = {}): JsonObject => ({ name: 'main', image: 'busybox', ...extra });
const spec = (extra: JsonObject): JsonObject => ({ spec: { containers: [main()], ...extra } });
const container = (extra: JsonObject): JsonObject => ({ spec: { containers: [main(extra)] } });
const mounted = (volume: JsonObject, mount: JsonObject = {}): JsonObject => ({
  spec: {
    containers: [main({ volumeMounts: [{ name: 'v', mountPath: '/v', ...mount }] })],
    volumes: [{ name: 'v', ...volume }],
  },
});
const affinity = (value: JsonObject): JsonObject => spec({ affinity: value });
const terms = (...expressions: Json[]): JsonObject => ({
  nodeAffinity: {
    requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: [{ matchExpressions: expressions }] },
  },
});

const good: Case[] = casesOf('v1/pods', [
  ['the least', spec({})],
  ['a tag', container({ image: 'busybox:1.36' })],
  ['tag latest', container({ image: 'registry.test:5000/a/busybox:latest' })],
  ['a digest', container({ image: `busybox@sha256:${'a'.repeat(64)}` })],
  ['a port of a registry is no tag', container({ image: 'registry.test:5000/busybox' })],
  ['quantities are made canonical', container({ resources: { limits: { cpu: 0.5, memory: '1024Mi' } } })],
  [
    'requests beside limits',
    container({ resources: { limits: { cpu: '1', memory: '1Gi' }, requests: { cpu: '500m' } } }),
  ],
  ['guaranteed', container({ resources: { limits: { cpu: '1', memory: '1Gi' } } })],
  [
    'ephemeral storage and an extended resource',
    container({ resources: { limits: { 'ephemeral-storage': '2G', 'example.com/gpu': 2 } } }),
  ],
  ['huge pages', container({ resources: { limits: { 'hugepages-2Mi': '4Mi', memory: '1Gi', cpu: 1 } } })],
  ['ports', container({ ports: [{ containerPort: 80 }, { name: 'dns', containerPort: 53, protocol: 'UDP' }] })],
  [
    'host network takes host ports',
    spec({ hostNetwork: true, containers: [main({ ports: [{ containerPort: 80 }] })] }),
  ],
  ['a probe over http', container({ livenessProbe: { httpGet: { port: 8080 } } })],
  [
    'a probe over http, with path and a named port',
    container({
      ports: [{ name: 'http', containerPort: 80 }],
      readinessProbe: { httpGet: { port: 'http', path: '/healthz' }, periodSeconds: 1 },
    }),
  ],
  ['a tcp probe', container({ readinessProbe: { tcpSocket: { port: 80 }, initialDelaySeconds: 3 } })],
  ['a startup probe that executes', container({ startupProbe: { exec: { command: ['true'] }, failureThreshold: 30 } })],
  ['a grpc probe', container({ livenessProbe: { grpc: { port: 90 } } })],
  [
    'lifecycle',
    container({ lifecycle: { postStart: { exec: { command: ['a'] } }, preStop: { httpGet: { port: 80 } } } }),
  ],
  ['sleep before stop', container({ lifecycle: { preStop: { sleep: { seconds: 3 } } } })],
  [
    'env',
    container({
      env: [
        { name: 'A', value: 'b' },
        { name: 'EMPTY', value: '' },
        { name: 'IP', valueFrom: { fieldRef: { fieldPath: 'status.podIP' } } },
      ],
    }),
  ],
  [
    'env from a resource',
    container({ env: [{ name: 'CPU', valueFrom: { resourceFieldRef: { resource: 'limits.cpu' } } }] }),
  ],
  [
    'env from config',
    container({
      env: [
        { name: 'A', valueFrom: { configMapKeyRef: { name: 'c', key: 'k' } } },
        { name: 'B', valueFrom: { secretKeyRef: { name: 's', key: 'k', optional: true } } },
      ],
      envFrom: [{ prefix: 'P_', configMapRef: { name: 'c' } }],
    }),
  ],
  ['empty dir', mounted({ emptyDir: {} })],
  ['empty dir in memory', mounted({ emptyDir: { medium: 'Memory', sizeLimit: '64Mi' } })],
  ['a volume without a source', mounted({})],
  ['config map', mounted({ configMap: { name: 'c' } })],
  [
    'config map with items',
    mounted({ configMap: { name: 'c', defaultMode: 256, items: [{ key: 'a', path: 'b' }] } }, { subPath: 'b' }),
  ],
  ['secret', mounted({ secret: { secretName: 's' } })],
  ['downward', mounted({ downwardAPI: { items: [{ path: 'labels', fieldRef: { fieldPath: 'metadata.labels' } }] } })],
  [
    'projected',
    mounted({
      projected: {
        sources: [
          { serviceAccountToken: { path: 't' } },
          { configMap: { name: 'c' } },
          { downwardAPI: { items: [{ path: 'n', fieldRef: { fieldPath: 'metadata.name' } }] } },
        ],
      },
    }),
  ],
  ['host path', mounted({ hostPath: { path: '/data' } })],
  ['host path with a type', mounted({ hostPath: { path: '/data', type: 'DirectoryOrCreate' } }, { readOnly: true })],
  ['claim', mounted({ persistentVolumeClaim: { claimName: 'c' } })],
  ['csi', mounted({ csi: { driver: 'd.example.com' } })],
  ['image volume', mounted({ image: { reference: 'a:1' } })],
  [
    'generic ephemeral',
    mounted({
      ephemeral: {
        volumeClaimTemplate: { spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } } },
      },
    }),
  ],
  ['nfs', mounted({ nfs: { server: 's', path: '/p' } })],
  [
    'zero values are not there',
    spec({
      hostNetwork: false,
      hostPID: false,
      nodeSelector: {},
      tolerations: [],
      hostname: '',
      priorityClassName: '',
    }),
  ],
  ['explicit nulls are not there', spec({ nodeSelector: null, tolerations: null, securityContext: null })],
  [
    'pointers keep their zero',
    spec({
      automountServiceAccountToken: false,
      enableServiceLinks: false,
      terminationGracePeriodSeconds: 0,
      hostUsers: true,
      shareProcessNamespace: false,
    }),
  ],
  [
    'init containers and a sidecar',
    spec({
      initContainers: [
        { name: 'i', image: 'a:1' },
        { name: 's', image: 'a:1', restartPolicy: 'Always' },
      ],
    }),
  ],
  ['never restarted', spec({ restartPolicy: 'Never' })],
  ['a node already', spec({ nodeName: 'n1' })],
  ['its own service account', spec({ serviceAccountName: 'default' })],
  ['the deprecated service account field', spec({ serviceAccount: 'default' })],
  ['no token', spec({ automountServiceAccountToken: false })],
  [
    'tolerations',
    spec({
      tolerations: [
        { key: 'k', operator: 'Exists' },
        { key: 'a', value: 'b', effect: 'NoSchedule' },
      ],
    }),
  ],
  [
    'tolerates unready nodes itself',
    spec({
      tolerations: [
        { key: 'node.kubernetes.io/not-ready', operator: 'Exists', effect: 'NoExecute', tolerationSeconds: 5 },
      ],
    }),
  ],
  ['tolerates everything', spec({ tolerations: [{ operator: 'Exists' }] })],
  ['node affinity', affinity(terms({ key: 'k', operator: 'In', values: ['v'] }))],
  [
    'pod anti-affinity',
    affinity({
      podAntiAffinity: {
        preferredDuringSchedulingIgnoredDuringExecution: [
          {
            weight: 1,
            podAffinityTerm: { topologyKey: 'kubernetes.io/hostname', labelSelector: { matchLabels: { a: 'b' } } },
          },
        ],
      },
    }),
  ],
  [
    'topology spread',
    spec({
      topologySpreadConstraints: [
        {
          maxSkew: 1,
          topologyKey: 'zone',
          whenUnsatisfiable: 'DoNotSchedule',
          labelSelector: { matchLabels: { a: 'b' } },
        },
      ],
    }),
  ],
  ['priority class', spec({ priorityClassName: 'system-node-critical' })],
  [
    'security contexts',
    spec({
      securityContext: { runAsUser: 1000, runAsNonRoot: true, fsGroup: 2, seccompProfile: { type: 'RuntimeDefault' } },
      containers: [
        main({
          securityContext: {
            privileged: false,
            allowPrivilegeEscalation: false,
            capabilities: { drop: ['ALL'] },
            readOnlyRootFilesystem: true,
          },
        }),
      ],
    }),
  ],
  [
    'host aliases and dns',
    spec({
      hostAliases: [{ ip: '127.0.0.1', hostnames: ['a.b'] }],
      dnsPolicy: 'None',
      dnsConfig: { nameservers: ['1.1.1.1'] },
    }),
  ],
  ['a scheduling gate', spec({ schedulingGates: [{ name: 'example.com/wait' }] })],
  ['readiness gates', spec({ readinessGates: [{ conditionType: 'example.com/ok' }] })],
  ['a status is dropped', { ...spec({}), status: { phase: 'Running', podIP: '1.2.3.4' } }],
  ['overhead is not for callers to need', spec({ activeDeadlineSeconds: 60, hostname: 'h', subdomain: 's' })],
  ['stdin, tty, working folder', container({ stdin: true, tty: true, workingDir: '/w', command: ['a'], args: ['b'] })],
  [
    'termination message',
    container({ terminationMessagePath: '/x', terminationMessagePolicy: 'FallbackToLogsOnError' }),
  ],
  ['image pull secrets', spec({ imagePullSecrets: [{ name: 's' }] })],
  ['resources of the pod', spec({ resources: { limits: { cpu: '2', memory: '1Gi' } } })],
]);

const bad: Case[] = casesOf('v1/pods', [
  ['no spec', {}],
  ['no containers', { spec: {} }],
  ['a bad name', { metadata: { name: 'Bad_Name' }, spec: { containers: [main()] } }],
  ['a bad container name', container({ name: 'Main_1' })],
  ['no container name', { spec: { containers: [{ image: 'a' }] } }],
  ['no image', { spec: { containers: [{ name: 'a' }] } }],
  ['image with spaces', container({ image: ' a ' })],
  ['the same name twice', { spec: { containers: [main(), main()] } }],
  ['an init container of the same name', spec({ initContainers: [main()] })],
  ['bad pull policy', container({ imagePullPolicy: 'Sometimes' })],
  ['bad restart policy', spec({ restartPolicy: 'Maybe' })],
  ['bad dns policy', spec({ dnsPolicy: 'X' })],
  ['dns none without servers', spec({ dnsPolicy: 'None' })],
  ['bad termination policy', container({ terminationMessagePolicy: 'X' })],
  ['env without a name', container({ env: [{ value: 'a' }] })],
  ['env name with =', container({ env: [{ name: 'a=b', value: 'a' }] })],
  [
    'env with both',
    container({ env: [{ name: 'a', value: 'v', valueFrom: { fieldRef: { fieldPath: 'metadata.name' } } }] }),
  ],
  ['env from nothing', container({ env: [{ name: 'a', valueFrom: {} }] })],
  [
    'env from an unknown field',
    container({ env: [{ name: 'a', valueFrom: { fieldRef: { fieldPath: 'spec.foo' } } }] }),
  ],
  [
    'env from two',
    container({
      env: [
        { name: 'a', valueFrom: { fieldRef: { fieldPath: 'metadata.name' }, secretKeyRef: { name: 'a', key: 'b' } } },
      ],
    }),
  ],
  [
    'env from a bad key',
    container({ env: [{ name: 'a', valueFrom: { configMapKeyRef: { name: 'c', key: 'a/b' } } }] }),
  ],
  ['envFrom nothing', container({ envFrom: [{}] })],
  ['port zero', container({ ports: [{ containerPort: 0 }] })],
  ['port too large', container({ ports: [{ containerPort: 70000 }] })],
  ['host port too large', container({ ports: [{ containerPort: 80, hostPort: 70000 }] })],
  ['port name too long', container({ ports: [{ name: 'a-very-long-port-name', containerPort: 80 }] })],
  [
    'port name twice',
    container({
      ports: [
        { name: 'a', containerPort: 80 },
        { name: 'a', containerPort: 81 },
      ],
    }),
  ],
  ['bad protocol', container({ ports: [{ containerPort: 80, protocol: 'ICMP' }] })],
  [
    'host network with another host port',
    spec({ hostNetwork: true, containers: [main({ ports: [{ containerPort: 80, hostPort: 81 }] })] }),
  ],
  [
    'a host port twice',
    spec({
      containers: [
        main({ ports: [{ containerPort: 80, hostPort: 81 }] }),
        { name: 'b', image: 'b', ports: [{ containerPort: 82, hostPort: 81 }] },
      ],
    }),
  ],
  ['mount of nothing', container({ volumeMounts: [{ name: 'v', mountPath: '/v' }] })],
  [
    'mount without a path',
    { spec: { containers: [main({ volumeMounts: [{ name: 'v' }] })], volumes: [{ name: 'v' }] } },
  ],
  [
    'the same path twice',
    {
      spec: {
        containers: [
          main({
            volumeMounts: [
              { name: 'v', mountPath: '/v' },
              { name: 'v', mountPath: '/v' },
            ],
          }),
        ],
        volumes: [{ name: 'v' }],
      },
    },
  ],
  ['sub path that climbs', mounted({ emptyDir: {} }, { subPath: '../x' })],
  ['an absolute sub path', mounted({ emptyDir: {} }, { subPath: '/x' })],
  ['both sub paths', mounted({ emptyDir: {} }, { subPath: 'a', subPathExpr: 'b' })],
  ['a volume twice', spec({ volumes: [{ name: 'v' }, { name: 'v' }] })],
  ['a bad volume name', spec({ volumes: [{ name: 'V_1' }] })],
  ['a volume without a name', spec({ volumes: [{ emptyDir: {} }] })],
  ['a volume with two sources', spec({ volumes: [{ name: 'v', emptyDir: {}, hostPath: { path: '/' } }] })],
  ['config map without a name', spec({ volumes: [{ name: 'v', configMap: {} }] })],
  ['secret without a name', spec({ volumes: [{ name: 'v', secret: {} }] })],
  ['claim without a name', spec({ volumes: [{ name: 'v', persistentVolumeClaim: {} }] })],
  ['host path without a path', spec({ volumes: [{ name: 'v', hostPath: {} }] })],
  ['host path that climbs', spec({ volumes: [{ name: 'v', hostPath: { path: '/a/../b' } }] })],
  ['host path type', spec({ volumes: [{ name: 'v', hostPath: { path: '/a', type: 'X' } }] })],
  ['mode too large', spec({ volumes: [{ name: 'v', configMap: { name: 'c', defaultMode: 1000 } }] })],
  ['item without a path', spec({ volumes: [{ name: 'v', configMap: { name: 'c', items: [{ key: 'a' }] } }] })],
  [
    'item path that climbs',
    spec({ volumes: [{ name: 'v', configMap: { name: 'c', items: [{ key: 'a', path: '../b' }] } }] }),
  ],
  ['empty dir with a negative size', spec({ volumes: [{ name: 'v', emptyDir: { sizeLimit: '-1' } }] })],
  [
    'a token that expires too soon',
    spec({
      volumes: [{ name: 'v', projected: { sources: [{ serviceAccountToken: { path: 't', expirationSeconds: 5 } }] } }],
    }),
  ],
  [
    'a projected path twice',
    spec({
      volumes: [
        {
          name: 'v',
          projected: {
            sources: [
              { configMap: { name: 'a', items: [{ key: 'k', path: 'p' }] } },
              { secret: { name: 'b', items: [{ key: 'k', path: 'p' }] } },
            ],
          },
        },
      ],
    }),
  ],
  [
    'downward from an unknown field',
    spec({
      volumes: [{ name: 'v', downwardAPI: { items: [{ path: 'p', fieldRef: { fieldPath: 'status.podIP' } }] } }],
    }),
  ],
  ['a probe that does nothing', container({ livenessProbe: {} })],
  ['a probe that does two things', container({ livenessProbe: { exec: { command: ['a'] }, tcpSocket: { port: 1 } } })],
  ['a probe of port zero', container({ livenessProbe: { tcpSocket: { port: 0 } } })],
  ['a probe of a bad port name', container({ livenessProbe: { httpGet: { port: 'Bad_Port' } } })],
  ['a probe that executes nothing', container({ livenessProbe: { exec: {} } })],
  [
    'negative probe times',
    container({
      readinessProbe: { tcpSocket: { port: 1 }, periodSeconds: -1, timeoutSeconds: -2, initialDelaySeconds: -3 },
    }),
  ],
  ['two successes for liveness', container({ livenessProbe: { tcpSocket: { port: 1 }, successThreshold: 2 } })],
  ['a hook that does nothing', container({ lifecycle: { preStop: {} } })],
  ['a bad scheme', container({ livenessProbe: { httpGet: { port: 1, scheme: 'ftp' } } })],
  ['requests over limits', container({ resources: { limits: { cpu: '1' }, requests: { cpu: '2' } } })],
  ['a negative request', container({ resources: { requests: { cpu: '-1' } } })],
  ['an unknown resource', container({ resources: { requests: { foo: '1' } } })],
  ['half an extended resource', container({ resources: { limits: { 'example.com/gpu': '500m' } } })],
  [
    'an extended resource that differs',
    container({ resources: { limits: { 'example.com/gpu': 2 }, requests: { 'example.com/gpu': 1 } } }),
  ],
  ['an extended request without a limit', container({ resources: { requests: { 'example.com/gpu': 1 } } })],
  ['not a quantity', container({ resources: { requests: { cpu: 'lots' } } })],
  ['a bad node selector', spec({ nodeSelector: { 'a b': 'c' } })],
  ['a bad node selector value', spec({ nodeSelector: { a: 'b c' } })],
  ['toleration without a key', spec({ tolerations: [{ operator: 'Equal', value: 'x' }] })],
  ['toleration exists with a value', spec({ tolerations: [{ key: 'k', operator: 'Exists', value: 'x' }] })],
  ['toleration operator', spec({ tolerations: [{ key: 'k', operator: 'Maybe' }] })],
  ['toleration effect', spec({ tolerations: [{ key: 'k', operator: 'Exists', effect: 'Never' }] })],
  [
    'toleration seconds need NoExecute',
    spec({ tolerations: [{ key: 'k', operator: 'Exists', effect: 'NoSchedule', tolerationSeconds: 1 }] }),
  ],
  ['affinity operator', affinity(terms({ key: 'k', operator: 'Like', values: ['v'] }))],
  ['affinity in without values', affinity(terms({ key: 'k', operator: 'In' }))],
  ['affinity exists with values', affinity(terms({ key: 'k', operator: 'Exists', values: ['v'] }))],
  [
    'affinity without terms',
    affinity({ nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: [] } } }),
  ],
  [
    'pod affinity without topology',
    affinity({
      podAffinity: { requiredDuringSchedulingIgnoredDuringExecution: [{ labelSelector: { matchLabels: { a: 'b' } } }] },
    }),
  ],
  [
    'weight of zero',
    affinity({
      podAffinity: {
        preferredDuringSchedulingIgnoredDuringExecution: [{ weight: 0, podAffinityTerm: { topologyKey: 'a' } }],
      },
    }),
  ],
  [
    'skew of zero',
    spec({ topologySpreadConstraints: [{ maxSkew: 0, topologyKey: 'zone', whenUnsatisfiable: 'Sometimes' }] }),
  ],
  ['negative grace', spec({ terminationGracePeriodSeconds: -1 })],
  ['deadline of zero', spec({ activeDeadlineSeconds: 0 })],
  ['a bad node name', spec({ nodeName: 'Bad Node' })],
  ['a bad service account name', spec({ serviceAccountName: 'Bad_Name' })],
  ['an unknown service account', spec({ serviceAccountName: 'nobody' })],
  ['an unknown priority class', spec({ priorityClassName: 'nobody' })],
  ['a priority of its own', spec({ priority: 5 })],
  ['a bad host name', spec({ hostname: 'a.b' })],
  ['a bad subdomain', spec({ subdomain: 'A' })],
  ['a bad scheduler', spec({ schedulerName: 'A B' })],
  ['a bad runtime class', spec({ runtimeClassName: 'A B' })],
  ['an unknown runtime class', spec({ runtimeClassName: 'nobody' })],
  ['a bad host alias', spec({ hostAliases: [{ ip: '1.2.3' }] })],
  ['negative user', spec({ securityContext: { runAsUser: -1 } })],
  ['seccomp localhost without a profile', spec({ securityContext: { seccompProfile: { type: 'Localhost' } } })],
  ['seccomp of an unknown type', spec({ securityContext: { seccompProfile: { type: 'X' } } })],
  ['ephemeral containers', spec({ ephemeralContainers: [{ name: 'e', image: 'e' }] })],
  [
    'a probe of an init container',
    spec({ initContainers: [{ name: 'i', image: 'i', livenessProbe: { tcpSocket: { port: 1 } } }] }),
  ],
  ['a bad gate', spec({ schedulingGates: [{ name: 'a' }, { name: 'a' }] })],
  ['gates on a node', spec({ nodeName: 'n', schedulingGates: [{ name: 'a' }] })],
  ['text where a number belongs', spec({ terminationGracePeriodSeconds: 'soon' })],
  ['an object where a list belongs', { spec: { containers: main() } }],
  ['a number where text belongs', container({ image: 5 })],
  ['env value as a number', container({ env: [{ name: 'a', value: 5 }] })],
  ['os windows with linux settings', spec({ os: { name: 'plan9' } })],
  [
    'a label that is too long',
    { metadata: { name: 'x', labels: { a: 'b'.repeat(64) } }, spec: { containers: [main()] } },
  ],
]);

const changed: Case[] = casesOf('v1/pods', [
  ['another image', spec({}), { spec: { containers: [{ name: 'main', image: 'other:1' }] } }],
  ['another command', spec({}), { spec: { containers: [{ name: 'main', image: 'busybox', command: ['x'] }] } }],
  ['another container', spec({}), { spec: { containers: [main(), { name: 'b', image: 'b' }] } }],
  [
    'a toleration more',
    spec({}),
    {
      spec: {
        tolerations: [
          { key: 'k', operator: 'Exists' },
          { effect: 'NoExecute', key: 'node.kubernetes.io/not-ready', operator: 'Exists', tolerationSeconds: 300 },
          { effect: 'NoExecute', key: 'node.kubernetes.io/unreachable', operator: 'Exists', tolerationSeconds: 300 },
        ],
      },
    },
  ],
  [
    'a toleration less',
    spec({ tolerations: [{ key: 'k', operator: 'Exists' }] }),
    {
      spec: {
        tolerations: [
          { effect: 'NoExecute', key: 'node.kubernetes.io/not-ready', operator: 'Exists', tolerationSeconds: 300 },
        ],
      },
    },
  ],
  ['a deadline', spec({}), { spec: { activeDeadlineSeconds: 5 } }],
  ['a longer deadline', spec({ activeDeadlineSeconds: 5 }), { spec: { activeDeadlineSeconds: 6 } }],
  ['no deadline any more', spec({ activeDeadlineSeconds: 5 }), { spec: { activeDeadlineSeconds: null } }],
  ['another grace period', spec({}), { spec: { terminationGracePeriodSeconds: 5 } }],
  ['a node', spec({}), { spec: { nodeName: 'n' } }],
  ['another restart policy', spec({}), { spec: { restartPolicy: 'Never' } }],
  ['a label', spec({}), { metadata: { labels: { a: 'b' } } }],
  ['a node selector', spec({}), { spec: { nodeSelector: { a: 'b' } } }],
  ['a gate less', spec({ schedulingGates: [{ name: 'a' }] }), { spec: { schedulingGates: null } }],
  ['a gate more', spec({}), { spec: { schedulingGates: [{ name: 'a' }] } }],
]);

export const podCases: readonly Case[] = [...good, ...bad, ...changed];
