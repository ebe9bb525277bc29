/**
 * Long work in short slices. Decoding 10,000 objects takes most of a second; done in one go it would hold up every
 * timer and socket of the process. So whoever decodes asks `spent` between two objects and awaits `next()` when it is.
 *
 * One instance serves the whole process: immediates that are queued in one turn of the event loop all run in that turn,
 * so twenty reflectors with a slice each would add up. Here one of them gets a slice per turn; the others wait in line.
 */
export class Turns {
  readonly #sliceMs: number;
  #until = 0;
  #scheduled = false;
  #waiting: (() => void)[] = [];

  constructor(sliceMs: number) {
    this.#sliceMs = sliceMs;
  }

  get spent(): boolean {
    return performance.now() >= this.#until;
  }

  /** Resolves in a later turn of the event loop, with a fresh slice. First come, first served. */
  next(): Promise<void> {
    return new Promise((resolve) => {
      this.#waiting.push(resolve);
      this.#schedule();
    });
  }

  #schedule(): void {
    if (this.#scheduled) return;
    this.#scheduled = true;
    setImmediate(() => {
      this.#scheduled = false;
      this.#until = performance.now() + this.#sliceMs;
      this.#waiting.shift()?.();
      if (this.#waiting.length > 0) this.#schedule();
    });
  }
}

/** 1 ms: the turns of a busy loop stay near those of an idle one, and the overhead of a turn (about 10 µs) stays small. */
export const turns: Turns = new Turns(1);
