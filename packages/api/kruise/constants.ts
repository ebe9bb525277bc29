/** Words that the API server checks or that a controller writes: phases, conditions, reasons, strategies. */

/** kruise 1.1; `Terminating` is never written. */
export const sandboxPhases = [
  'Pending',
  'Running',
  'Paused',
  'Resuming',
  'Upgrading',
  'Recycling',
  'Succeeded',
  'Failed',
  'Terminating',
] as const;
export type SandboxPhase = (typeof sandboxPhases)[number];

/** kruise 1.1: condition types of a Sandbox. */
export const sandboxConditions = {
  ready: 'Ready',
  paused: 'SandboxPaused',
  resumed: 'SandboxResumed',
  runtimeInitialized: 'RuntimeInitialized',
  inplaceUpdate: 'InplaceUpdate',
  upgrading: 'Upgrading',
  recycling: 'Recycling',
} as const;

/** kruise 1.1: reasons, by the condition that carries them. */
export const sandboxReasons = {
  ready: {
    podReady: 'PodReady',
    inplaceUpdating: 'InplaceUpdating',
    upgrading: 'Upgrading',
    startContainerFailed: 'StartContainerFailed',
    podCreateFailed: 'PodCreateFailed',
  },
  paused: {
    pending: 'Pending',
    stopPauseSucceed: 'StopPauseSucceed',
    imageChanged: 'ImageChanged',
    checkpointCreating: 'CheckpointCreating',
    checkpointSucceeded: 'CheckpointSucceeded',
    checkpointFailed: 'CheckpointFailed',
    snapshotPauseSucceed: 'SnapshotPauseSucceed',
  },
  resumed: { createPod: 'CreatePod', resumePod: 'ResumePod' },
  runtimeInitialized: { pending: 'Pending', succeeded: 'Succeeded', failed: 'Failed' },
  inplaceUpdate: { inplaceUpdating: 'InplaceUpdating', succeeded: 'Succeeded', failed: 'Failed' },
  upgrading: {
    resuming: 'Resuming',
    resumeSucceed: 'ResumeSucceed',
    preUpgrade: 'PreUpgrade',
    preUpgradeFailed: 'PreUpgradeFailed',
    checkpointing: 'Checkpointing',
    checkpointFailed: 'CheckpointFailed',
    upgradePod: 'UpgradePod',
    upgradePodFailed: 'UpgradePodFailed',
    postUpgrade: 'PostUpgrade',
    postUpgradeFailed: 'PostUpgradeFailed',
    succeeded: 'Succeeded',
  },
  recycling: {
    started: 'RecyclingStarted',
    completed: 'RecyclingCompleted',
    succeeded: 'RecyclingSucceeded',
    failed: 'RecyclingFailed',
    timeout: 'RecyclingTimeout',
    rejected: 'RecyclingRejected',
  },
} as const;

/** kruise 3.1: conditions of a pod that an external executor sets. */
export const podConditions = {
  containersPaused: 'ContainersPaused',
  containersResumed: 'ContainersResumed',
  resetComplete: 'ResetComplete',
} as const;

/** kruise 1.2, 3.1.2: what a sandbox is to those who want one; computed, never stored. */
export const sandboxStates = ['creating', 'available', 'running', 'paused', 'dead'] as const;
export type SandboxState = (typeof sandboxStates)[number];

/** kruise 1.1 */
export const pauseStrategies = ['Stop', 'Hibernate'] as const;
export const hibernateStrategies = ['Snapshot'] as const;
export const persistentContents = ['ip', 'memory', 'filesystem'] as const;
export const runtimeNames = ['agent-runtime', 'csi', 'traffic-proxy'] as const;

/** kruise 1.1, 1.6 */
export const upgradeTypes = ['Recreate', 'CheckpointRestore'] as const;

/** kruise 1.3 */
export const claimPhases = ['Claiming', 'Completed'] as const;
export type ClaimPhase = (typeof claimPhases)[number];
export const claimConditions = { completed: 'Completed', timedOut: 'TimedOut' } as const;

/** kruise 3.3: reasons of a claim's Completed and TimedOut. */
export const claimReasons = {
  allReplicasClaimed: 'AllReplicasClaimed',
  sandboxSetNotFound: 'SandboxSetNotFound',
  timeoutReached: 'TimeoutReached',
  claimTimeoutReached: 'ClaimTimeoutReached',
  featureGateDisabled: 'FeatureGateDisabled',
} as const;

/** kruise 1.5 */
export const checkpointPhases = ['Pending', 'Creating', 'Succeeded', 'Failed', 'Terminating'] as const;
export type CheckpointPhase = (typeof checkpointPhases)[number];
export const checkpointContents = ['podInfo', 'memory', 'filesystem'] as const;
/** kruise 1.5: values of the checkpoint-type label that older versions wrote. */
export const legacyCheckpointTypes = ['pod-info', 'upgrade'] as const;

/** kruise 1.6 */
export const updateOpsPhases = ['Pending', 'Updating', 'Completed', 'Failed'] as const;
export type UpdateOpsPhase = (typeof updateOpsPhases)[number];
export const updateOpsStates = ['Running', 'Paused'] as const;

/** kruise 1.7 */
export const commitPhases = ['Pending', 'Running', 'Succeeded', 'Failed'] as const;
export type CommitPhase = (typeof commitPhases)[number];
export const commitConditions = {
  commitContainer: 'CommitContainer',
  pullBaseImage: 'PullBaseImage',
  pushCommittedImage: 'PushCommittedImage',
} as const;

/** kruise 1.8 */
export const trafficActions = ['allow', 'reject'] as const;
export const trafficProtocols = ['TCP', 'UDP', 'ICMP', 'SCTP'] as const;
export const trafficConditions = { accepted: 'Accepted' } as const;

/** kruise 1.9 */
export const pathMatchTypes = ['Prefix', 'Exact', 'Regex'] as const;
export const stringMatchTypes = ['Exact', 'Prefix', 'Regex'] as const;
export const httpMethods = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'CONNECT', 'TRACE'] as const;
export const auditMethods = ['POST', 'PUT', 'PATCH'] as const;
export const failStrategies = ['Allow', 'Block', 'Ignore'] as const;
export const tokenTransformations = ['ApiKey', 'AliyunSTS'] as const;
export const credentialKinds = ['Secret', 'CredentialProvider'] as const;
export const mcpActions = ['allow', 'deny'] as const;
export const unsupportedVersionActions = ['deny', 'passthrough'] as const;
export const securityConditions = {
  accepted: 'Accepted',
  resolvedRefs: 'ResolvedRefs',
  programmed: 'Programmed',
} as const;
