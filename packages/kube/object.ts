/** What every Kubernetes object has, and the names by which code speaks of one. */

export interface OwnerReference {
  apiVersion: string;
  kind: string;
  name: string;
  uid: string;
  controller?: boolean;
  blockOwnerDeletion?: boolean;
}

export interface ManagedFieldsEntry {
  manager?: string;
  operation?: string;
  apiVersion?: string;
  time?: string;
  fieldsType?: string;
  fieldsV1?: Record<string, unknown>;
  subresource?: string;
}

export interface ObjectMeta {
  name?: string;
  generateName?: string;
  namespace?: string;
  uid?: string;
  resourceVersion?: string;
  generation?: number;
  creationTimestamp?: string;
  deletionTimestamp?: string;
  deletionGracePeriodSeconds?: number;
  labels?: Record<string, string>;
  annotations?: Record<string, string>;
  ownerReferences?: OwnerReference[];
  finalizers?: string[];
  managedFields?: ManagedFieldsEntry[];
}

export interface KubeObject {
  apiVersion?: string;
  kind?: string;
  metadata?: ObjectMeta;
}

/** An object of which only apiVersion, kind and metadata were asked for. */
export interface PartialObjectMetadata extends KubeObject {
  metadata: ObjectMeta;
}

/** Deep readonly: how objects leave the cache. Nobody copies, nobody mutates. */
export type Frozen<T> = T extends (...args: never[]) => unknown
  ? T
  : T extends object
    ? { readonly [K in keyof T]: Frozen<T[K]> }
    : T;

/** Where an object lives. Cluster-scoped objects have no namespace. */
export interface ObjectKey {
  readonly namespace?: string | undefined;
  readonly name: string;
}

/** One exact incarnation of an object: enough to guard any write without another read. */
export interface Identity extends ObjectKey {
  readonly uid: string;
  readonly resourceVersion: string;
}

/** `namespace/name`, or `name` when cluster-scoped: the form in logs, queues and maps. */
export function keyText(key: ObjectKey): string {
  return key.namespace ? `${key.namespace}/${key.name}` : key.name;
}

export function parseKey(text: string): ObjectKey {
  const slash = text.indexOf('/');
  return slash < 0 ? { name: text } : { namespace: text.slice(0, slash), name: text.slice(slash + 1) };
}

export function keyOf(object: Frozen<KubeObject>): ObjectKey {
  const { namespace, name = '' } = object.metadata ?? {};
  return namespace ? { namespace, name } : { name };
}

export function identityOf(object: Frozen<KubeObject>): Identity {
  const { uid = '', resourceVersion = '' } = object.metadata ?? {};
  return { ...keyOf(object), uid, resourceVersion };
}
