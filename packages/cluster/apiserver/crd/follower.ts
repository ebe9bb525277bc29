/** Keeps the served kinds true to the stored CRDs: judges new ones, serves the accepted, empties the deleted. */
import { isDeepStrictEqual } from 'node:util';
import type { Store, Watch } from '../../store/store.ts';
import type { Registry } from '../registry/registry.ts';
import type { Resource } from '../registry/resource.ts';
import type { JsonObject } from '../schema/structural.ts';
import { collectionPrefix } from '../verbs/keys.ts';
import { metadataOf, objectOf, storedText, stringsOf, textOf, timestamp } from '../verbs/stored-object.ts';
import { crdConditions } from './conditions.ts';
import { asCrd, type CrdCondition } from './model.ts';
import { resourcesOfCrd } from './resources.ts';

const PREFIX = '/registry/apiextensions.k8s.io/customresourcedefinitions/';
/** Holds a deleted CRD until its objects are gone. */
export const CLEANUP = 'customresourcecleanup.apiextensions.k8s.io';

export class CrdFollower {
  readonly #store: Store;
  readonly #registry: Registry;
  readonly #now: () => Date;
  readonly #served = new Map<string, readonly Resource[]>();
  #watch: Watch | undefined;
  #following: Promise<void> = Promise.resolve();

  constructor(store: Store, registry: Registry, now: () => Date) {
    this.#store = store;
    this.#registry = registry;
    this.#now = now;
  }

  /** Serves what is stored, then follows. `onError` hears of a CRD that could not be handled; the others go on. */
  async start(onError: (error: unknown) => void): Promise<void> {
    const { revision, entries } = this.#store.list(PREFIX);
    this.#watch = this.#store.watch(PREFIX, { after: revision });
    for (const entry of entries) await this.#handle(entry.key).catch(onError);
    this.#following = this.#follow(onError);
  }

  async close(): Promise<void> {
    await this.#watch?.return();
    await this.#following;
  }

  async #follow(onError: (error: unknown) => void): Promise<void> {
    try {
      for await (const events of this.#watch ?? []) {
        for (const { key } of events) await this.#handle(key).catch(onError);
      }
    } catch (error) {
      onError(error);
    }
  }

  async #handle(key: string): Promise<void> {
    const entry = this.#store.get(key);
    if (!entry) return this.#serve(key, []);
    const object = objectOf(entry);
    if (textOf(object, 'deletionTimestamp') !== '') return this.#finish(key, object, entry.revision);
    const status = this.#statusOf(object);
    if (!isDeepStrictEqual(status, object['status'])) {
      // The write comes back as an event; a lost race does too.
      await this.#store.txn({ type: 'put', key, value: storedText({ ...object, status }), ifRevision: entry.revision });
      return;
    }
    const established = asCrd(object).status?.conditions?.some(
      ({ type, status: is }) => type === 'Established' && is === 'True',
    );
    this.#serve(key, established ? resourcesOfCrd(object) : []);
  }

  #statusOf(object: JsonObject): JsonObject {
    const others = this.#store.list(PREFIX).entries.map((entry) => asCrd(objectOf(entry)));
    const { conditions, acceptedNames } = crdConditions(asCrd(object), others);
    const before = asCrd(object).status?.conditions ?? [];
    const storedVersions = asCrd(object)
      .spec.versions.filter(({ storage }) => storage)
      .map(({ name }) => name);
    return {
      conditions: conditions.map((condition) => this.#dated(condition, before)) as unknown as JsonObject[],
      acceptedNames: acceptedNames as unknown as JsonObject,
      storedVersions: [...new Set([...(asCrd(object).status?.storedVersions ?? []), ...storedVersions])],
    };
  }

  /** A condition keeps its time until its status changes. */
  #dated(condition: CrdCondition, before: readonly CrdCondition[]): CrdCondition {
    const old = before.find(({ type }) => type === condition.type);
    const since = old?.status === condition.status ? old?.lastTransitionTime : undefined;
    return { ...condition, lastTransitionTime: since ?? timestamp(this.#now()) };
  }

  /** No new objects, the old ones go, then the CRD does. */
  async #finish(key: string, object: JsonObject, revision: number): Promise<void> {
    if (!stringsOf(object, 'finalizers').includes(CLEANUP)) return;
    const { group, names, scope } = asCrd(object).spec;
    this.#serve(key, []);
    const prefix = collectionPrefix({ group, plural: names.plural, namespaced: scope === 'Namespaced' });
    for (const entry of this.#store.list(prefix).entries) await this.#store.txn({ type: 'delete', key: entry.key });
    const finalizers = stringsOf(object, 'finalizers').filter((name) => name !== CLEANUP);
    const next = { ...object, metadata: { ...metadataOf(object), finalizers } };
    await this.#store.txn(
      finalizers.length === 0
        ? { type: 'delete', key, ifRevision: revision }
        : { type: 'put', key, value: storedText(next), ifRevision: revision },
    );
  }

  #serve(key: string, resources: readonly Resource[]): void {
    const before = this.#served.get(key) ?? [];
    if (before.length === 0 && resources.length === 0) return;
    this.#registry.replace(resources, before);
    if (resources.length === 0) this.#served.delete(key);
    else this.#served.set(key, resources);
  }
}
