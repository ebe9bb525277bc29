/** Reasons of events, by the kind that they are about. */

/** kruise 9.2; each phase change adds one named `Sandbox<Phase>`. */
export const sandboxEvents = {
  terminating: 'SandboxTerminating',
  podCreateFailed: 'PodCreateFailed',
  podOwnerMismatch: 'PodOwnerMismatch',
  checkpointStarted: 'CheckpointStarted',
  checkpointSucceeded: 'CheckpointSucceeded',
  checkpointFailed: 'CheckpointFailed',
  checkpointApplyFailed: 'CheckpointApplyFailed',
  imageChanged: 'ImageChanged',
  runtimeTlsStampFailed: 'RuntimeTLSStampFailed',
  runtimeInitialized: 'RuntimeInitialized',
  inplaceUpdateForbidden: 'InplaceUpdateForbidden',
  inplaceUpdateFailed: 'InplaceUpdateFailed',
  upgradeResuming: 'UpgradeResuming',
  upgradeResumed: 'UpgradeResumed',
  preUpgradeFailed: 'PreUpgradeFailed',
  upgradePodReplaced: 'UpgradePodReplaced',
  upgradePodFailed: 'UpgradePodFailed',
  postUpgradeFailed: 'PostUpgradeFailed',
  upgradeSucceeded: 'UpgradeSucceeded',
} as const;

/** kruise 3.2 */
export const sandboxSetEvents = {
  sandboxCreated: 'SandboxCreated',
  createSandboxFailed: 'CreateSandboxFailed',
  sandboxScaledDown: 'SandboxScaledDown',
  failedSandboxDeleted: 'FailedSandboxDeleted',
  rollingUpdate: 'RollingUpdate',
} as const;

/** kruise 3.3 */
export const sandboxClaimEvents = {
  sandboxClaimed: 'SandboxClaimed',
  claimCompleted: 'ClaimCompleted',
  noAvailableSandboxes: 'NoAvailableSandboxes',
  ttlDelete: 'SandboxClaimTTLDelete',
} as const;

/** kruise 3.7 */
export const sandboxUpdateOpsEvents = {
  patchFailed: 'PatchFailed',
  sandboxUpgrading: 'SandboxUpgrading',
  phaseChanged: 'SandboxUpdateOpsPhaseChanged',
} as const;

/** kruise 3.8, 9.2 */
export const commitEvents = {
  podNotFound: 'PodNotFound',
  jobGenerationFailed: 'JobGenerationFailed',
  jobNotFound: 'JobNotFound',
  ttlExpired: 'TTLExpired',
} as const;
