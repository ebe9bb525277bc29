import type { Cache } from '../cache/cache.ts';
import type { CacheSet } from '../cache/cache-set.ts';
import type { CacheEvent } from '../cache/event.ts';
import { KubeError } from '../errors.ts';
import { apiVersionOf, type Kind, resourceName } from '../kind.ts';
import { type Frozen, type KubeObject, keyOf, keyText, type ObjectKey } from '../object.ts';
import { controllerOf } from '../owners.ts';
import {
  always,
  type ControllerCaches,
  type ControllerSpec,
  kindOfWatched,
  type Mapper,
  type Watched,
} from './spec.ts';

/** Events of initial lists wait behind what happens now: after a restart, news is served before the backlog. */
export const backlogPriority = -100;

export type Enqueue = (key: string, priority: number) => void;

/** What a controller reads, and how events of it become keys. Made before the caches start, so that they start with them. */
export class Sources implements ControllerCaches {
  readonly #spec: ControllerSpec;
  readonly #caches = new Map<string, Cache<KubeObject>>();

  constructor(spec: ControllerSpec, caches: CacheSet) {
    this.#spec = spec;
    const watched = (spec.watches ?? []).map((watch) => watch.watched);
    for (const one of [spec.for, ...(spec.owns ?? []), ...watched, ...(spec.reads ?? [])]) this.#declare(one, caches);
  }

  of<T extends KubeObject>(kind: Kind<T>): Cache<T> {
    const cache = this.#caches.get(idOf(kind));
    if (!cache) {
      throw new KubeError(
        'invalid',
        `the controller ${this.#spec.name} does not declare ${resourceName(kind)}; name it in owns, watches or reads`,
      );
    }
    return cache as unknown as Cache<T>;
  }

  /** Returns how to end it. What is in the caches already comes first. */
  subscribe(enqueue: Enqueue): () => void {
    const { for: own, when = always, owns = [], watches = [] } = this.#spec;
    const ends = [this.#listen(own, when, (object) => keyOf(object), enqueue)];
    for (const owned of owns) ends.push(this.#listen(owned, always, (object) => this.#ownerKey(object), enqueue));
    for (const { watched, filter, mapper } of watches) ends.push(this.#listen(watched, filter, mapper, enqueue));
    return () => {
      for (const end of ends) end();
    };
  }

  #declare(watched: Watched<KubeObject>, caches: CacheSet): void {
    const kind = kindOfWatched(watched);
    const cache = caches.of(kind, 'of' in watched ? watched : {});
    const known = this.#caches.get(idOf(kind));
    if (known && known !== cache) {
      throw new KubeError(
        'invalid',
        `the controller ${this.#spec.name} declares ${resourceName(kind)} with two selections`,
      );
    }
    this.#caches.set(idOf(kind), cache);
  }

  #listen(
    watched: Watched<KubeObject>,
    filter: (event: CacheEvent<KubeObject>) => boolean,
    mapper: Mapper<KubeObject>,
    enqueue: Enqueue,
  ): () => void {
    return this.of(kindOfWatched(watched)).subscribe((event) => {
      if (!filter(event)) return;
      const priority = event.type === 'added' && event.initial ? backlogPriority : 0;
      const keys = new Set<string>();
      const collect = (object: Frozen<KubeObject>) => {
        const mapped = mapper(object, this);
        for (const key of mapped === undefined ? [] : isList(mapped) ? mapped : [mapped]) keys.add(keyText(key));
      };
      collect(event.object);
      // What no longer points to its old owner matters to that owner too.
      if (event.type === 'updated') collect(event.old);
      for (const key of keys) enqueue(key, priority);
    });
  }

  #ownerKey(object: Frozen<KubeObject>): ObjectKey | undefined {
    const own = kindOfWatched(this.#spec.for);
    const owner = controllerOf(object);
    if (owner?.kind !== own.kind || groupOf(owner.apiVersion) !== own.group) return undefined;
    return own.namespaced ? { namespace: object.metadata?.namespace, name: owner.name } : { name: owner.name };
  }
}

const idOf = (kind: Kind) => `${apiVersionOf(kind)}/${kind.kind}`;

const isList = (keys: ObjectKey | readonly ObjectKey[]): keys is readonly ObjectKey[] => Array.isArray(keys);

function groupOf(apiVersion: string): string {
  const slash = apiVersion.indexOf('/');
  return slash < 0 ? '' : apiVersion.slice(0, slash);
}
