import type { Clock } from '../clock.ts';
import { systemClock } from '../clock.ts';

export interface RateLimit {
  /** Requests per second in the long run. */
  readonly perSecond: number;
  /** How many may go at once after a quiet time. */
  readonly burst: number;
}

/** A token bucket that hands out reservations: each caller learns how long to wait, in the order of asking. */
export class TokenBucket {
  readonly #perMs: number;
  readonly #burst: number;
  readonly #clock: Clock;
  #tokens: number;
  #at: number;

  constructor(limit: RateLimit, clock: Clock = systemClock) {
    if (!(limit.perSecond > 0) || !(limit.burst >= 1)) {
      throw new RangeError(`rate limit needs perSecond > 0 and burst >= 1, got ${limit.perSecond} and ${limit.burst}`);
    }
    this.#perMs = limit.perSecond / 1000;
    this.#burst = limit.burst;
    this.#clock = clock;
    this.#tokens = limit.burst;
    this.#at = clock.monotonic();
  }

  /** Milliseconds to wait before going; the token is taken already. */
  reserve(): number {
    const now = this.#clock.monotonic();
    this.#tokens = Math.min(this.#burst, this.#tokens + (now - this.#at) * this.#perMs) - 1;
    this.#at = now;
    return this.#tokens >= 0 ? 0 : -this.#tokens / this.#perMs;
  }

  /** Gives a token back that will not be used: its caller gave up while waiting. */
  release(): void {
    this.#tokens = Math.min(this.#burst, this.#tokens + 1);
  }
}
