import type { Client, New, Patch } from '../client/contract.ts';
import { KubeError } from '../errors.ts';
import { type Kind, resourceName } from '../kind.ts';
import { type KubeObject, keyOf, keyText, type ObjectKey } from '../object.ts';

/**
 * As much of an API server as the unit tests of writers need: objects, resource versions, conflicts, merge patches.
 * `before` sees each call first and may throw or change what is stored, as another writer would.
 */
export class MemoryClient implements Client {
  readonly objects = new Map<string, KubeObject>();
  readonly calls: string[] = [];
  before: (call: string) => Promise<void> | void = () => {};
  #version = 0;

  /** A write by somebody else: no call, no `before`. */
  put<T extends KubeObject>(kind: Kind<T>, object: T): T {
    return this.#store(kind, object);
  }

  peek<T extends KubeObject>(kind: Kind<T>, key: ObjectKey): T | undefined {
    return this.objects.get(place(kind, key)) as T | undefined;
  }

  async get<T extends KubeObject>(kind: Kind<T>, key: ObjectKey): Promise<T> {
    await this.#call('get', kind, key);
    return structuredClone(this.#existing(kind, key));
  }

  async create<T extends KubeObject>(kind: Kind<T>, object: New<T>): Promise<T> {
    await this.#call('create', kind, keyOf(object));
    if (this.objects.has(place(kind, keyOf(object)))) throw new KubeError('already-exists', 'it is there');
    return this.#store(kind, {
      ...object,
      metadata: { ...object.metadata, uid: `uid-${this.#version}` },
    } as New<T> as unknown as T);
  }

  async update<T extends KubeObject>(kind: Kind<T>, object: New<T>): Promise<T> {
    await this.#call('update', kind, keyOf(object));
    this.#guard(this.#existing(kind, keyOf(object)), object.metadata);
    return this.#store(kind, object as unknown as T);
  }

  async patch<T extends KubeObject>(kind: Kind<T>, key: ObjectKey, patch: Patch): Promise<T> {
    await this.#call('patch', kind, key);
    const current = this.#existing(kind, key);
    if (!('merge' in patch)) throw new Error('only merge patches here');
    this.#guard(current, (patch.merge as KubeObject).metadata ?? {});
    return this.#store(kind, merge(current, patch.merge) as T);
  }

  list(): never {
    throw new Error('not needed here');
  }
  apply(): never {
    throw new Error('not needed here');
  }
  delete(): never {
    throw new Error('not needed here');
  }
  deleteCollection(): never {
    throw new Error('not needed here');
  }
  watch(): never {
    throw new Error('not needed here');
  }

  async #call(verb: string, kind: Kind, key: ObjectKey): Promise<void> {
    const call = `${verb} ${kind.plural} ${keyText(key)}`;
    this.calls.push(call);
    await this.before(call);
  }

  #existing<T extends KubeObject>(kind: Kind<T>, key: ObjectKey): T {
    const object = this.peek(kind, key);
    if (!object) throw new KubeError('not-found', `${keyText(key)} is not there`);
    return object;
  }

  #guard(current: KubeObject, { uid, resourceVersion }: { uid?: string; resourceVersion?: string }): void {
    const stale = resourceVersion !== undefined && resourceVersion !== current.metadata?.resourceVersion;
    if (stale || (uid !== undefined && uid !== current.metadata?.uid)) throw new KubeError('conflict', 'it changed');
  }

  #store<T extends KubeObject>(kind: Kind<T>, object: T): T {
    this.#version += 1;
    const stored = {
      ...structuredClone(object),
      metadata: { ...object.metadata, resourceVersion: String(this.#version) },
    };
    this.objects.set(place(kind, keyOf(stored)), stored);
    return structuredClone(stored);
  }
}

const place = (kind: Kind, key: ObjectKey) => `${resourceName(kind)}/${keyText(key)}`;

/** RFC 7386. */
function merge(target: unknown, patch: unknown): unknown {
  if (typeof patch !== 'object' || patch === null || Array.isArray(patch)) return patch;
  const result: Record<string, unknown> = typeof target === 'object' && !Array.isArray(target) ? { ...target } : {};
  for (const [name, value] of Object.entries(patch)) {
    if (value === null) delete result[name];
    else result[name] = merge(result[name], value);
  }
  return result;
}
