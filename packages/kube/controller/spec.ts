import type { Cache } from '../cache/cache.ts';
import type { CacheRequest } from '../cache/cache-set.ts';
import type { CacheEvent } from '../cache/event.ts';
import type { Client } from '../client/contract.ts';
import type { Kind } from '../kind.ts';
import type { Frozen, KubeObject, ObjectKey } from '../object.ts';
import type { Logger } from './logger.ts';

/** A kind, or a kind of which only a part is looked at. */
export type Watched<T extends KubeObject> = Kind<T> | (CacheRequest<T> & { readonly of: Kind<T> });

/** The caches that a controller declared. Asking for another one is an error, not an empty answer. */
export interface ControllerCaches {
  of<T extends KubeObject>(kind: Kind<T>): Cache<T>;
}

/** All that a reconcile may use. It reads from the cache, writes by the client, and asks nobody else what time it is. */
export interface Reconcile {
  readonly key: ObjectKey;
  readonly cache: ControllerCaches;
  readonly client: Client;
  /** Milliseconds since the epoch, the same for the whole reconcile. */
  readonly now: number;
  /** Aborted when leadership is lost, when the drain of a stop takes too long, or when the reconcile's own time is up. */
  readonly signal: AbortSignal;
  readonly log: Logger;
}

/**
 * When to look at this key again without an event. Nothing: when something changes. The next reconcile of the key, for
 * whatever reason, decides anew.
 */
// biome-ignore lint/suspicious/noConfusingVoidType: a reconcile that has nothing to say just returns.
export type ReconcileResult = { readonly requeueAfter: number } | { readonly again: number } | undefined | void;

export type EventFilter<T> = (event: CacheEvent<T>) => boolean;

/** From an object to the keys that must be looked at because of it. */
export type Mapper<T> = (object: Frozen<T>, cache: ControllerCaches) => ObjectKey | readonly ObjectKey[] | undefined;

export interface WatchSpec {
  // biome-ignore lint/suspicious/noExplicitAny: specs of several kinds stand in one list; `on` typed each of them.
  readonly watched: Watched<any>;
  // biome-ignore lint/suspicious/noExplicitAny: as above.
  readonly filter: EventFilter<any>;
  // biome-ignore lint/suspicious/noExplicitAny: as above.
  readonly mapper: Mapper<any>;
}

/** Look at other keys when objects of another kind change: `on(BatchSandbox, demandChanged, keyOfPool)`. */
export function on<T extends KubeObject>(watched: Watched<T>, filter: EventFilter<T>, mapper: Mapper<T>): WatchSpec {
  return { watched, filter, mapper };
}

export const always = (): boolean => true;

/** The spec changed, or the object came, goes or went: everything but what controllers write into its status. */
export function generationChanged(event: CacheEvent<KubeObject>): boolean {
  if (event.type !== 'updated') return true;
  const { old, object } = event;
  return (
    old.metadata?.generation !== object.metadata?.generation ||
    old.metadata?.deletionTimestamp !== object.metadata?.deletionTimestamp
  );
}

export interface ControllerSpec<T extends KubeObject = KubeObject> {
  /** As in logs and metrics. */
  readonly name: string;
  readonly for: Watched<T>;
  /** Which changes of the object itself matter. Default: all. */
  readonly when?: EventFilter<T> | undefined;
  /** Kinds whose objects it controls: a change of one of them is a reason to look at its controller. */
  // biome-ignore lint/suspicious/noExplicitAny: kinds of several types stand in one list, and only metadata is read.
  readonly owns?: readonly Watched<any>[] | undefined;
  readonly watches?: readonly WatchSpec[] | undefined;
  /** Kinds that it only reads. */
  // biome-ignore lint/suspicious/noExplicitAny: as above.
  readonly reads?: readonly Watched<any>[] | undefined;
  readonly reconcile: (request: Reconcile) => Promise<ReconcileResult> | ReconcileResult;
  /** How many keys at a time. Default 1. */
  readonly workers?: number | undefined;
  /** When the signal of one reconcile is aborted. Default: never. */
  readonly timeoutMs?: number | undefined;
  /** Runs on every replica, not only on the leader. Default false. */
  readonly everywhere?: boolean | undefined;
}

/** A controller, declared. `startManager` runs it. */
export function controller<T extends KubeObject>(spec: ControllerSpec<T>): ControllerSpec {
  return spec as unknown as ControllerSpec;
}

export function kindOfWatched<T extends KubeObject>(watched: Watched<T>): Kind<T> {
  return 'of' in watched ? watched.of : watched;
}
