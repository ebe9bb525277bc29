/**
 * `agents.navix.sh/v1alpha1`: a SandboxEnv is rendered from a SandboxTemplate into SandboxPools, one per size and
 * place; a pool keeps pods warm. There is no kind for a sandbox: a sandbox is a pod, and `keys.ts` says how it is
 * marked. ManagedAgent, a product on top of all this, is out of scope.
 */
export * from './constants.ts';
export * from './group.ts';
export * from './keys.ts';
export * from './sandbox-env.ts';
export * from './sandbox-pool.ts';
export * from './sandbox-template.ts';
