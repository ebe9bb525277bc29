import type { CacheSet } from '../cache/cache-set.ts';
import type { Client } from '../client/contract.ts';
import { type Clock, systemClock } from '../clock.ts';
import { isAlreadyExists, isConflict } from '../errors.ts';
import { parseKey } from '../object.ts';
import { type QueueObserver, WorkQueue } from '../queue/work-queue.ts';
import { type Logger, silentLogger } from './logger.ts';
import { Sources } from './sources.ts';
import type { ControllerSpec, ReconcileResult } from './spec.ts';

export type ReconcileOutcome = 'success' | 'error' | 'requeue' | 'requeue_after';

/** What a controller tells whoever measures it. */
export interface ControllerObserver {
  readonly queue: QueueObserver;
  reconciling(active: number): void;
  reconciled(outcome: ReconcileOutcome, durationMs: number): void;
}

export interface ControllerDeps {
  readonly caches: CacheSet;
  readonly client: Client;
  readonly clock?: Clock | undefined;
  readonly random?: (() => number) | undefined;
  readonly log?: Logger | undefined;
  readonly observer?: ControllerObserver | undefined;
}

/** Runs one declared controller: events become keys, keys become reconciles. */
export class Controller {
  readonly spec: ControllerSpec;
  readonly queue: WorkQueue;
  readonly #deps: ControllerDeps;
  readonly #clock: Clock;
  readonly #log: Logger;
  readonly #sources: Sources;
  readonly #conflicts = new Map<string, number>();
  readonly #abort = new AbortController();
  #workers: Promise<void>[] = [];
  #active = 0;
  #unsubscribe: (() => void) | undefined;

  /** Declares what it reads, so that the caches can start before it does. */
  constructor(spec: ControllerSpec, deps: ControllerDeps) {
    this.spec = spec;
    this.#deps = deps;
    this.#clock = deps.clock ?? systemClock;
    this.#log = deps.log ?? silentLogger;
    this.#sources = new Sources(spec, deps.caches);
    this.queue = new WorkQueue({ clock: this.#clock, random: deps.random, observer: deps.observer?.queue });
  }

  get started(): boolean {
    return this.#workers.length > 0;
  }

  /** Call when the caches have synced. */
  start(): void {
    this.#unsubscribe = this.#sources.subscribe((key, priority) => this.queue.add(key, { priority }));
    const workers = Math.max(1, this.spec.workers ?? 1);
    this.#workers = Array.from({ length: workers }, () => this.#work());
  }

  /**
   * Takes no more keys and waits for the reconciles that run. After `drainMs` their signal is aborted; then it waits
   * until they have really ended, because what still runs may still write. `drainMs: 0` aborts at once.
   */
  async stop({ drainMs = 10_000 }: { readonly drainMs?: number } = {}): Promise<void> {
    this.#unsubscribe?.();
    const drained = this.queue.close();
    const abort = () => this.#abort.abort(new Error('the controller stops'));
    if (drainMs <= 0) abort();
    const cancel = this.#clock.after(drainMs, abort);
    await drained;
    await Promise.all(this.#workers);
    cancel();
  }

  async #work(): Promise<void> {
    for (let key = await this.queue.take(); key !== undefined; key = await this.queue.take()) {
      this.#deps.observer?.reconciling(++this.#active);
      const startedAt = this.#clock.monotonic();
      const outcome = await this.#reconcile(key);
      this.#deps.observer?.reconciling(--this.#active);
      this.#deps.observer?.reconciled(outcome, this.#clock.monotonic() - startedAt);
      this.queue.done(key);
    }
  }

  /** One reconcile; whatever it throws is the failure of this one request. */
  async #reconcile(key: string): Promise<ReconcileOutcome> {
    const { timeoutMs } = this.spec;
    const own = timeoutMs === undefined ? undefined : new AbortController();
    const cancel = own && this.#clock.after(timeoutMs ?? 0, () => own.abort(new Error(`no end after ${timeoutMs} ms`)));
    const signal = own ? AbortSignal.any([own.signal, this.#abort.signal]) : this.#abort.signal;
    try {
      const result = await this.spec.reconcile({
        key: parseKey(key),
        cache: this.#sources,
        client: this.#deps.client,
        now: this.#clock.now(),
        signal,
        log: this.#log,
      });
      return this.#succeeded(key, result);
    } catch (error) {
      return this.#failed(key, error);
    } finally {
      cancel?.();
    }
  }

  #succeeded(key: string, result: ReconcileResult): ReconcileOutcome {
    this.#conflicts.delete(key);
    this.queue.forget(key);
    if (!result) return 'success';
    const afterMs = 'requeueAfter' in result ? result.requeueAfter : result.again - this.#clock.now();
    this.queue.add(key, { afterMs });
    return 'requeue_after';
  }

  #failed(key: string, error: unknown): ReconcileOutcome {
    const fields = { controller: this.spec.name, key, err: error };
    if (isConflict(error) || isAlreadyExists(error)) {
      // Somebody wrote first, or the cache lags: look again at once. When that did not help, the cache needs time.
      const before = this.#conflicts.get(key) ?? 0;
      this.#conflicts.set(key, before + 1);
      if (before === 0) this.queue.add(key);
      else this.queue.retry(key);
      this.#log.debug(fields, 'reconcile met a newer version and looks again');
      return 'requeue';
    }
    if (this.queue.closed) {
      this.#log.debug(fields, 'reconcile ended by the stop');
      return 'error';
    }
    const retryInMs = this.queue.retry(key);
    this.#log.error({ ...fields, retryInMs: Math.round(retryInMs) }, 'reconcile failed');
    return 'error';
  }
}
