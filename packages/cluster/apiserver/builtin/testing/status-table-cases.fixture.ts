import type { JsonObject } from '../../schema/structural.ts';

export interface StatusTableCase {
  readonly name: string;
  readonly of: string;
  readonly object: JsonObject;
  readonly status: JsonObject;
}

const AT = '2026-01-01T00:00:00Z';
const claim: JsonObject = {
  accessModes: ['ReadWriteOnce', 'ReadOnlyMany'],
  resources: { requests: { storage: '1Gi' } },
};
const volume: JsonObject = {
  capacity: { storage: '1Gi' },
  accessModes: ['ReadWriteMany', 'ReadOnlyMany'],
  hostPath: { path: '/x' },
};
const service: JsonObject = { type: 'LoadBalancer', ports: [{ port: 80 }], selector: { a: 'b', c: 'd' } };

/** Objects whose cells come from their status. Controllers of the real server leave these alone. */
export const statusTableCases: readonly StatusTableCase[] = [
  {
    name: 'a node that is ready',
    of: 'v1/nodes',
    object: {
      metadata: { labels: { 'node-role.kubernetes.io/worker': '', 'node-role.kubernetes.io/control-plane': '' } },
    },
    status: {
      conditions: [{ type: 'Ready', status: 'True', lastHeartbeatTime: AT, lastTransitionTime: AT }],
      addresses: [
        { type: 'InternalIP', address: '10.0.0.1' },
        { type: 'ExternalIP', address: '1.2.3.4' },
      ],
      nodeInfo: {
        kubeletVersion: 'v1.36.3',
        osImage: 'Linux',
        kernelVersion: '6.1',
        containerRuntimeVersion: 'containerd://2.0',
      },
    },
  },
  { name: 'a node that is closed', of: 'v1/nodes', object: { spec: { unschedulable: true } }, status: {} },
  {
    name: 'a claim that is bound',
    of: 'v1/persistentvolumeclaims',
    object: { spec: { ...claim, volumeName: 'v', storageClassName: 'fast' } },
    status: { phase: 'Bound', capacity: { storage: '2Gi' }, accessModes: ['ReadWriteOnce', 'ReadOnlyMany'] },
  },
  {
    name: 'a volume that has a claim',
    of: 'v1/persistentvolumes',
    object: { spec: { ...volume, storageClassName: 'fast', claimRef: { namespace: 'n', name: 'c' } } },
    status: { phase: 'Released', reason: 'Because' },
  },
  {
    name: 'a balanced service',
    of: 'v1/services',
    object: { spec: service },
    status: { loadBalancer: { ingress: [{ ip: '1.2.3.4' }, { hostname: 'a.example.com' }] } },
  },
  { name: 'a service that waits for its balancer', of: 'v1/services', object: { spec: service }, status: {} },
  {
    name: 'a set that waits',
    of: 'apps/v1/statefulsets',
    object: {
      spec: {
        replicas: 0,
        selector: { matchLabels: { app: 'a' } },
        template: {
          metadata: { labels: { app: 'a' } },
          spec: {
            containers: [
              { name: 'c', image: 'i' },
              { name: 'd', image: 'j' },
            ],
          },
        },
      },
    },
    status: {},
  },
  {
    name: 'a quota in use',
    of: 'v1/resourcequotas',
    object: { spec: {} },
    status: {
      hard: { pods: '5', 'limits.cpu': '2', 'requests.cpu': '1' },
      used: { pods: '1', 'limits.cpu': '500m', 'requests.cpu': '0' },
    },
  },
];
