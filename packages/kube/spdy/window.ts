/**
 * How much may still be sent, on one stream or on the whole session. Kubernetes' own SPDY peers neither send window
 * updates nor heed ours, so a window binds only once the peer has shown that it keeps one; what was sent before counts.
 */
export class SendWindow {
  #left: number;
  #waiters: (() => void)[] = [];

  constructor(initial: number) {
    this.#left = initial;
  }

  get left(): number {
    return this.#left;
  }

  use(bytes: number): void {
    this.#left -= bytes;
  }

  /** A new initial size (by the difference) or a window update. */
  grow(delta: number): void {
    this.#left += delta;
    if (this.#left <= 0) return;
    this.wake();
  }

  /** Resolves when the window may have opened; look again. */
  opened(): Promise<void> {
    return new Promise((resolve) => this.#waiters.push(resolve));
  }

  wake(): void {
    const waiters = this.#waiters;
    this.#waiters = [];
    for (const waiter of waiters) waiter();
  }
}
