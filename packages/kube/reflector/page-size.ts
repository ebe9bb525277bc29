/**
 * How many objects to ask for in one page, so that a page has about `pageBytes`. For servers that do not stream their
 * lists (see list-form.ts): a page bounds what such a server must hold, and what a broken connection costs.
 */
export class PageSize {
  readonly #pageBytes: number;
  #bytes = 0;
  #objects = 0;

  constructor(pageBytes: number = 512 * 1024) {
    this.#pageBytes = pageBytes;
  }

  /** The first page is a probe: small when objects are huge, and all there is for most collections. */
  get limit(): number {
    if (this.#objects === 0) return 500;
    return Math.max(1, Math.min(100_000, Math.round(this.#pageBytes / (this.#bytes / this.#objects))));
  }

  saw(bytes: number, objects: number): void {
    if (objects === 0) return;
    // Old pages count for less, so that the size follows when objects grow.
    this.#bytes = this.#bytes / 2 + bytes;
    this.#objects = this.#objects / 2 + objects;
  }
}
