/** navix 1.6: keys of labels and annotations, and the finalizers. */

export const labels = {
  /** On pods: name of the pool. */
  sandboxPool: 'agentbox.navix.sh/sandbox-pool',
  /** On pods: one of `sandboxPhases`. */
  sandboxPhase: 'agentbox.navix.sh/sandbox-phase',
  /** On pods: a UUID, version 7; the annotation of the same key has it too. */
  sandboxId: 'agentbox.navix.sh/sandbox-id',
  /** On pods, while claimed: `claimedBy`. */
  managedBy: 'agentbox.navix.sh/managed-by',
  /** On pools and pods: name of the SandboxEnv. */
  env: 'agentbox.navix.sh/env',
  scalingGroup: 'agentbox.navix.sh/scaling-group',
  /** On pools, pod templates and pods: eight hex digits. */
  templateHash: 'agentbox.navix.sh/template-hash',
  team: 'scheduling.navix.sh/team',
  user: 'scheduling.navix.sh/user',
  /** `global` on what came from the hub; never copied from a template to a pool. */
  syncSource: 'agentbox.io/sync-source',
  quota: 'quota.scitix.ai/url',
} as const;

/** Value of the managed-by label of a claimed pod. */
export const claimedBy = 'sandbox-api-server';

/** On pods. */
export const podAnnotations = {
  sandboxId: 'agentbox.navix.sh/sandbox-id',
  /** The four that follow: RFC 3339. */
  claimedAt: 'agentbox.navix.sh/claimed-at',
  startedAt: 'agentbox.navix.sh/started-at',
  terminatedAt: 'agentbox.navix.sh/terminated-at',
  lastActive: 'agentbox.navix.sh/last-active',
  /** The two that follow: seconds. */
  idleTimeout: 'agentbox.navix.sh/idle-timeout',
  startupTimeout: 'agentbox.navix.sh/startup-timeout',
  /** A JSON map. */
  sandboxMetadata: 'agentbox.navix.sh/sandbox-metadata',
  /** The two that follow: JSON lists of keys to take off at release. */
  managedLabelKeys: 'agentbox.navix.sh/managed-label-keys',
  managedAnnotationKeys: 'agentbox.navix.sh/managed-annotation-keys',
  /** One of `stopReasons`. */
  stopReason: 'agentbox.navix.sh/stop-reason',
  failureReason: 'agentbox.navix.sh/failure-reason',
  failureMessage: 'agentbox.navix.sh/failure-message',
  exitCode: 'agentbox.navix.sh/exit-code',
  runningImages: 'agentbox.navix.sh/running-images',
  containerId: 'agentbox.navix.sh/container-id',
  inplaceUpdateState: 'agentbox.navix.sh/inplace-update-state',
  postStartHooks: 'agentbox.navix.sh/post-start-hooks',
  scaleDownProtected: 'agentbox.navix.sh/scale-down-protected',
  egressPolicy: 'agentbox.navix.sh/egress-policy',
  egressInject: 'agentbox.navix.sh/egress-inject',
  /** One of the two that follow, never both: whether the sandbox of that id is ready to be used. */
  sandboxArmed: 'agentbox.navix.sh/sandbox-armed',
  sandboxArmError: 'agentbox.navix.sh/sandbox-arm-error',
} as const;

/** On pools. */
export const poolAnnotations = {
  templateName: 'agentbox.navix.sh/template-name',
  templateVersion: 'agentbox.navix.sh/template-version',
  overrides: 'agentbox.navix.sh/overrides',
  lastSandboxCreateTime: 'agentbox.navix.sh/last-sandbox-create-time',
  reservationReplicaQuota: 'scheduling.navix.sh/reservation-replica-quota',
} as const;

/** On templates; navix 1.5 */
export const templateAnnotations = {
  docs: 'agentbox.navix.sh/docs',
  /** The older key of the docs. */
  legacyDocs: 'agentbox.navix.sh/pool-docs',
  registryRewrite: 'agentbox.navix.sh/registry-rewrite',
  allowUnenforceableReadonlyVolumes: 'agentbox.navix.sh/allow-unenforceable-readonly-volumes',
} as const;

export const finalizers = {
  pool: 'agentbox.navix.sh/finalizer',
  /** On a pod for as long as it lives. */
  sandbox: 'agentbox.navix.sh/sandbox-protection',
} as const;

/** Secret with the pull credentials of an Env. */
export const imagePullSecretName = (env: string) => `ips-${env}`;
