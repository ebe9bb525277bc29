import type { Kind } from '../kind.ts';
import type { KubeObject, ObjectKey, ObjectMeta } from '../object.ts';

/** What every call may carry. */
export interface CallOptions {
  readonly signal?: AbortSignal | undefined;
  readonly timeoutMs?: number | undefined;
}

/** Ask for apiVersion, kind and metadata only: the objects then have no other field. */
export interface MetadataOption {
  readonly metadataOnly?: boolean | undefined;
}

export interface GetOptions extends CallOptions, MetadataOption {
  readonly subresource?: string | undefined;
  readonly resourceVersion?: string | undefined;
}

export interface Selection {
  readonly namespace?: string | undefined;
  readonly labelSelector?: string | undefined;
  readonly fieldSelector?: string | undefined;
}

export interface ListOptions extends CallOptions, Selection, MetadataOption {
  readonly limit?: number | undefined;
  readonly continue?: string | undefined;
  readonly resourceVersion?: string | undefined;
  readonly resourceVersionMatch?: 'Exact' | 'NotOlderThan' | undefined;
}

export interface List<T> {
  readonly items: T[];
  readonly resourceVersion: string;
  readonly continue?: string | undefined;
  readonly remainingItemCount?: number | undefined;
}

export interface WatchOptions extends CallOptions, Selection, MetadataOption {
  readonly resourceVersion?: string | undefined;
  readonly bookmarks?: boolean | undefined;
  /** Seconds after which the server ends the watch. */
  readonly serverTimeoutSeconds?: number | undefined;
  /** Silence for longer than this ends the watch with 'connection-lost'. With bookmarks the server speaks every minute or so. */
  readonly idleTimeoutMs?: number | undefined;
  /** Streaming list: the existing objects first, as ADDED, then a bookmark with `initialEventsEnd`. */
  readonly sendInitialEvents?: boolean | undefined;
}

export type WatchEvent<T> =
  | { readonly type: 'ADDED' | 'MODIFIED' | 'DELETED'; readonly object: T }
  | { readonly type: 'BOOKMARK'; readonly resourceVersion: string; readonly initialEventsEnd: boolean };

export interface WriteOptions extends CallOptions {
  readonly subresource?: string | undefined;
  readonly dryRun?: boolean | undefined;
  readonly fieldManager?: string | undefined;
  readonly fieldValidation?: 'Strict' | 'Warn' | 'Ignore' | undefined;
}

export interface ApplyOptions extends WriteOptions {
  readonly fieldManager: string;
  readonly force?: boolean | undefined;
}

export interface DeleteOptions extends CallOptions {
  /** Guards: the delete answers 409 when the object is another incarnation. */
  readonly uid?: string | undefined;
  readonly resourceVersion?: string | undefined;
  readonly propagation?: 'Background' | 'Foreground' | 'Orphan' | undefined;
  readonly gracePeriodSeconds?: number | undefined;
  readonly dryRun?: boolean | undefined;
}

export interface JsonPatchOperation {
  readonly op: 'add' | 'remove' | 'replace' | 'move' | 'copy' | 'test';
  readonly path: string;
  readonly from?: string;
  readonly value?: unknown;
}

/** A patch says by its one key which of the three kinds it is. */
export type Patch =
  | { readonly json: readonly JsonPatchOperation[] }
  | { readonly merge: object }
  | { readonly strategic: object };

/** For create: apiVersion and kind are filled in from the Kind. */
export type New<T extends KubeObject> = Omit<T, 'apiVersion' | 'kind' | 'metadata'> & {
  apiVersion?: string;
  kind?: string;
  metadata: ObjectMeta;
};

export interface Client {
  get<T extends KubeObject>(kind: Kind<T>, key: ObjectKey, options?: GetOptions): Promise<T>;
  /** One page when `limit` is given, all pages of one revision otherwise. */
  list<T extends KubeObject>(kind: Kind<T>, options?: ListOptions): Promise<List<T>>;
  create<T extends KubeObject>(kind: Kind<T>, object: New<T>, options?: WriteOptions): Promise<T>;
  /** Guarded by metadata.resourceVersion when the object carries one. */
  update<T extends KubeObject>(kind: Kind<T>, object: New<T>, options?: WriteOptions): Promise<T>;
  patch<T extends KubeObject>(kind: Kind<T>, key: ObjectKey, patch: Patch, options?: WriteOptions): Promise<T>;
  apply<T extends KubeObject>(kind: Kind<T>, object: New<T>, options: ApplyOptions): Promise<T>;
  /** Undefined when the object is gone at once; the object when it waits for finalizers or grace. */
  delete<T extends KubeObject>(kind: Kind<T>, key: ObjectKey, options?: DeleteOptions): Promise<T | undefined>;
  deleteCollection<T extends KubeObject>(kind: Kind<T>, options?: DeleteOptions & Selection): Promise<void>;
  /** A bare watch: no resume, no relist. Most callers want a cache instead. An ERROR event is thrown as KubeError. */
  watch<T extends KubeObject>(kind: Kind<T>, options?: WatchOptions): AsyncIterable<WatchEvent<T>>;
}
