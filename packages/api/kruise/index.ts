/**
 * `agents.kruise.io/v1alpha1`: a SandboxSet keeps sandboxes warm, a SandboxClaim takes some of them, a Sandbox is one
 * pod with a longer life, made of a SandboxTemplate. Checkpoint and Commit keep its state; SandboxUpdateOps upgrades
 * many; TrafficPolicy and SecurityProfile, and their Global forms, are for a data plane that is not part of Sandbank.
 */
export * from './checkpoint.ts';
export * from './commit.ts';
export * from './constants.ts';
export * from './events.ts';
export * from './group.ts';
export * from './keys.ts';
export * from './sandbox.ts';
export * from './sandbox-claim.ts';
export * from './sandbox-set.ts';
export * from './sandbox-template.ts';
export * from './sandbox-update-ops.ts';
export * from './security-profile.ts';
export * from './traffic-policy.ts';
