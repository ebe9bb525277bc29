import type { Patch } from './client/contract.ts';
import type { Frozen, KubeObject } from './object.ts';

export function hasFinalizer(object: Frozen<KubeObject>, finalizer: string): boolean {
  return object.metadata?.finalizers?.includes(finalizer) ?? false;
}

/** A copy that carries the finalizer; the object itself when it does already. */
export function withFinalizer<T extends Frozen<KubeObject>>(object: T, finalizer: string): T {
  if (hasFinalizer(object, finalizer)) return object;
  return withFinalizers(object, [...(object.metadata?.finalizers ?? []), finalizer]);
}

/** A copy without the finalizer; the object itself when it carries none. */
export function withoutFinalizer<T extends Frozen<KubeObject>>(object: T, finalizer: string): T {
  if (!hasFinalizer(object, finalizer)) return object;
  return withFinalizers(
    object,
    (object.metadata?.finalizers ?? []).filter((one) => one !== finalizer),
  );
}

/**
 * The guarded patch that adds the finalizer; undefined when there is nothing to do, so that nothing is written.
 * A merge patch replaces the whole list, hence the resourceVersion in it: the server answers 409 when the object has
 * changed meanwhile, and no finalizer of somebody else is lost.
 */
export function addFinalizerPatch(object: Frozen<KubeObject>, finalizer: string): Patch | undefined {
  return guardedPatch(object, withFinalizer(object, finalizer));
}

export function removeFinalizerPatch(object: Frozen<KubeObject>, finalizer: string): Patch | undefined {
  return guardedPatch(object, withoutFinalizer(object, finalizer));
}

function withFinalizers<T extends Frozen<KubeObject>>(object: T, finalizers: readonly string[]): T {
  return { ...object, metadata: { ...object.metadata, finalizers } };
}

function guardedPatch(before: Frozen<KubeObject>, after: Frozen<KubeObject>): Patch | undefined {
  if (before === after) return undefined;
  const { uid, resourceVersion } = before.metadata ?? {};
  return { merge: { metadata: { uid, resourceVersion, finalizers: after.metadata?.finalizers } } };
}
