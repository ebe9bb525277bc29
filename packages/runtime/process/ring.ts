/**
 * The last mebibyte of a process's output, in order, for clients that ask for it with `Sandbank-Replay: 1`. It grows with the
 * output, so that ten thousand short commands don't cost ten thousand mebibytes.
 */
import type { OutputKind } from './output.ts';

export const ringBytes = 1024 * 1024;
const smallestBlock = 64;
const largestBlock = 64 * 1024;

interface Block {
  readonly kind: OutputKind;
  readonly bytes: Buffer;
  used: number;
}

export class OutputRing {
  readonly #limit: number;
  #blocks: Block[] = [];
  #size = 0;

  constructor(limit = ringBytes) {
    this.#limit = limit;
  }

  /** Copies the bytes: the caller may reuse its buffer. */
  append(kind: OutputKind, bytes: Buffer): void {
    const tail = bytes.byteLength > this.#limit ? bytes.subarray(bytes.byteLength - this.#limit) : bytes;
    let at = 0;
    while (at < tail.byteLength) {
      const block = this.#room(kind, tail.byteLength - at);
      const count = tail.copy(block.bytes, block.used, at);
      block.used += count;
      this.#size += count;
      at += count;
    }
    this.#trim();
  }

  *entries(): Generator<{ kind: OutputKind; bytes: Buffer }> {
    for (const block of this.#blocks) yield { kind: block.kind, bytes: block.bytes.subarray(0, block.used) };
  }

  get size(): number {
    return this.#size;
  }

  clear(): void {
    this.#blocks = [];
    this.#size = 0;
  }

  #room(kind: OutputKind, wanted: number): Block {
    const last = this.#blocks.at(-1);
    if (last !== undefined && last.kind === kind && last.used < last.bytes.byteLength) return last;
    const grown = last === undefined ? smallestBlock : last.bytes.byteLength * 2;
    const size = Math.min(largestBlock, Math.max(smallestBlock, grown, wanted));
    const block = { kind, bytes: Buffer.allocUnsafeSlow(size), used: 0 };
    this.#blocks.push(block);
    return block;
  }

  /** Drops whole blocks, and cuts the oldest one that remains, so that exactly the last `limit` bytes are kept. */
  #trim(): void {
    while (this.#size > this.#limit) {
      const first = this.#blocks[0];
      if (first === undefined) return;
      const excess = this.#size - this.#limit;
      if (first.used <= excess) {
        this.#blocks.shift();
        this.#size -= first.used;
        continue;
      }
      const kept = first.bytes.subarray(excess, first.used);
      this.#blocks[0] = { kind: first.kind, bytes: kept, used: kept.byteLength };
      this.#size -= excess;
    }
  }
}
