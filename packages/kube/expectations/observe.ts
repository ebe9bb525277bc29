import type { Cache } from '../cache/cache.ts';
import type { Frozen, KubeObject } from '../object.ts';
import type { Expectations } from './expectations.ts';

/** Tells the expectations what the cache sees. `keyOfOwner` says to which controller key an object belongs. */
export function observeExpectations<T extends KubeObject>(
  expectations: Expectations,
  cache: Cache<T>,
  keyOfOwner: (object: Frozen<T>) => string | undefined,
): () => void {
  return cache.subscribe((event) => {
    const { object } = event;
    const key = keyOfOwner(object);
    const { uid = '', name, deletionTimestamp } = object.metadata ?? {};
    if (key === undefined) return;
    if (event.type === 'added') expectations.createSeen(key, name);
    if (event.type === 'deleted' || deletionTimestamp !== undefined) expectations.deleteSeen(key, uid);
  });
}
