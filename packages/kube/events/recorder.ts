import type { Client } from '../client/contract.ts';
import { type Clock, systemClock } from '../clock.ts';
import { isAlreadyExists, isNotFound, KubeError } from '../errors.ts';
import type { Kind } from '../kind.ts';
import { Event } from '../kinds/index.ts';
import type { Frozen, KubeObject } from '../object.ts';
import { microTimestamp } from '../time.ts';
import { TokenBucket } from '../transport/rate-limit.ts';
import { pause } from '../write/pause.ts';
import { type EventInput, eventKey, newEvent, referenceTo } from './event.ts';

export interface EventRecorderOptions {
  readonly client: Client;
  /** Who speaks, as `example.com/pool-controller`. */
  readonly controller: string;
  /** Which replica of it: the pod's name. */
  readonly instance: string;
  readonly clock?: Clock;
  /** Writes to the API server, of all events together. Default 20 a second, 50 at once. */
  readonly rate?: { readonly perSecond: number; readonly burst: number };
  /** Events that wait to be written; what comes beyond is dropped and counted. Default 1000. */
  readonly queueLimit?: number;
  /** For how long a repetition is counted in the event that is there, instead of making another. Default 6 minutes. */
  readonly windowMs?: number;
  /** How often a running series is written again. Default 1 minute. */
  readonly seriesMs?: number;
  /** Told about every event that was lost, and why. Must not throw. */
  readonly onLost?: (reason: string, error?: unknown) => void;
}

interface Series {
  readonly key: string;
  readonly event: Event & { metadata: { name: string; namespace: string } };
  count: number;
  lastSeen: number;
  /** What the API server has: 0 before the event was created. */
  written: number;
  state: 'idle' | 'queued' | 'writing';
}

/** A write that meets an unreachable server is tried this often before the event counts as lost. */
const attempts = 5;
const retryMs = 2_000;

/**
 * Tells people what a controller does, by events of events.k8s.io/v1. Never blocks and never fails its caller: `emit`
 * only queues. A repetition (same object, reason, action and type) within the window is counted in the series of
 * the event that is there; the first repetition is written at once, later ones once per `seriesMs`.
 */
export class EventRecorder {
  readonly #options: EventRecorderOptions;
  readonly #clock: Clock;
  readonly #bucket: TokenBucket;
  readonly #series = new Map<string, Series>();
  readonly #queue: Series[] = [];
  readonly #abort = new AbortController();
  #running: Promise<void> | undefined;
  #cancelSweep: (() => void) | undefined;
  #closed = false;
  #lost = 0;

  constructor(options: EventRecorderOptions) {
    this.#options = options;
    this.#clock = options.clock ?? systemClock;
    this.#bucket = new TokenBucket(options.rate ?? { perSecond: 20, burst: 50 }, this.#clock);
  }

  /** How many events were dropped or could not be written. */
  get lost(): number {
    return this.#lost;
  }

  emit(kind: Kind, regarding: Frozen<KubeObject>, input: EventInput): void {
    if (this.#closed) {
      this.#lose('the recorder is closed');
      return;
    }
    const now = this.#clock.now();
    const reference = referenceTo(kind, regarding);
    const key = eventKey(reference, input);
    const known = this.#series.get(key);
    if (known && now - known.lastSeen <= this.#window) {
      known.count += 1;
      known.lastSeen = now;
      if (known.written === 1) this.#enqueue(known);
      return;
    }
    if (this.#queue.length >= (this.#options.queueLimit ?? 1000)) {
      this.#lose('too many events wait to be written');
      return;
    }
    const series: Series = {
      key,
      event: newEvent(reference, input, this.#options, now),
      count: 1,
      lastSeen: now,
      written: 0,
      state: 'idle',
    };
    this.#series.set(key, series);
    this.#enqueue(series);
    this.#scheduleSweep();
  }

  /** Writes what waits, open series included, for at most `drainMs`; what is left then is lost, and counted. */
  async close({ drainMs = 5_000 }: { readonly drainMs?: number } = {}): Promise<void> {
    if (this.#closed) return this.#running;
    this.#closed = true;
    this.#cancelSweep?.();
    for (const series of this.#series.values()) if (series.count > series.written) this.#enqueue(series);
    this.#series.clear();
    const cancel = this.#clock.after(drainMs, () => this.#abort.abort(), { unref: true });
    await this.#running;
    cancel();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  get #window(): number {
    return this.#options.windowMs ?? 360_000;
  }

  #enqueue(series: Series): void {
    if (series.state !== 'idle') return;
    series.state = 'queued';
    this.#queue.push(series);
    this.#running ??= this.#run();
  }

  /** One write at a time: events are never worth more than one connection. */
  async #run(): Promise<void> {
    for (let series = this.#queue.shift(); series; series = this.#queue.shift()) {
      series.state = 'writing';
      try {
        const wait = this.#bucket.reserve();
        if (wait > 0) await pause(this.#clock, wait, this.#abort.signal);
        await this.#write(series);
        series.state = 'idle';
        // What was repeated meanwhile: the first repetition is told at once, and on closing there is no later.
        if (series.count > series.written && (series.written === 1 || this.#closed)) this.#enqueue(series);
      } catch (error) {
        this.#series.delete(series.key);
        this.#lose(`the event ${series.event.reason} of ${series.event.regarding?.name} could not be written`, error);
      }
    }
    // In the same turn in which the queue was found empty, so that nobody is queued behind a loop that has ended.
    this.#running = undefined;
  }

  async #write(series: Series): Promise<void> {
    for (let attempt = 1; ; attempt += 1) {
      try {
        await this.#writeOnce(series);
        return;
      } catch (error) {
        if (!isPassing(error) || attempt >= attempts) throw error;
        await pause(this.#clock, retryMs, this.#abort.signal);
      }
    }
  }

  async #writeOnce(series: Series): Promise<void> {
    const { event, count, lastSeen, written } = series;
    const body = count === 1 ? event : { ...event, series: { count, lastObservedTime: microTimestamp(lastSeen) } };
    const options = { signal: this.#abort.signal };
    const { name, namespace } = event.metadata;
    if (written > 0) {
      try {
        await this.#options.client.patch(Event, { name, namespace }, { merge: { series: body.series } }, options);
        series.written = count;
        return;
      } catch (error) {
        // The server forgets events after an hour; the series then goes on in a new one of the same name.
        if (!isNotFound(error)) throw error;
      }
    }
    try {
      await this.#options.client.create(Event, body, options);
      series.written = count;
    } catch (error) {
      // An answer that was lost on the way: the event is there, in the form of its first try.
      if (!isAlreadyExists(error)) throw error;
      series.written = 1;
    }
  }

  #scheduleSweep(): void {
    if (this.#cancelSweep) return;
    this.#cancelSweep = this.#clock.after(this.#options.seriesMs ?? 60_000, () => this.#sweep(), { unref: true });
  }

  #sweep(): void {
    this.#cancelSweep = undefined;
    const now = this.#clock.now();
    for (const [key, series] of this.#series) {
      if (series.count > series.written) this.#enqueue(series);
      if (now - series.lastSeen > this.#window) this.#series.delete(key);
    }
    if (this.#series.size > 0) this.#scheduleSweep();
  }

  #lose(reason: string, error?: unknown): void {
    this.#lost += 1;
    this.#options.onLost?.(reason, error);
  }
}

/** Whether the same write may succeed in a moment. A refusal (RBAC, a namespace that goes) will not. */
function isPassing(error: unknown): boolean {
  if (!(error instanceof KubeError)) return false;
  return ['unreachable', 'connection-lost', 'timeout', 'unavailable', 'too-many-requests', 'server-error'].includes(
    error.code,
  );
}
