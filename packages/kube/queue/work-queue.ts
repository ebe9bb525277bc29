import TinyQueue from 'tinyqueue';
import { type Clock, systemClock } from '../clock.ts';

export interface AddOptions {
  /** Higher goes first. A key that is waiting already keeps the higher of the two. Default 0. */
  readonly priority?: number | undefined;
  /** Milliseconds until it may be taken. A key that is waiting already keeps the earlier of the two. Default 0. */
  readonly afterMs?: number | undefined;
}

/** What a queue tells whoever measures it. Durations in milliseconds. */
export interface QueueObserver {
  added(): void;
  retried(): void;
  /** The number of keys that could be taken now has changed. */
  depth(ready: number): void;
  started(key: string, waitedMs: number): void;
  finished(key: string, workedMs: number): void;
}

export interface WorkQueueOptions {
  readonly clock?: Clock | undefined;
  readonly random?: (() => number) | undefined;
  /** The wait after the first failure; it doubles with each further one. Default 5 ms. */
  readonly retryBaseMs?: number | undefined;
  /** Default 60 s: what nobody finished must be tried again well within the two minutes that leftovers may live. */
  readonly retryMaxMs?: number | undefined;
  readonly observer?: QueueObserver | undefined;
}

interface Entry {
  readonly key: string;
  priority: number;
  /** By the monotonic clock. */
  readyAt: number;
  order: number;
  since: number;
  /** Where it stands. An entry in another heap than its place says is a leftover, and skipped there. */
  place: 'ready' | 'delayed' | 'behind' | 'gone';
}

interface Slot {
  readonly entry: Entry;
  readonly priority: number;
  readonly readyAt: number;
  readonly order: number;
}

/**
 * Keys to look at, for any number of workers. A key says only "look again": however often it is added, it waits once,
 * and it is never in two hands at a time. Added while it is being worked on, it waits until that is done.
 */
export class WorkQueue {
  readonly #clock: Clock;
  readonly #random: () => number;
  readonly #retryBaseMs: number;
  readonly #retryMaxMs: number;
  readonly #observer: QueueObserver | undefined;
  readonly #entries = new Map<string, Entry>();
  readonly #working = new Map<string, number>();
  readonly #failures = new Map<string, number>();
  readonly #ready = new TinyQueue<Slot>([], (a, b) => b.priority - a.priority || a.order - b.order);
  readonly #delayed = new TinyQueue<Slot>([], (a, b) => a.readyAt - b.readyAt || a.order - b.order);
  #readyCount = 0;
  #order = 0;
  #takers: ((key: string | undefined) => void)[] = [];
  #timer: { readonly at: number; readonly cancel: () => void } | undefined;
  #closed = false;
  #drained: (() => void)[] = [];

  constructor(options: WorkQueueOptions = {}) {
    this.#clock = options.clock ?? systemClock;
    this.#random = options.random ?? Math.random;
    this.#retryBaseMs = options.retryBaseMs ?? 5;
    this.#retryMaxMs = options.retryMaxMs ?? 60_000;
    this.#observer = options.observer;
  }

  /** Keys that could be taken now. */
  get depth(): number {
    return this.#readyCount;
  }

  /** Keys that wait for their time, for their turn, or for a worker to be done with them. */
  get waiting(): number {
    return this.#entries.size;
  }

  /** When each key that is being worked on was taken, by the monotonic clock. */
  get working(): ReadonlyMap<string, number> {
    return this.#working;
  }

  get closed(): boolean {
    return this.#closed;
  }

  add(key: string, { priority = 0, afterMs = 0 }: AddOptions = {}): void {
    if (this.#closed) return;
    const now = this.#clock.monotonic();
    const readyAt = now + Math.max(0, afterMs);
    const known = this.#entries.get(key);
    if (!known) {
      this.#observer?.added();
      const entry: Entry = { key, priority, readyAt, order: 0, since: readyAt, place: 'gone' };
      this.#entries.set(key, entry);
      this.#put(entry, now);
    } else if (readyAt < known.readyAt || priority > known.priority) {
      known.priority = Math.max(known.priority, priority);
      if (readyAt < known.readyAt) {
        known.readyAt = readyAt;
        known.since = readyAt;
      }
      this.#put(known, now);
    }
    this.#serve();
  }

  /** Adds after a wait that doubles with each call, until `forget`. */
  retry(key: string, { priority }: Pick<AddOptions, 'priority'> = {}): number {
    const failures = this.#failures.get(key) ?? 0;
    this.#failures.set(key, failures + 1);
    this.#observer?.retried();
    const step = Math.min(this.#retryMaxMs, this.#retryBaseMs * 2 ** Math.min(failures, 40));
    // Up to a tenth less: keys that failed together need not come back together.
    const afterMs = step * (1 - this.#random() / 10);
    this.add(key, { priority, afterMs });
    return afterMs;
  }

  failures(key: string): number {
    return this.#failures.get(key) ?? 0;
  }

  /** The key is well again: its next failure waits as little as a first one. */
  forget(key: string): void {
    this.#failures.delete(key);
  }

  /** The next key, as soon as there is one; undefined when the queue is closed. Call `done` with it afterwards. */
  take(): Promise<string | undefined> {
    if (this.#closed) return Promise.resolve(undefined);
    return new Promise((resolve) => {
      this.#takers.push(resolve);
      this.#serve();
    });
  }

  done(key: string): void {
    const startedAt = this.#working.get(key);
    if (startedAt === undefined) return;
    this.#working.delete(key);
    const now = this.#clock.monotonic();
    this.#observer?.finished(key, now - startedAt);
    const entry = this.#entries.get(key);
    if (entry) this.#put(entry, now);
    this.#serve();
    if (this.#closed && this.#working.size === 0) for (const drained of this.#drained.splice(0)) drained();
  }

  /**
   * Takes and gives no more keys. Resolves when what is being worked on is done. What was waiting is dropped: keys are
   * only hints, and whoever starts next finds the same work in the cluster.
   */
  close(): Promise<void> {
    if (!this.#closed) {
      this.#closed = true;
      this.#timer?.cancel();
      this.#entries.clear();
      this.#count(-this.#readyCount);
      for (const taker of this.#takers.splice(0)) taker(undefined);
    }
    if (this.#working.size === 0) return Promise.resolve();
    return new Promise((resolve) => this.#drained.push(resolve));
  }

  #put(entry: Entry, now: number): void {
    const before = entry.place;
    const place = this.#working.has(entry.key) ? 'behind' : entry.readyAt <= now ? 'ready' : 'delayed';
    this.#count(Number(place === 'ready') - Number(before === 'ready'));
    entry.place = place;
    if (place === 'behind') return;
    // First come, first served from the moment it could be taken; a higher priority does not lose it its turn.
    if (before !== 'ready') entry.order = this.#order++;
    // A heap cannot move what is in it: the entry gets a new slot, and the old one no longer fits it.
    const slot: Slot = { entry, priority: entry.priority, readyAt: entry.readyAt, order: entry.order };
    (place === 'ready' ? this.#ready : this.#delayed).push(slot);
  }

  #serve(): void {
    const now = this.#clock.monotonic();
    this.#promote(now);
    while (this.#takers.length > 0 && this.#readyCount > 0) {
      const slot = this.#ready.pop();
      if (!slot) break;
      const { entry } = slot;
      if (!this.#fits(slot, 'ready')) continue;
      this.#entries.delete(entry.key);
      entry.place = 'gone';
      this.#count(-1);
      this.#working.set(entry.key, now);
      this.#observer?.started(entry.key, Math.max(0, now - entry.since));
      this.#takers.shift()?.(entry.key);
    }
    this.#wakeAtNext();
  }

  #promote(now: number): void {
    for (let slot = this.#delayed.peek(); slot; slot = this.#delayed.peek()) {
      const fits = this.#fits(slot, 'delayed');
      if (fits && slot.readyAt > now) return;
      this.#delayed.pop();
      if (fits) this.#put(slot.entry, now);
    }
  }

  #fits(slot: Slot, place: Entry['place']): boolean {
    const { entry } = slot;
    return (
      entry.place === place &&
      this.#entries.get(entry.key) === entry &&
      slot.priority === entry.priority &&
      slot.readyAt === entry.readyAt
    );
  }

  #wakeAtNext(): void {
    const at = this.#closed ? undefined : this.#delayed.peek()?.readyAt;
    if (this.#timer?.at === at) return;
    this.#timer?.cancel();
    this.#timer = undefined;
    if (at === undefined) return;
    const wait = Math.max(0, at - this.#clock.monotonic());
    const cancel = this.#clock.after(wait, () => {
      this.#timer = undefined;
      this.#serve();
    });
    this.#timer = { at, cancel };
  }

  #count(change: number): void {
    if (change === 0) return;
    this.#readyCount += change;
    this.#observer?.depth(this.#readyCount);
  }
}
