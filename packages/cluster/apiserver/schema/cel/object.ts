import { isDeepStrictEqual } from 'node:util';
import type { JsonObject } from '../structural.ts';

/** An object with a schema, as rules see it. Each schema gets a class of its own, which is how the evaluator tells types. */
export class CelObject {
  /** Not a field: rules must not see it. */
  readonly #raw: JsonObject;
  constructor(raw: JsonObject) {
    this.#raw = raw;
  }

  /** Static, because a field may be called anything. */
  static isSame(a: CelObject, b: CelObject): boolean {
    return a.#raw === b.#raw || isDeepStrictEqual(a.#raw, b.#raw);
  }
}
