import { KubeError } from './errors.ts';
import { apiVersionOf, type Kind } from './kind.ts';
import { type Frozen, type KubeObject, keyOf, keyText, type OwnerReference } from './object.ts';

/** The one owner that manages the object, if any. */
export function controllerOf(object: Frozen<KubeObject>): Frozen<OwnerReference> | undefined {
  return object.metadata?.ownerReferences?.find((reference) => reference.controller === true);
}

/** By uid: an owner that was deleted and made again under its old name is another owner. */
export function ownedBy(object: Frozen<KubeObject>, owner: Frozen<KubeObject>): boolean {
  const uid = owner.metadata?.uid;
  return uid !== undefined && (object.metadata?.ownerReferences?.some((reference) => reference.uid === uid) ?? false);
}

/** A reference to `owner`, as its controller unless told otherwise. The kind is asked for because listed objects carry none. */
export function ownerReference(
  kind: Kind,
  owner: Frozen<KubeObject>,
  options: { readonly controller?: boolean; readonly blockOwnerDeletion?: boolean } = {},
): OwnerReference {
  const { name, uid } = owner.metadata ?? {};
  if (!name || !uid) {
    throw new KubeError(
      'invalid',
      `${kind.kind} ${keyText(keyOf(owner))} has no uid yet: create it before it owns something`,
    );
  }
  const { controller = true, blockOwnerDeletion = controller } = options;
  return {
    apiVersion: apiVersionOf(kind),
    kind: kind.kind,
    name,
    uid,
    ...(controller ? { controller } : {}),
    ...(blockOwnerDeletion ? { blockOwnerDeletion } : {}),
  };
}

/**
 * A copy of the object that the owner controls; the object itself when it does already. Refused with `conflict` when
 * another one controls it, and with `invalid` across namespaces, where the garbage collector would delete the object.
 */
export function withController<T extends Frozen<KubeObject>>(object: T, kind: Kind, owner: Frozen<KubeObject>): T {
  const current = controllerOf(object);
  const reference = ownerReference(kind, owner);
  if (current && current.uid !== reference.uid) {
    throw new KubeError(
      'conflict',
      `${keyText(keyOf(object))} is controlled by ${current.kind} ${current.name} already, so ${kind.kind} ${reference.name} cannot take it`,
    );
  }
  const home = owner.metadata?.namespace;
  if (kind.namespaced && home !== object.metadata?.namespace) {
    throw new KubeError(
      'invalid',
      `${kind.kind} ${keyText(keyOf(owner))} cannot own ${keyText(keyOf(object))}: an owner lives in the same namespace or in none`,
    );
  }
  if (current && current.name === reference.name && current.apiVersion === reference.apiVersion) return object;
  const others = (object.metadata?.ownerReferences ?? []).filter((one) => one.uid !== reference.uid);
  return { ...object, metadata: { ...object.metadata, ownerReferences: [...others, reference] } };
}
