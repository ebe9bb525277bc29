import { type Clock, systemClock } from '@sandbank/kube';
import { StoreError } from './errors.ts';
import type { HistoryLimits } from './history.ts';
import type { Log, Row } from './log.ts';
import { State } from './state.ts';
import type {
  Entry,
  ListOptions,
  Outcome,
  Page,
  Store,
  StoreEvent,
  StoreStats,
  Watch,
  WatchOptions,
  Write,
} from './store.ts';
import { WatchHub } from './watch-hub.ts';

/** A commit takes this much at most, so that one failure fails few writers and the memory in flight is bounded. */
const commitLimit = { rows: 1000, bytes: 4 * 1024 * 1024 };
/** How often age is looked at, and how far the log's own compaction may lag behind the memory's. */
const compaction = { everyMs: 15_000, lag: 10_000 };

export interface LogStoreOptions {
  readonly clock?: Clock | undefined;
  readonly history?: Partial<HistoryLimits> | undefined;
}

interface Pending {
  readonly write: Write;
  readonly outcome: PromiseWithResolvers<Outcome>;
  /** Resolves however it ended: the next writer of the key looks again then. */
  readonly settled: PromiseWithResolvers<void>;
}

/**
 * The store over any log. Writers meet here:
 *
 * 1. A write whose precondition holds against the durable state joins the queue; one that fails is answered at once.
 * 2. A key has at most one write under way. Whoever else writes it waits for that one to be durable or to fail, and then
 *    looks again, so no answer ever rests on something that may still vanish, and commits do not depend on each other.
 * 3. While one commit is at the log, all that arrive form the next one: they share its fsync.
 * 4. When the log says durable, and not before, the rows enter the state, watches see them, and the writers are answered.
 *    When it says no, the writers get its error; there is nothing to roll back.
 */
export class LogStore implements Store {
  readonly #log: Log;
  readonly #clock: Clock;
  readonly #state: State;
  readonly #hub: WatchHub;
  readonly #pending = new Map<string, Pending>();
  #queue: Pending[] = [];
  #flush: 'idle' | 'scheduled' | 'running' = 'idle';
  #idle: PromiseWithResolvers<void> | undefined;
  #closing: Promise<void> | undefined;
  #compactedLog = 0;
  #stopTimer: () => void = () => {};
  #commits = 0;
  #writes = 0;

  private constructor(log: Log, options: LogStoreOptions) {
    this.#log = log;
    this.#clock = options.clock ?? systemClock;
    this.#state = new State({ ageMs: 5 * 60_000, bytes: 64 * 1024 * 1024, ...options.history });
    this.#hub = new WatchHub(this.#state);
  }

  static async open(log: Log, options: LogStoreOptions = {}): Promise<LogStore> {
    const store = new LogStore(log, options);
    const state = store.#state;
    const head = await log.load((rows, { compacted }) => {
      state.startAt({ revision: 0, compacted });
      for (const row of rows) state.apply(row);
    });
    state.startAt(head);
    store.#compactedLog = head.compacted;
    store.#tick();
    return store;
  }

  get revision(): number {
    return this.#state.revision;
  }

  get compacted(): number {
    return this.#state.compacted;
  }

  get(key: string): Entry | undefined {
    return this.#state.get(key);
  }

  list(prefix: string, options: ListOptions = {}): Page {
    return this.#state.list(prefix, options);
  }

  count(prefix: string): number {
    return this.#state.count(prefix);
  }

  watch(prefix: string, options: WatchOptions = {}): Watch {
    this.#checkOpen();
    return this.#hub.watch(prefix, options);
  }

  async txn(write: Write): Promise<Outcome> {
    checkWrite(write);
    for (;;) {
      this.#checkOpen();
      const ahead = this.#pending.get(write.key);
      if (!ahead) break;
      await ahead.settled.promise;
    }
    const current = this.#state.get(write.key);
    if (!allowed(write, current)) return { ok: false, current };
    const pending: Pending = { write, outcome: Promise.withResolvers(), settled: Promise.withResolvers() };
    this.#pending.set(write.key, pending);
    this.#queue.push(pending);
    this.#schedule();
    return pending.outcome.promise;
  }

  compact(revision: number): void {
    this.#checkOpen();
    this.#state.compact(revision);
    this.#compactLog(0);
  }

  async backup(file?: string): Promise<string> {
    this.#checkOpen();
    return this.#log.backup(file);
  }

  stats(): StoreStats {
    const { revision, compacted, size, history } = this.#state;
    return {
      revision,
      compacted,
      keys: size,
      historyEvents: history.length,
      historyBytes: history.bytes,
      watches: this.#hub.size,
      commits: this.#commits,
      writes: this.#writes,
    };
  }

  close(): Promise<void> {
    this.#closing ??= this.#drain();
    return this.#closing;
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  async #drain(): Promise<void> {
    this.#stopTimer();
    if (this.#flush !== 'idle') {
      this.#idle = Promise.withResolvers();
      await this.#idle.promise;
    }
    this.#hub.close();
    this.#compactLog(0);
    await this.#log.close();
  }

  /** Waits for the end of the present turn of the event loop, so that requests that arrived together commit together. */
  #schedule(): void {
    if (this.#flush !== 'idle') return;
    this.#flush = 'scheduled';
    setImmediate(() => void this.#run());
  }

  async #run(): Promise<void> {
    this.#flush = 'running';
    while (this.#queue.length > 0) {
      const { writers, rows } = this.#take();
      if (rows.length === 0) continue;
      try {
        await this.#log.append(rows);
      } catch (error) {
        for (const writer of writers) this.#settle(writer, () => writer.outcome.reject(error));
        continue;
      }
      this.#publish(writers, rows);
    }
    this.#flush = 'idle';
    this.#idle?.resolve();
  }

  /** Gives revisions to the head of the queue. A writer whose value cannot be made fails alone. */
  #take(): { writers: Pending[]; rows: Row[] } {
    const writers: Pending[] = [];
    const rows: Row[] = [];
    const at = this.#clock.now();
    let revision = this.#state.revision;
    let bytes = 0;
    let taken = 0;
    for (const pending of this.#queue) {
      if (rows.length >= commitLimit.rows || bytes >= commitLimit.bytes) break;
      taken++;
      const { write } = pending;
      try {
        const value = write.type === 'delete' ? null : textOf(write, revision + 1);
        const replaces = this.#state.get(write.key)?.revision ?? null;
        rows.push({ revision: ++revision, key: write.key, value, replaces, at });
        writers.push(pending);
        bytes += value?.length ?? 0;
      } catch (error) {
        this.#settle(pending, () => pending.outcome.reject(error));
      }
    }
    this.#queue = this.#queue.slice(taken);
    return { writers, rows };
  }

  #publish(writers: readonly Pending[], rows: readonly Row[]): void {
    const events: StoreEvent[] = rows.map((row) => this.#state.apply(row));
    this.#commits++;
    this.#writes += rows.length;
    this.#hub.publish(events);
    for (const [index, writer] of writers.entries()) {
      const { revision, entry, previous } = events[index] as StoreEvent;
      const outcome = { ok: true, revision, ...(entry && { entry }), ...(previous && { previous }) } as const;
      this.#settle(writer, () => writer.outcome.resolve(outcome));
    }
    this.#state.trim(this.#clock.now());
    this.#compactLog(compaction.lag);
  }

  #settle(pending: Pending, answer: () => void): void {
    this.#pending.delete(pending.write.key);
    answer();
    pending.settled.resolve();
  }

  #tick(): void {
    this.#state.trim(this.#clock.now());
    this.#compactLog(0);
    this.#stopTimer = this.#clock.after(compaction.everyMs, () => this.#tick(), { unref: true });
  }

  #compactLog(lag: number): void {
    if (this.#state.compacted <= this.#compactedLog + lag) return;
    this.#compactedLog = this.#state.compacted;
    this.#log.compact(this.#state.compacted);
  }

  #checkOpen(): void {
    if (this.#closing) throw new StoreError('closed', 'The store was closed.');
  }
}

function allowed(write: Write, current: Entry | undefined): boolean {
  switch (write.type) {
    case 'create':
      return current === undefined;
    case 'put':
      return write.ifRevision === undefined || current?.revision === write.ifRevision;
    case 'delete':
      return current !== undefined && (write.ifRevision === undefined || current.revision === write.ifRevision);
  }
}

function checkWrite(write: Write): void {
  if (write.key === '' || !write.key.isWellFormed()) {
    throw new StoreError('bad-input', 'A key is well-formed text that is not empty.');
  }
}

/** Lone surrogates cannot be stored as UTF-8, and would come back from the disk as something else. */
function textOf(write: Exclude<Write, { type: 'delete' }>, revision: number): string {
  const value = typeof write.value === 'string' ? write.value : write.value(revision);
  if (!value.isWellFormed()) throw new StoreError('bad-input', `The value of ${write.key} is not well-formed Unicode.`);
  return value;
}
