import type { KubeError } from '../errors.ts';

/** What the queue asks of whoever feeds it. */
export interface Tap {
  pause(): void;
  resume(): void;
  /** The reader is gone: free the connection. */
  cancel(): void;
}

/** Bytes that wait for a reader before the socket is paused. */
const highWater = 256 * 1024;

type Waiter = { resolve: (result: IteratorResult<Buffer, undefined>) => void; reject: (error: KubeError) => void };

/** Chunks on their way from a socket to one reader: pushed by the parser, pulled by `for await`, paused in between. */
export class ByteQueue implements AsyncIterableIterator<Buffer, undefined> {
  readonly #tap: Tap;
  readonly #chunks: Buffer[] = [];
  #next = 0;
  #buffered = 0;
  #waiter: Waiter | undefined;
  #ended = false;
  #error: KubeError | undefined;

  constructor(tap: Tap) {
    this.#tap = tap;
  }

  push(chunk: Buffer): void {
    if (this.#ended) return;
    if (this.#waiter) {
      this.#settle({ done: false, value: chunk });
      return;
    }
    this.#chunks.push(chunk);
    this.#buffered += chunk.length;
    if (this.#buffered >= highWater) this.#tap.pause();
  }

  /** What was received before is still handed out, then the end or the error. */
  end(error?: KubeError): void {
    if (this.#ended) return;
    this.#ended = true;
    this.#error = error;
    const waiter = this.#waiter;
    this.#waiter = undefined;
    if (error) waiter?.reject(error);
    else waiter?.resolve({ done: true, value: undefined });
    if (waiter) this.#error = undefined;
  }

  /** Drops what nobody will read. */
  discard(): void {
    this.#chunks.length = 0;
    this.#next = 0;
    this.#buffered = 0;
    this.#error = undefined;
    this.end();
  }

  next(): Promise<IteratorResult<Buffer, undefined>> {
    const chunk = this.#chunks[this.#next];
    if (chunk !== undefined) {
      this.#take(chunk);
      return Promise.resolve({ done: false, value: chunk });
    }
    if (this.#error) {
      const error = this.#error;
      this.#error = undefined;
      return Promise.reject(error);
    }
    if (this.#ended) return Promise.resolve({ done: true, value: undefined });
    return new Promise((resolve, reject) => {
      this.#waiter = { resolve, reject };
    });
  }

  return(): Promise<IteratorResult<Buffer, undefined>> {
    this.#tap.cancel();
    return Promise.resolve({ done: true, value: undefined });
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  #take(chunk: Buffer): void {
    const wasFull = this.#buffered >= highWater;
    this.#buffered -= chunk.length;
    this.#next += 1;
    if (this.#next === this.#chunks.length) {
      this.#chunks.length = 0;
      this.#next = 0;
    }
    if (wasFull && this.#buffered < highWater && !this.#ended) this.#tap.resume();
  }

  #settle(result: IteratorResult<Buffer, undefined>): void {
    const waiter = this.#waiter;
    this.#waiter = undefined;
    waiter?.resolve(result);
  }
}
