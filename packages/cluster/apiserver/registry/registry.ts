import type { Resource } from './resource.ts';

/** Which kinds are served. Built-in ones are there from the start; CRDs come and go. */
export class Registry {
  readonly #byPath = new Map<string, Resource>();
  readonly #listeners = new Set<() => void>();
  #generation = 0;

  /** Grows with every change: caches of discovery and OpenAPI documents are keyed by it. */
  get generation(): number {
    return this.#generation;
  }

  find(group: string, version: string, plural: string): Resource | undefined {
    return this.#byPath.get(pathOf(group, version, plural));
  }

  findKind(group: string, version: string, kind: string): Resource | undefined {
    return this.all().find(
      (resource) => resource.group === group && resource.version === version && resource.kind === kind,
    );
  }

  all(): Resource[] {
    return [...this.#byPath.values()];
  }

  /** Serves these instead of what was served under the same owner (a CRD's name, or `builtin`). */
  replace(owned: readonly Resource[], remove: readonly Resource[] = []): void {
    for (const old of remove) this.#byPath.delete(pathOf(old.group, old.version, old.plural));
    for (const resource of owned) this.#byPath.set(pathOf(resource.group, resource.version, resource.plural), resource);
    this.#generation++;
    for (const listener of this.#listeners) listener();
  }

  onChange(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }
}

const pathOf = (group: string, version: string, plural: string) => `${group}/${version}/${plural}`;
