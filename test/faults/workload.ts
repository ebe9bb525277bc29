import { expect } from 'vitest';
import type { Cache, Client } from '../../packages/kube/index.ts';
import { isNotFound } from '../../packages/kube/index.ts';
import { ConfigMap } from '../../packages/kube/kinds/index.ts';

/** Objects that come, change and go while something is broken. */
export class Workload {
  readonly #client: Client;
  readonly #namespace: string;
  #round = 0;

  constructor(client: Client, namespace: string) {
    this.#client = client;
    this.#namespace = namespace;
  }

  /** Some creations, some changes, some deletions. */
  async churn(): Promise<void> {
    const round = this.#round++;
    const work = Array.from({ length: 12 }, async (_, i) => {
      const name = `object-${i}`;
      if ((i + round) % 4 === 0) await this.#delete(name);
      else await this.put(name, `round ${round}`);
    });
    await Promise.all(work);
  }

  async put(name: string, value: string): Promise<void> {
    const object = {
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { name, namespace: this.#namespace },
      data: { value },
    };
    await this.#client.apply(ConfigMap, object, { fieldManager: 'workload', force: true });
  }

  async #delete(name: string): Promise<void> {
    await this.#client.delete(ConfigMap, { namespace: this.#namespace, name }).catch((error: unknown) => {
      if (!isNotFound(error)) throw error;
    });
  }

  /** Waits until the cache has what was written last, then compares all of it with a list from the server itself. */
  async expectTrue(cache: Cache<ConfigMap>): Promise<void> {
    const stamp = `stamp ${this.#round++}`;
    await this.put('stamp', stamp);
    const key = { namespace: this.#namespace, name: 'stamp' };
    await cache.waitFor(key, (object) => object?.data?.['value'] === stamp, { timeoutMs: 30_000 });
    const fresh = await this.#client.list(ConfigMap, { namespace: this.#namespace });
    expect(versions(cache.list())).toEqual(versions(fresh.items));
  }
}

function versions(
  objects: readonly { readonly metadata?: { readonly name?: string; readonly resourceVersion?: string } }[],
): Record<string, string> {
  const entries = objects.map(({ metadata }) => [metadata?.name ?? '', metadata?.resourceVersion ?? ''] as const);
  return Object.fromEntries(entries.toSorted(([a], [b]) => (a < b ? -1 : 1)));
}
