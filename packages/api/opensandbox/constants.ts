/** Words that the API server checks or that a controller writes: phases, conditions, reasons, strategies. */

/** opensandbox 1.3 */
export const batchPhases = ['Pending', 'Succeed', 'Pausing', 'Paused', 'Resuming', 'Failed'] as const;
export type BatchPhase = (typeof batchPhases)[number];

/** opensandbox 1.3: the original six; opensandbox 12: the four that follow are ours. */
export const batchConditions = [
  'Ready',
  'Progressing',
  'Paused',
  'PauseFailed',
  'ResumeFailed',
  'PodFailed',
  'PoolAllocationPending',
  'PoolNotFound',
  'InvalidSpec',
  'TaskFailed',
] as const;
export type BatchCondition = (typeof batchConditions)[number];

/** opensandbox 3.3: reasons of Progressing, Ready and Paused. */
export const phaseReasons = {
  creating: 'Creating',
  podsReady: 'PodsReady',
  pauseInProgress: 'PauseInProgress',
  paused: 'Paused',
  resumeInProgress: 'ResumeInProgress',
} as const;

/** opensandbox 3.3: a container that waits for one of these makes its pod count as failing. */
export const failingReasons = [
  'CrashLoopBackOff',
  'ImagePullBackOff',
  'ErrImagePull',
  'CreateContainerConfigError',
] as const;

/** opensandbox 3.6: reasons of PauseFailed. */
export const pauseFailedReasons = {
  unsupportedReplicas: 'UnsupportedReplicas',
  snapshotFailed: 'SnapshotFailed',
  podNotFound: 'PodNotFound',
} as const;

/** opensandbox 3.6: reasons of ResumeFailed. */
export const resumeFailedReasons = {
  snapshotNotFound: 'SnapshotNotFound',
  snapshotNotReady: 'SnapshotNotReady',
} as const;

/** opensandbox 1.1 */
export const taskResourcePolicies = ['Retain', 'Release'] as const;
export type TaskResourcePolicy = (typeof taskResourcePolicies)[number];

/** opensandbox 1.1: the poolRef that asks for any pool that fits. */
export const anyPool = '*';

/** opensandbox 1.4 */
export const recycleStrategies = ['Delete', 'Restart', 'Noop'] as const;
export type RecycleStrategy = (typeof recycleStrategies)[number];

/** opensandbox 1.6 */
export const snapshotPhases = ['Pending', 'Committing', 'Succeed', 'Failed'] as const;
export type SnapshotPhase = (typeof snapshotPhases)[number];

/** opensandbox 1.6 */
export const snapshotConditions = ['Ready', 'Failed'] as const;
export type SnapshotCondition = (typeof snapshotConditions)[number];

/** opensandbox 3.7: reasons of a snapshot's Ready and Failed. */
export const snapshotReasons = {
  snapshotReady: 'SnapshotReady',
  registryNotConfigured: 'RegistryNotConfigured',
  batchSandboxLookupFailed: 'BatchSandboxLookupFailed',
  sourcePodNotFound: 'SourcePodNotFound',
  noContainers: 'NoContainers',
  buildCommitJobFailed: 'BuildCommitJobFailed',
  commitJobFailed: 'CommitJobFailed',
} as const;

/** opensandbox 3.2, 3.7: reasons of events. */
export const eventReasons = {
  successfulCreate: 'SuccessfulCreate',
  failedCreate: 'FailedCreate',
  createdJob: 'CreatedJob',
  failedCreateJob: 'FailedCreateJob',
  jobSucceeded: 'JobSucceeded',
  jobFailed: 'JobFailed',
} as const;
