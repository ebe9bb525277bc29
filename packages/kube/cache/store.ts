import { KubeError } from '../errors.ts';
import type { Frozen, KubeObject } from '../object.ts';
import type { Target } from '../reflector/reflector.ts';
import type { CacheEvent } from './event.ts';
import { deepFreeze } from './freeze.ts';
import { type IndexFunction, IndexMap } from './index-map.ts';

export interface StoreHooks<T> {
  /** After the change is in, indexes included. */
  readonly changed: (event: CacheEvent<T>) => void;
  readonly synced: (resourceVersion: string) => void;
  readonly failed: (error: KubeError) => void;
}

/** The objects of one kind and their indexes: what a reflector writes and a cache reads. */
export class Store<T extends KubeObject> implements Target<T> {
  readonly objects = new Map<string, Frozen<T>>();
  readonly #indexes = new Map<string, IndexMap<T>>();
  readonly #hooks: StoreHooks<T>;
  readonly #freeze: boolean;
  #initial = true;

  constructor(hooks: StoreHooks<T>, freeze: boolean) {
    this.#hooks = hooks;
    this.#freeze = freeze;
  }

  get size(): number {
    return this.objects.size;
  }

  keys(): Iterable<string> {
    return this.objects.keys();
  }

  has(key: string, { metadata }: T): boolean {
    const old = this.objects.get(key)?.metadata;
    return old !== undefined && old.uid === metadata?.uid && old.resourceVersion === metadata?.resourceVersion;
  }

  put(key: string, fresh: T): void {
    if (this.has(key, fresh)) return;
    const object = (this.#freeze ? deepFreeze(fresh) : fresh) as Frozen<T>;
    const old = this.objects.get(key);
    if (old && old.metadata?.uid === object.metadata?.uid) {
      this.objects.set(key, object);
      this.#index((index) => index.replace(key, old, object), key);
      this.#hooks.changed({ type: 'updated', key, object, old });
      return;
    }
    if (old) this.remove(key, undefined);
    this.objects.set(key, object);
    this.#index((index) => index.add(key, object), key);
    this.#hooks.changed({ type: 'added', key, object, initial: this.#initial });
  }

  remove(key: string, final: T | undefined): void {
    const old = this.objects.get(key);
    // A deletion that was seen before, or of an incarnation that is gone already.
    if (!old || (final && final.metadata?.uid !== old.metadata?.uid)) return;
    this.objects.delete(key);
    this.#index((index) => index.remove(key, old), key);
    const object = final === undefined ? old : ((this.#freeze ? deepFreeze(final) : final) as Frozen<T>);
    this.#hooks.changed({ type: 'deleted', key, object, old });
  }

  synced(resourceVersion: string): void {
    this.#initial = false;
    this.#hooks.synced(resourceVersion);
  }

  addIndex(name: string, of: IndexFunction<T>): void {
    const known = this.#indexes.get(name);
    if (known?.of === of) return;
    if (known) throw new KubeError('invalid', `there is an index ${name} with another function; choose another name`);
    const index = new IndexMap(of);
    for (const [key, object] of this.objects) this.#guard(() => index.add(key, object), name, key);
    this.#indexes.set(name, index);
  }

  index(name: string): IndexMap<T> {
    const index = this.#indexes.get(name);
    if (!index) throw new KubeError('invalid', `there is no index ${name}; declare it where the cache is made`);
    return index;
  }

  #index(change: (index: IndexMap<T>) => void, key: string): void {
    for (const [name, index] of this.#indexes) this.#guard(() => change(index), name, key);
  }

  /** An object that an index cannot read stalls nobody: it is missing from that index, and that is reported. */
  #guard(change: () => void, name: string, key: string): void {
    try {
      change();
    } catch (cause) {
      this.#hooks.failed(new KubeError('invalid', `the index ${name} cannot read ${key}`, { cause }));
    }
  }
}
