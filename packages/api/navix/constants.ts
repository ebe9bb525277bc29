/** Words that the API server checks or that a controller writes: phases, conditions, reasons, modes. */

/** navix 1.1; OnDemandJob is reserved. */
export const envModes = ['WarmPool', 'OnDemandJob'] as const;
export type EnvMode = (typeof envModes)[number];

/** navix 1.1, 1.3 */
export const imagePolicies = ['PoolDefaultImage', 'IdleImage'] as const;
export type ImagePolicy = (typeof imagePolicies)[number];

/** navix 1.1 */
export const scaleUpModes = ['Conservative', 'Default', 'Aggressive'] as const;
export type ScaleUpMode = (typeof scaleUpModes)[number];

/** navix 1.2 */
export const memberStates = ['Active', 'Saturated', 'Missing', 'Inconsistent'] as const;
export type MemberState = (typeof memberStates)[number];

/** navix 1.2: condition types of a SandboxEnv. The last two are never set by current versions. */
export const envConditions = {
  ready: 'Ready',
  templateConsistent: 'TemplateConsistent',
  autoscalingActive: 'AutoscalingActive',
  credentialsResolvable: 'CredentialsResolvable',
} as const;

/** navix 2.9: reasons, by the condition that carries them; a member's state is a reason of Ready too. */
export const envReasons = {
  ready: {
    allMembersActive: 'AllMembersActive',
    noMembers: 'NoMembers',
    missing: 'Missing',
    inconsistent: 'Inconsistent',
  },
  templateConsistent: {
    templatesMatch: 'TemplatesMatch',
    templateMismatch: 'TemplateMismatch',
    rolloutInProgress: 'RolloutInProgress',
  },
} as const;

/** navix 2.10 */
export const envEvents = {
  templateRollout: 'TemplateRollout',
  staleClusterSegmentsPruned: 'StaleClusterSegmentsPruned',
} as const;

/** navix 1.4 */
export const poolPhases = ['Pending', 'Ready', 'ScalingUp', 'ScalingDown', 'Degraded', 'Terminating'] as const;
export type PoolPhase = (typeof poolPhases)[number];

/** navix 1.4: condition types of a SandboxPool. */
export const poolConditions = {
  available: 'Available',
  scaling: 'Scaling',
  degraded: 'Degraded',
  admitted: 'Admitted',
} as const;

/** navix 1.4: reasons, by the condition that carries them. */
export const poolReasons = {
  available: {
    idlePodsAvailable: 'IdlePodsAvailable',
    scalingUp: 'ScalingUp',
    noIdlePodsAvailable: 'NoIdlePodsAvailable',
  },
  scaling: { scalingUp: 'ScalingUp', scalingDown: 'ScalingDown', replicasReady: 'ReplicasReady' },
  degraded: {
    unhealthyIdlePods: 'UnhealthyIdlePods',
    failedPodsPresent: 'FailedPodsPresent',
    unhealthyAndFailedPods: 'UnhealthyAndFailedPods',
    allPodsHealthy: 'AllPodsHealthy',
  },
  admitted: {
    admissionGranted: 'AdmissionGranted',
    resourceQuotaExhausted: 'ResourceQuotaExhausted',
    admissionRejected: 'AdmissionRejected',
    admissionError: 'AdmissionError',
  },
} as const;

/** navix 1.4: results of a scale-up; JustRight is reserved. */
export const scaleUpResults = ['Enough', 'JustRight', 'Insufficient', 'Failed'] as const;
/** navix 1.4: what the first version with an autoscaler per pool wrote instead. */
export const legacyScaleUpResults = ['Success', 'InsufficientResources', 'InvalidSpec', 'InternalError'] as const;

/** navix 1.4: keys of status.phaseSelectors. */
export const phaseSelectorKeys = ['all', 'idle', 'running', 'starting', 'stopping', 'failed'] as const;

/** navix 1.6: values of the sandbox-phase label. */
export const sandboxPhases = ['idle', 'starting', 'running', 'stopping', 'failed'] as const;
export type SandboxPhase = (typeof sandboxPhases)[number];

/** navix 1.6: values of the stop-reason annotation. */
export const stopReasons = ['Completed', 'Canceled', 'Released', 'Failed'] as const;
export type StopReason = (typeof stopReasons)[number];
