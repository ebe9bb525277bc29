import { decodeContinue, encodeContinue } from './continue.ts';
import { StoreError } from './errors.ts';
import { History, type HistoryLimits } from './history.ts';
import type { LogHead, Row } from './log.ts';
import { prefixEnd, SortedKeys } from './sorted-keys.ts';
import type { Entry, ListOptions, Page, StoreEvent } from './store.ts';

/**
 * What is durable, in memory: the current entries, and the events that lead back to the compacted revision. All reads are
 * answered here. A list of the past starts from the present and undoes the events since, which costs what happened since,
 * not what is stored.
 */
export class State {
  readonly #entries = new Map<string, Entry>();
  readonly #keys = new SortedKeys();
  readonly history: History;
  #revision = 0;
  #compacted = 0;

  constructor(limits: HistoryLimits) {
    this.history = new History(limits);
  }

  get revision(): number {
    return this.#revision;
  }

  get compacted(): number {
    return this.#compacted;
  }

  get size(): number {
    return this.#entries.size;
  }

  get(key: string): Entry | undefined {
    return this.#entries.get(key);
  }

  count(prefix: string): number {
    return this.#keys.count(prefix, prefixEnd(prefix));
  }

  apply(row: Row): StoreEvent {
    const { key, revision } = row;
    const previous = this.#entries.get(key);
    let entry: Entry | undefined;
    if (row.value === null) {
      this.#entries.delete(key);
      this.#keys.delete(key);
    } else {
      entry = { key, value: row.value, revision };
      this.#entries.set(key, entry);
      if (!previous) this.#keys.add(key);
    }
    this.#revision = revision;
    const type = !entry ? 'delete' : previous ? 'update' : 'create';
    const event: StoreEvent = { revision, type, key, entry, previous };
    if (revision > this.#compacted) this.history.push(event, row.at);
    return event;
  }

  /**
   * Before the rows of a log, so that those up to the compacted revision make no history; and after them, because a log may
   * be ahead of its rows: after a restore, revisions start well above those that clients may remember.
   */
  startAt(head: LogHead): void {
    this.#revision = Math.max(this.#revision, head.revision);
    this.#compacted = Math.max(this.#compacted, head.compacted);
  }

  compact(revision: number): void {
    if (!Number.isSafeInteger(revision) || revision > this.#revision) {
      throw new StoreError('future-revision', `Cannot compact at ${revision}: the store is at ${this.#revision}.`);
    }
    this.#compacted = Math.max(this.#compacted, revision);
    this.history.dropThrough(this.#compacted);
  }

  trim(now: number): void {
    this.#compacted = this.history.trim(now) ?? this.#compacted;
  }

  /** Throws when nothing can be told about what happened after this revision. */
  checkRevision(revision: number): void {
    if (!Number.isSafeInteger(revision) || revision < 0) {
      throw new StoreError('bad-input', `A revision is a whole number, not ${revision}.`);
    }
    if (revision < this.#compacted) {
      throw new StoreError(
        'compacted',
        `Revision ${revision} is too old: history before ${this.#compacted} was compacted. List again and go on from there.`,
      );
    }
    if (revision > this.#revision) {
      throw new StoreError(
        'future-revision',
        `Revision ${revision} is ahead of this store, which is at ${this.#revision}.`,
      );
    }
  }

  list(prefix: string, options: ListOptions): Page {
    const { limit = Number.POSITIVE_INFINITY } = options;
    if (!(limit > 0)) throw new StoreError('bad-input', `The limit of a list is a positive number, not ${limit}.`);
    const at = options.continue === undefined ? undefined : decodeContinue(options.continue, prefix);
    const revision = at?.revision ?? options.revision ?? this.#revision;
    this.checkRevision(revision);
    const end = prefixEnd(prefix);
    const past = this.#undo(prefix, at?.after, revision);
    const entries: Entry[] = [];
    let last = at?.after;
    for (const entry of this.#merge(at ? `${at.after}\0` : prefix, end, past)) {
      if (entries.length >= limit) {
        const after = last as string;
        const remaining = this.#remaining(after, end, past);
        return { entries, revision, continue: encodeContinue({ revision, after }), remaining };
      }
      entries.push(entry);
      last = entry.key;
    }
    return { entries, revision, remaining: 0 };
  }

  /** The keys that changed since the revision, with what they held then. */
  #undo(prefix: string, after: string | undefined, revision: number): Map<string, Entry | undefined> {
    const past = new Map<string, Entry | undefined>();
    if (revision === this.#revision) return past;
    for (const event of this.history.back(revision)) {
      if (event.key.startsWith(prefix) && (after === undefined || event.key > after))
        past.set(event.key, event.previous);
    }
    return past;
  }

  *#merge(from: string, end: string, past: ReadonlyMap<string, Entry | undefined>): Generator<Entry, void> {
    const gone = [...past.keys()].filter((key) => past.get(key) && !this.#entries.has(key)).sort(byCodeUnits);
    let next = 0;
    for (const key of this.#keys.from(from)) {
      if (key >= end) break;
      for (; next < gone.length && (gone[next] as string) < key; next++) yield past.get(gone[next] as string) as Entry;
      const entry = past.has(key) ? past.get(key) : this.#entries.get(key);
      if (entry) yield entry;
    }
    for (; next < gone.length; next++) yield past.get(gone[next] as string) as Entry;
  }

  #remaining(after: string, end: string, past: ReadonlyMap<string, Entry | undefined>): number {
    let remaining = this.#keys.count(`${after}\0`, end);
    for (const [key, then] of past) {
      if (key > after) remaining += Number(then !== undefined) - Number(this.#entries.has(key));
    }
    return remaining;
  }
}

const byCodeUnits = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);
