/**
 * `sandbox.opensandbox.io/v1alpha1`: a Pool keeps pods warm, a BatchSandbox takes some of them (or makes its own),
 * a SandboxSnapshot commits one to images. The kinds are schema, type and key at once; `constants.ts` holds the words
 * that status and events are made of, `keys.ts` the labels, annotations and finalizers.
 */
export * from './batch-sandbox.ts';
export * from './constants.ts';
export * from './group.ts';
export * from './keys.ts';
export * from './pool.ts';
export * from './sandbox-snapshot.ts';
