import type { Selection } from '../client/contract.ts';
import { KubeError } from '../errors.ts';
import { apiVersionOf, type Kind, resourceName } from '../kind.ts';
import type { KubeObject } from '../object.ts';
import { Cache, type CacheOptions, type CacheState } from './cache.ts';
import type { IndexFunction } from './index-map.ts';

export interface CacheSetOptions
  extends Omit<CacheOptions<KubeObject>, 'kind' | 'selection' | 'indexes' | 'transform' | 'metadataOnly' | 'onState'> {
  /** Where caches of namespaced kinds look, unless told otherwise. Default: everywhere. */
  readonly namespace?: string | undefined;
  /** Hears of each cache that starts, syncs, loses its connection or fails. */
  readonly onState?: ((kind: Kind, state: CacheState) => void) | undefined;
}

export interface CacheRequest<T extends KubeObject> extends Selection {
  readonly metadataOnly?: boolean | undefined;
  readonly indexes?: Readonly<Record<string, IndexFunction<T>>> | undefined;
  readonly transform?: ((object: T) => T) | undefined;
}

interface Entry {
  readonly cache: Cache<KubeObject>;
  readonly transform: unknown;
}

/** One cache per kind and selection, shared by all who ask: one watch, one copy in memory. */
export class CacheSet {
  readonly #options: CacheSetOptions;
  readonly #entries = new Map<string, Entry>();
  #started = false;
  #stopped = false;

  constructor(options: CacheSetOptions) {
    this.#options = options;
  }

  /** The cache of this kind and selection; made by the first who asks, and started with the set or, later, at once. */
  of<T extends KubeObject>(kind: Kind<T>, request: CacheRequest<T> = {}): Cache<T> {
    const {
      namespace = kind.namespaced ? this.#options.namespace : undefined,
      labelSelector,
      fieldSelector,
      metadataOnly = false,
    } = request;
    const id = JSON.stringify([
      resourceName(kind),
      apiVersionOf(kind),
      namespace,
      labelSelector,
      fieldSelector,
      metadataOnly,
    ]);
    const known = this.#entries.get(id);
    if (known) {
      const cache = known.cache as unknown as Cache<T>;
      if (request.transform !== undefined && request.transform !== known.transform) {
        throw new KubeError(
          'invalid',
          `the cache of ${resourceName(kind)} is shared and has another transform already`,
        );
      }
      for (const [name, of] of Object.entries(request.indexes ?? {})) cache.addIndex(name, of);
      return cache;
    }
    if (this.#stopped) throw new KubeError('aborted', 'the caches were stopped');
    const { onState, namespace: _namespace, ...shared } = this.#options;
    const cache = new Cache<T>({
      ...shared,
      kind,
      selection: { namespace, labelSelector, fieldSelector },
      metadataOnly,
      indexes: request.indexes,
      transform: request.transform,
      onState: (state) => onState?.(kind, state),
    });
    this.#entries.set(id, { cache: cache as unknown as Cache<KubeObject>, transform: request.transform });
    if (this.#started) void cache.start();
    return cache;
  }

  get all(): readonly Cache<KubeObject>[] {
    return [...this.#entries.values()].map(({ cache }) => cache);
  }

  get ready(): boolean {
    return this.#started && this.all.every((cache) => cache.ready);
  }

  /** Resolves when all have synced; rejects with the cause of the first that cannot, and stops the others. */
  async start(options: { readonly signal?: AbortSignal } = {}): Promise<void> {
    this.#started = true;
    try {
      await Promise.all(this.all.map((cache) => cache.start(options)));
    } catch (error) {
      await this.stop();
      throw error;
    }
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    await Promise.all(this.all.map((cache) => cache.stop()));
  }
}
