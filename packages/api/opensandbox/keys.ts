/** Keys of labels and annotations, and the finalizers. */

/** opensandbox 2.1: on a BatchSandbox. */
export const batchAnnotations = {
  /** `{"pods":[…]}`, grows only; its order is the order of allocation and so the index of a pod. */
  allocStatus: 'sandbox.opensandbox.io/alloc-status',
  /** `{"pods":[…]}`: pods that are to be given back. People may write it too. */
  allocRelease: 'sandbox.opensandbox.io/alloc-release',
  /** `{"pods":[…]}`: pods whose recycling is over, grows only. */
  allocReleased: 'sandbox.opensandbox.io/alloc-released',
  /** `["10.0.0.5",""]`: addresses of the pods, an empty string where there is none yet. */
  endpoints: 'sandbox.opensandbox.io/endpoints',
} as const;

/** opensandbox 2.1: on pods of direct mode. */
export const batchPodLabels = {
  index: 'batch-sandbox.sandbox.opensandbox.io/pod-index',
  batch: 'batch-sandbox.sandbox.opensandbox.io/name',
} as const;

/** opensandbox 2.1: on pods of a pool. */
export const poolPodLabels = {
  pool: 'sandbox.opensandbox.io/pool-name',
  revision: 'sandbox.opensandbox.io/pool-revision',
  /** Present, with any value: the pod is to go. */
  evict: 'pool.opensandbox.io/evict',
} as const;

/** opensandbox 2.1: on a Pool; the label names who evicts, the annotation configures recycling by restart. */
export const poolLabels = { evictionHandler: 'pool.opensandbox.io/eviction-handler' } as const;
export const poolAnnotations = {
  /** `{"blacklist":[…],"retryInterval":"30s","maxRetries":3,"restartCommand":["kill","1"]}`, all optional. */
  restartConfig: 'sandbox.opensandbox.io/restart-config',
} as const;
export const poolPodAnnotations = {
  /** `{"id","startTime","containers":{name:id},"lastRetryTime","retryCount"}`: a restart under way. */
  restartRecord: 'sandbox.opensandbox.io/restart-record',
} as const;

/** opensandbox 2.1: on the Jobs of a snapshot. */
export const snapshotJobLabels = {
  snapshot: 'sandbox.opensandbox.io/sandbox-snapshot-name',
  /** `true`: for policy engines that look for pods with access to the node. */
  privilegedNodeAccess: 'sandbox.opensandbox.io/privileged-node-access',
} as const;

/** opensandbox 2.1 */
export const finalizers = {
  /** On a BatchSandbox with tasks, until each of them was released. */
  taskCleanup: 'batch-sandbox.sandbox.opensandbox.io/task-cleanup',
  /** On a BatchSandbox that holds pods of a pool, until all of them went back. */
  poolAllocation: 'pool.sandbox.opensandbox.io/pool-allocation',
  snapshotCleanup: 'sandboxsnapshot.sandbox.opensandbox.io/cleanup',
} as const;

/** opensandbox 2.2: written by the lifecycle server and the ingress; users may not set keys of this prefix. */
export const serverPrefix = 'opensandbox.io/';
export const serverLabels = {
  id: 'opensandbox.io/id',
  manualCleanup: 'opensandbox.io/manual-cleanup',
  snapshotId: 'opensandbox.io/snapshot-id',
  snapshotScope: 'opensandbox.io/snapshot-scope',
  sourceSandboxId: 'opensandbox.io/source-sandbox-id',
} as const;
export const serverAnnotations = {
  secureAccessToken: 'opensandbox.io/secure-access-token',
  egressAuthToken: 'opensandbox.io/egress-auth-token',
  accessRenewExtendSeconds: 'opensandbox.io/access-renew-extend-seconds',
  /** A suffix follows. */
  extensionPrefix: 'opensandbox.io/extensions.',
} as const;
