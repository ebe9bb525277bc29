/** Reading other objects, for the few rules that need them: priority classes, service accounts, services. */
import type { Store } from '../../store/store.ts';
import type { JsonObject } from '../schema/structural.ts';
import { collectionPrefix, objectKey } from '../verbs/keys.ts';
import { objectOf } from '../verbs/stored-object.ts';

export interface Place {
  readonly group: string;
  readonly plural: string;
  readonly namespaced: boolean;
}

/** What it gives is shared: read only. */
export interface Lookup {
  get(of: Place, namespace: string | undefined, name: string): JsonObject | undefined;
  list(of: Place, namespace?: string): JsonObject[];
}

export function storeLookup(store: Pick<Store, 'get' | 'list'>): Lookup {
  return {
    get(of, namespace, name) {
      const entry = store.get(objectKey(of, namespace, name));
      return entry && objectOf(entry);
    },
    list: (of, namespace) => store.list(collectionPrefix(of, namespace)).entries.map(objectOf),
  };
}
