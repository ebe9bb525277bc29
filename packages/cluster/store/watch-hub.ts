import { StoreError } from './errors.ts';
import type { State } from './state.ts';
import type { StoreEvent, Watch, WatchOptions } from './store.ts';

/** The most events that one step of a watch hands out, so that catching up does not hold the event loop. */
const groupSize = 1000;

type Step = IteratorResult<readonly StoreEvent[], undefined>;
const end: Step = { done: true, value: undefined };

/**
 * Hands events to watches. A watch that waits is parked under its prefix, so an event is compared with each distinct prefix
 * once, however many watches share it; a watch that does not wait costs nothing and reads the history when it comes back.
 */
export class WatchHub {
  readonly #state: State;
  readonly #parked = new Map<string, Set<Cursor>>();
  readonly #open = new Set<Cursor>();

  constructor(state: State) {
    this.#state = state;
  }

  get size(): number {
    return this.#open.size;
  }

  watch(prefix: string, options: WatchOptions): Watch {
    const after = options.after ?? this.#state.revision;
    this.#state.checkRevision(after);
    const cursor: Cursor = new Cursor(this.#state, prefix, after, {
      park: () => this.#park(cursor),
      leave: () => {
        this.#unpark(cursor);
        this.#open.delete(cursor);
      },
    });
    this.#open.add(cursor);
    if (options.signal?.aborted) void cursor.return();
    else options.signal?.addEventListener('abort', () => void cursor.return(), { once: true });
    return cursor;
  }

  publish(events: readonly StoreEvent[]): void {
    for (const [prefix, cursors] of this.#parked) {
      const matching = events.filter((event) => event.key.startsWith(prefix));
      if (matching.length === 0) continue;
      this.#parked.delete(prefix);
      for (const cursor of cursors) cursor.deliver(matching);
    }
  }

  close(): void {
    for (const cursor of [...this.#open]) cursor.fail(new StoreError('closed', 'The store was closed.'));
  }

  #park(cursor: Cursor): void {
    const cursors = this.#parked.get(cursor.prefix);
    if (cursors) cursors.add(cursor);
    else this.#parked.set(cursor.prefix, new Set([cursor]));
  }

  #unpark(cursor: Cursor): void {
    const cursors = this.#parked.get(cursor.prefix);
    if (cursors?.delete(cursor) && cursors.size === 0) this.#parked.delete(cursor.prefix);
  }
}

class Cursor implements Watch {
  readonly prefix: string;
  readonly #state: State;
  readonly #hub: { park(): void; leave(): void };
  #place: number;
  #waiting: PromiseWithResolvers<Step> | undefined;
  #ended = false;
  #failure: StoreError | undefined;

  constructor(state: State, prefix: string, after: number, hub: { park(): void; leave(): void }) {
    this.#state = state;
    this.prefix = prefix;
    this.#place = after;
    this.#hub = hub;
  }

  get revision(): number {
    return this.#waiting ? this.#state.revision : this.#place;
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  async next(): Promise<Step> {
    if (this.#waiting) throw new StoreError('bad-input', 'A watch is read by one reader: the last read has not ended.');
    if (this.#failure) {
      const failure = this.#failure;
      this.#failure = undefined;
      throw failure;
    }
    if (this.#ended) return end;
    if (this.#place < this.#state.compacted) {
      this.#finish();
      this.#state.checkRevision(this.#place);
    }
    const events = this.#read();
    if (events.length > 0) return { done: false, value: events };
    this.#waiting = Promise.withResolvers<Step>();
    this.#hub.park();
    return this.#waiting.promise;
  }

  async return(): Promise<Step> {
    this.#finish();
    this.#settle((waiting) => waiting.resolve(end));
    return end;
  }

  deliver(events: readonly StoreEvent[]): void {
    this.#place = this.#state.revision;
    this.#settle((waiting) => waiting.resolve({ done: false, value: events }));
  }

  fail(error: StoreError): void {
    this.#finish();
    if (this.#waiting) this.#settle((waiting) => waiting.reject(error));
    else this.#failure = error;
  }

  #read(): StoreEvent[] {
    const events: StoreEvent[] = [];
    for (const event of this.#state.history.after(this.#place)) {
      if (!event.key.startsWith(this.prefix)) continue;
      events.push(event);
      if (events.length === groupSize) {
        this.#place = event.revision;
        return events;
      }
    }
    this.#place = this.#state.revision;
    return events;
  }

  #settle(how: (waiting: PromiseWithResolvers<Step>) => void): void {
    const waiting = this.#waiting;
    this.#waiting = undefined;
    if (waiting) how(waiting);
  }

  #finish(): void {
    this.#ended = true;
    this.#hub.leave();
  }
}
