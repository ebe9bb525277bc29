import type { Target } from './reflector.ts';
import { turns } from './turns.ts';

/** So many changes are made in one go; about 20 ms. */
const atOnce = 5_000;

/**
 * What a list says that the copy does not have. It is collected while the list arrives and applied when it is complete:
 * with half a list applied, an object that replaced another would stand beside it, and whoever counts them would act on
 * a number that never was. Only what differs is held, so a list that says nothing new costs a set of keys.
 */
export class News<T> {
  readonly #target: Target<T>;
  readonly #named = new Set<string>();
  readonly #changed: [key: string, object: T][] = [];

  constructor(target: Target<T>) {
    this.#target = target;
  }

  take(key: string, object: T): void {
    this.#named.add(key);
    if (!this.#target.has(key, object)) this.#changed.push([key, object]);
  }

  /** In one turn of the event loop, unless it is so much that it would hold up everything else. */
  async apply(signal: AbortSignal): Promise<void> {
    const gone: string[] = [];
    for (const key of this.#target.keys()) if (!this.#named.has(key)) gone.push(key);
    const sliced = this.#changed.length + gone.length > atOnce;
    // Sliced, a count is too high for a moment and never too low: too low is what makes controllers create.
    for (const [key, object] of this.#changed) {
      this.#target.put(key, object);
      if (sliced && turns.spent) await turns.next();
      signal.throwIfAborted();
    }
    for (const key of gone) {
      this.#target.remove(key, undefined);
      if (sliced && turns.spent) await turns.next();
      signal.throwIfAborted();
    }
  }
}
