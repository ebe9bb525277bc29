/** Keys of labels and annotations, and the finalizers. */

/** kruise 2: users may set keys of the third prefix only. */
export const prefixes = {
  internal: 'agents.kruise.io/',
  e2b: 'e2b.agents.kruise.io/',
  security: 'security.agents.kruise.io/',
  hashes: 'sandbox.agents.kruise.io/',
} as const;

/** kruise 2: prefixes that are filtered from the metadata of users. */
export const reservedPrefixes = [prefixes.internal, prefixes.e2b] as const;

/** kruise 2.1 */
export const labels = {
  /** Name of the SandboxSet. */
  sandboxPool: 'agents.kruise.io/sandbox-pool',
  /** Name of the template, or id of the checkpoint. */
  sandboxTemplate: 'agents.kruise.io/sandbox-template',
  /** `true` or `false`. */
  sandboxClaimed: 'agents.kruise.io/sandbox-claimed',
  claimName: 'agents.kruise.io/claim-name',
  /** Revision of the SandboxSet. */
  templateHash: 'agents.kruise.io/template-hash',
  /** Short id; on a Checkpoint or TrafficPolicy an annotation of the same key. */
  sandboxId: 'agents.kruise.io/sandbox-id',
  reservedFailedSandbox: 'agents.kruise.io/reserved-failed-sandbox',
  /** On pod templates and Checkpoints. */
  sandboxName: 'agents.kruise.io/sandbox-name',
  allowInternetAccess: 'agents.kruise.io/allow-internet-access',
  /** On pod templates; the annotation of the same key is on the Sandbox. */
  owner: 'agents.kruise.io/owner',
  updateOps: 'agents.kruise.io/update-ops',
  upgradeFailed: 'agents.kruise.io/upgrade-failed',
  checkpointType: 'agents.kruise.io/checkpoint-type',
  checkpointId: 'agents.kruise.io/checkpoint-id',
  /** `sandbox`, on pods, both as label and as annotation. */
  createdBy: 'agents.kruise.io/created-by',
  /** Revision of the Sandbox, on its pod. */
  podTemplateHash: 'pod-template-hash',
  commitName: 'agents.kruise.io/commit-name',
  commitUid: 'agents.kruise.io/commit-uid',
} as const;

/** kruise 2.2 */
export const annotations = {
  /** A random id; whoever wrote it holds the sandbox. */
  lock: 'agents.kruise.io/lock',
  /** Id of the API key, uid of the SandboxClaim, or `scaleDownOwner`. */
  owner: 'agents.kruise.io/owner',
  /** RFC 3339. */
  claimTimestamp: 'agents.kruise.io/claim-timestamp',
  /** Id of the checkpoint. */
  restoreFrom: 'agents.kruise.io/restore-from',
  /** `{envVars, accessToken, skipRefresh}`, to be sent again after a resume, an upgrade or a clone. */
  initRuntimeRequest: 'agents.kruise.io/init-runtime-request',
  runtimeAccessToken: 'agents.kruise.io/runtime-access-token',
  runtimeUrl: 'agents.kruise.io/runtime-url',
  runtimeTlsPort: 'agents.kruise.io/runtime-tls-port',
  sandboxId: 'agents.kruise.io/sandbox-id',
  /** `true` in the template of a pool: its sandboxes may be recycled. */
  cleanupEnabled: 'agents.kruise.io/cleanup-enabled',
  /** `true`: recycle this sandbox now. */
  cleanup: 'agents.kruise.io/cleanup',
  /** A duration for which a sandbox whose recycling failed is kept. */
  cleanupRetainOnFailure: 'agents.kruise.io/cleanup-retain-on-failure',
  /** `{labels:[…], annotations:[…]}`: keys that the claim put there. */
  updatedMetadataInClaim: 'agents.kruise.io/updated-metadata-in-claim',
  /** `forever`, or a duration. */
  reservePausedSandboxDuration: 'agents.kruise.io/reserve-paused-sandbox-duration',
  sandboxPriority: 'agents.kruise.io/sandbox-priority',
  upgradeResumeTrigger: 'agents.kruise.io/upgrade-resume-trigger',
  /** W3C traceparent. */
  traceContext: 'agents.kruise.io/trace-context',
  inplaceUpdateState: 'agents.kruise.io/inplace-update-state',
  createdBy: 'agents.kruise.io/created-by',
  memberlistUrl: 'agents.kruise.io/memberlist-url',
  cleanupCandidate: 'agents.kruise.io/cleanup-candidate',
  commitMode: 'agents.kruise.io/commit-mode',
  hashImmutablePart: 'sandbox.agents.kruise.io/hash-immutable-part',
  /** The older form of the hash above. */
  hashWithoutImageResources: 'sandbox.agents.kruise.io/hash-without-image-resources',
  /** A list of CSI mounts. */
  csiVolumeConfig: 'e2b.agents.kruise.io/csi-volume-config',
  returnSandboxIp: 'e2b.agents.kruise.io/return-sandbox-ip',
  legacyEnvdAccessToken: 'e2b.agents.kruise.io/envd-access-token',
  legacyEnvdUrl: 'e2b.agents.kruise.io/envd-url',
  agentName: 'security.agents.kruise.io/agent-name',
  enableJwtAuth: 'security.agents.kruise.io/enable-jwt-auth',
  /** `{accessTokenExpiration}`. */
  tokenStatus: 'security.agents.kruise.io/token-status',
} as const;

/** kruise 2.2: the owner that a scale-down writes before it deletes. */
export const scaleDownOwner = '__manager_scale_down';

/** kruise 2.2: the only internal keys that a pool takes over from the metadata of its template. */
export const inheritedTemplateAnnotations = [annotations.cleanupEnabled, annotations.cleanupRetainOnFailure] as const;

/** kruise 2.2: what a successful recycle takes off, besides the keys that updated-metadata-in-claim lists. */
export const recycledAnnotations = [
  annotations.claimTimestamp,
  annotations.lock,
  annotations.owner,
  annotations.initRuntimeRequest,
  annotations.runtimeAccessToken,
  annotations.cleanup,
  annotations.cleanupRetainOnFailure,
  annotations.csiVolumeConfig,
  annotations.sandboxPriority,
  annotations.legacyEnvdAccessToken,
  annotations.legacyEnvdUrl,
  annotations.runtimeUrl,
  annotations.tokenStatus,
  annotations.updatedMetadataInClaim,
] as const;
export const recycledLabels = [labels.claimName, labels.sandboxId] as const;

/** kruise 2.3 */
export const finalizers = {
  sandbox: 'agents.kruise.io/sandbox',
  checkpoint: 'agents.kruise.io/checkpoint',
  commit: 'agents.kruise.io/commit',
  updateOps: 'agents.kruise.io/sandboxupdateops-protection',
} as const;
