import type { Frozen } from '../object.ts';

/**
 * One change of the cache. An object that was deleted and made again under its name is a `deleted` and an `added`,
 * also when the cache saw nothing of what was between.
 */
export type CacheEvent<T> =
  | {
      readonly type: 'added';
      readonly key: string;
      readonly object: Frozen<T>;
      /** It was there already: part of the first list, or of the replay that a late subscriber gets. */
      readonly initial: boolean;
    }
  | { readonly type: 'updated'; readonly key: string; readonly object: Frozen<T>; readonly old: Frozen<T> }
  | {
      readonly type: 'deleted';
      readonly key: string;
      /** Its last state: what the server said at the end, or what the cache had when the end itself was missed. */
      readonly object: Frozen<T>;
      readonly old: Frozen<T>;
    };

export type CacheListener<T> = (event: CacheEvent<T>) => void;
