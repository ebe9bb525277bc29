import type { StoreEvent } from './store.ts';

/** What an event costs beside the value that it keeps alive. Measured roughly; it bounds the number of small events. */
const overhead = 256;

export interface HistoryLimits {
  readonly ageMs: number;
  /** Bytes of replaced values and of bookkeeping; values that are still current cost nothing. */
  readonly bytes: number;
}

/** Events in order of revision, dropped from the old end. */
export class History {
  readonly #limits: HistoryLimits;
  #events: StoreEvent[] = [];
  #times: number[] = [];
  #start = 0;
  #bytes = 0;

  constructor(limits: HistoryLimits) {
    this.#limits = limits;
  }

  get length(): number {
    return this.#events.length - this.#start;
  }

  get bytes(): number {
    return this.#bytes;
  }

  push(event: StoreEvent, at: number): void {
    this.#events.push(event);
    this.#times.push(at);
    this.#bytes += costOf(event);
  }

  /** Drops what is too old or too much; returns the revision of the last event dropped. */
  trim(now: number): number | undefined {
    const oldest = now - this.#limits.ageMs;
    let dropped: number | undefined;
    while (this.length > 0 && (this.#bytes > this.#limits.bytes || (this.#times[this.#start] as number) < oldest)) {
      dropped = this.#shift();
    }
    return dropped;
  }

  dropThrough(revision: number): void {
    while (this.length > 0 && (this.#events[this.#start] as StoreEvent).revision <= revision) this.#shift();
  }

  *after(revision: number): Generator<StoreEvent, void> {
    for (let index = this.#indexAfter(revision); index < this.#events.length; index++) {
      yield this.#events[index] as StoreEvent;
    }
  }

  /** From the newest back to, and without, the given revision. */
  *back(revision: number): Generator<StoreEvent, void> {
    const first = this.#indexAfter(revision);
    for (let index = this.#events.length - 1; index >= first; index--) yield this.#events[index] as StoreEvent;
  }

  #shift(): number {
    const event = this.#events[this.#start] as StoreEvent;
    this.#bytes -= costOf(event);
    this.#start++;
    if (this.#start > 1024 && this.#start * 4 > this.#events.length) {
      this.#events = this.#events.slice(this.#start);
      this.#times = this.#times.slice(this.#start);
      this.#start = 0;
    }
    return event.revision;
  }

  #indexAfter(revision: number): number {
    let low = this.#start;
    let high = this.#events.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((this.#events[middle] as StoreEvent).revision <= revision) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}

function costOf(event: StoreEvent): number {
  return overhead + (event.previous?.value.length ?? 0);
}
