export interface BackoffOptions {
  readonly baseMs?: number;
  readonly maxMs?: number;
  readonly random?: () => number;
}

/** Doubling waits, each somewhere between half and all of its step, so that many clients of one server spread out. */
export class Backoff {
  readonly #baseMs: number;
  readonly #maxMs: number;
  readonly #random: () => number;
  #failures = 0;

  constructor({ baseMs = 100, maxMs = 10_000, random = Math.random }: BackoffOptions = {}) {
    this.#baseMs = baseMs;
    this.#maxMs = maxMs;
    this.#random = random;
  }

  get failures(): number {
    return this.#failures;
  }

  next(): number {
    const step = Math.min(this.#maxMs, this.#baseMs * 2 ** Math.min(this.#failures, 30));
    this.#failures++;
    return step * (0.5 + this.#random() / 2);
  }

  reset(): void {
    this.#failures = 0;
  }
}
