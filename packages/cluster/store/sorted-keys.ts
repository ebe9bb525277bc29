/**
 * An ordered set of keys in blocks of bounded size: insertion moves at most one block, a range walk is sequential, and
 * counting a range adds up block lengths. Order is that of UTF-16 code units.
 */
const blockSize = 512;

export class SortedKeys {
  readonly #blocks: string[][] = [];

  add(key: string): void {
    const at = this.#blockOf(key);
    const block = this.#blocks[at];
    if (!block) {
      this.#blocks.push([key]);
      return;
    }
    const index = lowerBound(block, key);
    if (block[index] === key) return;
    block.splice(index, 0, key);
    // Splitting near the end keeps blocks full when keys arrive in order.
    if (block.length > blockSize)
      this.#blocks.splice(at + 1, 0, block.splice(index === blockSize ? index : blockSize / 2));
  }

  delete(key: string): void {
    const at = this.#blockOf(key);
    const block = this.#blocks[at];
    if (!block) return;
    const index = lowerBound(block, key);
    if (block[index] !== key) return;
    block.splice(index, 1);
    if (block.length === 0) this.#blocks.splice(at, 1);
  }

  /** Keys from `from` on, in order, without an end: the caller stops. */
  *from(from: string): Generator<string, void> {
    let at = this.#blockOf(from);
    let index = lowerBound(this.#blocks[at] ?? [], from);
    for (; at < this.#blocks.length; at++, index = 0) {
      const block = this.#blocks[at] ?? [];
      for (; index < block.length; index++) yield block[index] as string;
    }
  }

  /** How many keys are in [from, to). */
  count(from: string, to: string): number {
    return this.#rank(to) - this.#rank(from);
  }

  #rank(key: string): number {
    const at = this.#blockOf(key);
    let rank = lowerBound(this.#blocks[at] ?? [], key);
    for (let before = 0; before < at; before++) rank += this.#blocks[before]?.length ?? 0;
    return rank;
  }

  /** The block that holds the key, or would: the last one that does not begin after it. */
  #blockOf(key: string): number {
    let low = 0;
    let high = this.#blocks.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((this.#blocks[middle]?.[0] as string) <= key) low = middle + 1;
      else high = middle;
    }
    return Math.max(0, low - 1);
  }
}

function lowerBound(keys: readonly string[], key: string): number {
  let low = 0;
  let high = keys.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((keys[middle] as string) < key) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** The first key after all those that begin with the prefix. */
export function prefixEnd(prefix: string): string {
  for (let last = prefix.length - 1; last >= 0; last--) {
    const code = prefix.charCodeAt(last);
    if (code < 0xffff) return prefix.slice(0, last) + String.fromCharCode(code + 1);
  }
  return '\uffff\uffff\uffff\uffff';
}
