import type { Frozen, KubeObject } from '../object.ts';

/** Under which values an object is found. Must depend on the object alone: it is asked again to take the object out. */
export type IndexFunction<T> = (object: Frozen<T>) => string | readonly string[] | undefined;

/** By the uid of each owner: `cache.by('owner', pool.metadata.uid)`. */
export function ownerUids(object: Frozen<KubeObject>): readonly string[] {
  return object.metadata?.ownerReferences?.map(({ uid }) => uid) ?? [];
}

/** One index, kept up to date object by object. */
export class IndexMap<T> {
  readonly of: IndexFunction<T>;
  readonly #entries = new Map<string, Map<string, Frozen<T>>>();

  constructor(of: IndexFunction<T>) {
    this.of = of;
  }

  add(key: string, object: Frozen<T>): void {
    for (const value of this.#values(object)) {
      const found = this.#entries.get(value);
      if (found) found.set(key, object);
      else this.#entries.set(value, new Map([[key, object]]));
    }
  }

  remove(key: string, object: Frozen<T>): void {
    for (const value of this.#values(object)) {
      const found = this.#entries.get(value);
      if (found?.delete(key) && found.size === 0) this.#entries.delete(value);
    }
  }

  replace(key: string, old: Frozen<T>, object: Frozen<T>): void {
    const before = this.#values(old);
    const after = this.#values(object);
    for (const value of before) if (!after.includes(value)) this.#removeOne(key, value);
    for (const value of after) {
      const found = this.#entries.get(value);
      if (found) found.set(key, object);
      else this.#entries.set(value, new Map([[key, object]]));
    }
  }

  get(value: string): ReadonlyMap<string, Frozen<T>> | undefined {
    return this.#entries.get(value);
  }

  values(): IterableIterator<string> {
    return this.#entries.keys();
  }

  #removeOne(key: string, value: string): void {
    const found = this.#entries.get(value);
    if (found?.delete(key) && found.size === 0) this.#entries.delete(value);
  }

  #values(object: Frozen<T>): readonly string[] {
    const values = this.of(object);
    return values === undefined ? [] : typeof values === 'string' ? [values] : values;
  }
}
