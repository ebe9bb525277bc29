import { hash } from 'node:crypto';

/** Remembers the last few values by secret. Secrets are kept hashed; the one used longest ago is forgotten first. */
export class BoundedCache<V> {
  readonly #limit: number;
  readonly #values = new Map<string, V>();

  constructor(limit: number) {
    this.#limit = limit;
  }

  get size(): number {
    return this.#values.size;
  }

  get(secret: string): V | undefined {
    const key = hash('sha256', secret, 'base64');
    const value = this.#values.get(key);
    if (value === undefined) return undefined;
    this.#values.delete(key);
    this.#values.set(key, value);
    return value;
  }

  set(secret: string, value: V): void {
    this.#values.set(hash('sha256', secret, 'base64'), value);
    if (this.#values.size <= this.#limit) return;
    const oldest = this.#values.keys().next();
    if (!oldest.done) this.#values.delete(oldest.value);
  }
}
