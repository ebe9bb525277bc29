/**
 * The port: what an API server needs of its storage, and nothing more. Keys map to opaque text; every write gets the next
 * number of one global revision; readers see durable writes only.
 */

/**
 * One key at one revision. Entries are immutable and keep their identity until they are replaced, so a WeakMap from an
 * entry to its parsed form is a correct cache.
 */
export interface Entry {
  readonly key: string;
  readonly value: string;
  /** The revision of the write that gave the key this value. */
  readonly revision: number;
}

/** A write with its precondition. `ifRevision` asks that the key exists and was last written at that revision. */
export type Write =
  | { readonly type: 'create'; readonly key: string; readonly value: NewValue }
  | { readonly type: 'put'; readonly key: string; readonly value: NewValue; readonly ifRevision?: number | undefined }
  | { readonly type: 'delete'; readonly key: string; readonly ifRevision?: number | undefined };

/** A value may contain the revision it will be written at: that is how an object carries its own resourceVersion. */
export type NewValue = string | ((revision: number) => string);

export type Outcome =
  | { readonly ok: true; readonly revision: number; readonly entry?: Entry; readonly previous?: Entry }
  /** The precondition did not hold; `current` is the durable entry it was compared with. Nothing was written. */
  | { readonly ok: false; readonly current: Entry | undefined };

export interface StoreEvent {
  readonly revision: number;
  readonly type: 'create' | 'update' | 'delete';
  readonly key: string;
  /** What the key holds since this event; undefined when it was deleted. */
  readonly entry: Entry | undefined;
  /** What the key held before; undefined when it was created. */
  readonly previous: Entry | undefined;
}

export interface ListOptions {
  readonly limit?: number | undefined;
  /** The token of the page before. It fixes the revision, so all pages show the same instant. */
  readonly continue?: string | undefined;
  /** List as it was at this revision, instead of now. */
  readonly revision?: number | undefined;
}

export interface Page {
  readonly entries: readonly Entry[];
  /** The revision that the list shows; watch `after` it to miss nothing. */
  readonly revision: number;
  readonly continue?: string;
  /** How many entries follow this page. */
  readonly remaining: number;
}

export interface WatchOptions {
  /** Events after this revision are delivered; by default those after the present one. */
  readonly after?: number | undefined;
  readonly signal?: AbortSignal | undefined;
}

/**
 * Events in order, in non-empty groups. A watch holds no buffer: it is a place in the shared history, so a consumer that
 * never reads costs nothing, and when the history before its place is compacted, it ends with `compacted`.
 */
export interface Watch extends AsyncIterableIterator<readonly StoreEvent[], undefined> {
  /** Everything up to this revision has been handed out: what a bookmark may say. */
  readonly revision: number;
  return(): Promise<IteratorResult<readonly StoreEvent[], undefined>>;
}

export interface StoreStats {
  readonly revision: number;
  readonly compacted: number;
  readonly keys: number;
  readonly historyEvents: number;
  readonly historyBytes: number;
  readonly watches: number;
  readonly commits: number;
  readonly writes: number;
}

export interface Store extends AsyncDisposable {
  /** The newest durable revision. */
  readonly revision: number;
  /** The oldest revision that can still be listed or watched from. */
  readonly compacted: number;
  get(key: string): Entry | undefined;
  list(prefix: string, options?: ListOptions): Page;
  count(prefix: string): number;
  /** Resolves when the write is durable, or when its precondition failed; rejects when it was not kept. */
  txn(write: Write): Promise<Outcome>;
  watch(prefix: string, options?: WatchOptions): Watch;
  /** Forgets the history up to and including this revision. It happens by itself by age and size. */
  compact(revision: number): void;
  /** A consistent copy, made beside running writes. Without a file it goes to the data folder, where the last three are kept. */
  backup(file?: string): Promise<string>;
  stats(): StoreStats;
  /** Waits for the writes that were begun, then closes. Watches end with `closed`. */
  close(): Promise<void>;
}
