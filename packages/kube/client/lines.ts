import { KubeError } from '../errors.ts';

const newline = 0x0a;
/** Far above what an API server stores in one object; a line beyond it is no watch and no log. */
const defaultLimit = 256 * 1024 * 1024;

/**
 * Cuts chunks into lines, whatever the chunks are: a line may span many of them and a character may lie across two.
 * Each byte is looked at once, and only whole lines are decoded.
 */
export class LineSplitter {
  readonly #limit: number;
  #parts: Buffer[] = [];
  #held = 0;

  constructor(limit = defaultLimit) {
    this.#limit = limit;
  }

  /** True when the input ended in the middle of a line. */
  get pending(): boolean {
    return this.#held > 0;
  }

  /** The whole lines that this chunk completes, without their newline. */
  *push(chunk: Buffer): Generator<Buffer, void> {
    let start = 0;
    for (let end = chunk.indexOf(newline); end >= 0; end = chunk.indexOf(newline, start)) {
      const rest = chunk.subarray(start, end);
      start = end + 1;
      yield this.#held === 0 ? rest : this.#join(rest);
    }
    if (start < chunk.length) this.#hold(chunk.subarray(start));
  }

  /** What is left when the input is over. */
  flush(): Buffer {
    return this.#join(Buffer.alloc(0));
  }

  #join(last: Buffer): Buffer {
    this.#parts.push(last);
    const line = Buffer.concat(this.#parts, this.#held + last.length);
    this.#parts = [];
    this.#held = 0;
    return line;
  }

  #hold(part: Buffer): void {
    this.#parts.push(part);
    this.#held += part.length;
    if (this.#held > this.#limit) {
      throw new KubeError(
        'bad-response',
        `The server sent a line longer than ${this.#limit} bytes. Check that the address is that of an API server.`,
      );
    }
  }
}
