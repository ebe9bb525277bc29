import { systemClock } from '../clock.ts';
import { KubeError, type KubeErrorCode } from '../errors.ts';
import { type Kind, resourceName } from '../kind.ts';
import { type Frozen, type KubeObject, keyText, type ObjectKey } from '../object.ts';
import { Reflector, type ReflectorOptions, type ReflectorState } from '../reflector/reflector.ts';
import type { CacheListener } from './event.ts';
import { freezeByDefault } from './freeze.ts';
import type { IndexFunction } from './index-map.ts';
import { Store } from './store.ts';
import { Subscribers } from './subscribers.ts';
import { type WaitOptions, Waits } from './waits.ts';

export interface CacheOptions<T extends KubeObject> extends Omit<ReflectorOptions<T>, 'target' | 'onState' | 'giveUp'> {
  readonly indexes?: Readonly<Record<string, IndexFunction<T>>> | undefined;
  /** How long `start` tries before it rejects with the last error. Default 30 s. */
  readonly startTimeoutMs?: number | undefined;
  /** Freeze what comes in. Default: under test. */
  readonly freeze?: boolean | undefined;
  readonly onState?: ((state: CacheState) => void) | undefined;
  /** A listener or an index function that threw. Default: an uncaught exception. */
  readonly onError?: ((error: unknown) => void) | undefined;
}

export type CacheState =
  | { readonly phase: 'idle' }
  | { readonly phase: 'starting'; readonly error?: KubeError }
  | { readonly phase: 'synced' }
  /** What is here was true, and may be old by now. The reflector keeps trying. */
  | { readonly phase: 'reconnecting'; readonly error: KubeError }
  | { readonly phase: 'failed'; readonly error: KubeError }
  | { readonly phase: 'stopped' };

/** Errors that trying again does not mend: a start that meets one of them is over. */
const permanent: ReadonlySet<KubeErrorCode> = new Set<KubeErrorCode>([
  'bad-request',
  'unauthorized',
  'forbidden',
  'not-found',
  'kind-not-found',
  'invalid',
  'unsupported-media-type',
  'tls-failed',
  'bad-config',
  'credentials-failed',
]);

/**
 * A true copy of the objects of one kind, to read, to search, to listen to and to wait on.
 *
 * Reading before the first sync throws: an empty answer there would be a lie that makes controllers create too much.
 */
export class Cache<T extends KubeObject> {
  readonly kind: Kind<T>;
  readonly #options: CacheOptions<T>;
  readonly #store: Store<T>;
  readonly #subscribers: Subscribers<T>;
  readonly #waits: Waits;
  #state: CacheState = { phase: 'idle' };
  #ready = false;
  #onSync: () => void = () => {};
  #wakePending = false;
  #version: string | undefined;
  #run: { readonly started: Promise<void>; readonly ended: Promise<void>; readonly abort: AbortController } | undefined;

  constructor(options: CacheOptions<T>) {
    this.kind = options.kind;
    this.#options = options;
    const failed = options.onError ?? throwLater;
    this.#store = new Store<T>(
      {
        changed: (event) => {
          this.#subscribers.emit(event);
          if (!this.#ready) return;
          this.#waits.wake(event.key);
          this.#wakeIndexes();
        },
        synced: (version) => {
          this.#version = version;
          this.#onSync();
        },
        failed,
      },
      options.freeze ?? freezeByDefault,
    );
    this.#subscribers = new Subscribers(this.#store.objects, failed);
    this.#waits = new Waits(options.clock ?? systemClock);
    for (const [name, of] of Object.entries(options.indexes ?? {})) this.#store.addIndex(name, of);
  }

  get state(): CacheState {
    return this.#state;
  }

  /** True from the first complete list on. Stays true while reconnecting; never true when the start failed. */
  get ready(): boolean {
    return this.#ready;
  }

  /** The version of the last complete list. */
  get listVersion(): string | undefined {
    return this.#version;
  }

  get size(): number {
    return this.#read().size;
  }

  get(key: ObjectKey): Frozen<T> | undefined {
    return this.#read().get(keyText(key));
  }

  list(namespace?: string): Frozen<T>[] {
    const all = [...this.#read().values()];
    return namespace === undefined ? all : all.filter((object) => object.metadata?.namespace === namespace);
  }

  /** What the index has under this value. */
  by(index: string, value: string): Frozen<T>[] {
    this.#read();
    return [...(this.#store.index(index).get(value)?.values() ?? [])];
  }

  countBy(index: string, value: string): number {
    this.#read();
    return this.#store.index(index).get(value)?.size ?? 0;
  }

  addIndex(name: string, of: IndexFunction<T>): void {
    this.#store.addIndex(name, of);
  }

  /** Returns how to end it. What is there already is told first, unless `replay` is false. */
  subscribe(listener: CacheListener<T>, { replay = true }: { replay?: boolean } = {}): () => void {
    return this.#subscribers.add(listener, replay);
  }

  /**
   * Resolves with the object as soon as the condition holds of it: now, or at the change that makes it so. The condition
   * gets undefined while the object is absent. At the deadline it rejects with a `WaitError` that has what was last seen.
   */
  waitFor<R extends Frozen<T> | undefined>(
    key: ObjectKey,
    condition: (object: Frozen<T> | undefined) => object is R,
    options?: WaitOptions,
  ): Promise<R>;
  waitFor(
    key: ObjectKey,
    condition: (object: Frozen<T> | undefined) => boolean,
    options?: WaitOptions,
  ): Promise<Frozen<T> | undefined>;
  waitFor(
    key: ObjectKey,
    condition: (object: Frozen<T> | undefined) => boolean,
    options: WaitOptions = {},
  ): Promise<Frozen<T> | undefined> {
    const text = keyText(key);
    const look = () => (this.#ready ? { value: this.#store.objects.get(text) } : undefined);
    return this.#until(text, `${this.kind.kind} ${text}`, look, condition, options);
  }

  /** The same for all objects that an index has under a value. */
  waitForBy(
    index: string,
    value: string,
    condition: (objects: readonly Frozen<T>[]) => boolean,
    options: WaitOptions = {},
  ): Promise<readonly Frozen<T>[]> {
    this.#store.index(index);
    const look = () => (this.#ready ? { value: this.by(index, value) } : undefined);
    return this.#until(anyChange, `${resourceName(this.kind)} with ${index} ${value}`, look, condition, options);
  }

  /**
   * Resolves when the copy is complete. Rejects with the cause when it cannot be: at once for what trying again does not
   * mend (forbidden, no such kind, bad credentials), at the time-out for the rest. It may then be called again.
   */
  start({ signal }: { readonly signal?: AbortSignal } = {}): Promise<void> {
    if (this.#run) return this.#run.started;
    if (this.#state.phase === 'stopped') return Promise.reject(this.#stoppedError());
    const abort = new AbortController();
    const started = Promise.withResolvers<void>();
    // Whoever waits for readiness alone need not handle the rejection too.
    started.promise.catch(() => {});
    const ended = this.#reflect(abort, started, signal);
    this.#run = { started: started.promise, ended, abort };
    return started.promise;
  }

  /** Ends the watch and every wait. */
  async stop(): Promise<void> {
    const run = this.#run;
    run?.abort.abort();
    await run?.ended;
    this.#waits.end(this.#stoppedError());
    if (this.#state.phase !== 'failed') this.#setState({ phase: 'stopped' });
  }

  async #reflect(
    abort: AbortController,
    started: PromiseWithResolvers<void>,
    caller: AbortSignal | undefined,
  ): Promise<void> {
    const clock = this.#options.clock ?? systemClock;
    const name = resourceName(this.kind);
    const timeoutMs = this.#options.startTimeoutMs ?? 30_000;
    let lastError: KubeError | undefined;
    const fail = (error: KubeError) => {
      if (this.#ready || this.#state.phase === 'failed') return;
      this.#setState({ phase: 'failed', error });
      this.#run = undefined;
      this.#waits.end(error);
      started.reject(error);
      abort.abort();
    };
    const giveUpAt = () => {
      const after = `the cache of ${name} did not sync within ${timeoutMs / 1000} s`;
      fail(
        lastError
          ? new KubeError(lastError.code, `${after}: ${lastError.message}`, { cause: lastError })
          : new KubeError('timeout', `${after}; the server is slow to answer, or the list is very long`),
      );
    };
    const cancelled = () =>
      fail(new KubeError('aborted', `the start of the cache of ${name} was aborted`, { cause: caller?.reason }));
    const cancelTimer = clock.after(timeoutMs, giveUpAt);
    caller?.addEventListener('abort', cancelled, { once: true });
    this.#setState({ phase: 'starting' });
    if (caller?.aborted) cancelled();
    const settle = () => {
      cancelTimer();
      caller?.removeEventListener('abort', cancelled);
    };
    this.#onSync = () => {
      settle();
      this.#ready = true;
      this.#setState({ phase: 'synced' });
      this.#waits.wakeAll();
      started.resolve();
    };
    const reflector = new Reflector<T>({
      ...this.#options,
      target: this.#store,
      giveUp: (error) => !this.#ready && permanent.has(error.code),
      onState: (state) => {
        if (state.phase === 'waiting') lastError = state.error;
        this.#follow(state);
      },
    });
    try {
      await reflector.run(abort.signal);
      if (!this.#ready) fail(new KubeError('aborted', `the cache of ${name} was stopped before it had synced`));
    } catch (error) {
      fail(error as KubeError);
    } finally {
      settle();
      this.#run = undefined;
    }
  }

  #follow(state: ReflectorState): void {
    if (this.#state.phase === 'failed' || this.#state.phase === 'stopped') return;
    if (state.phase === 'waiting') {
      const { error } = state;
      this.#setState(this.#ready ? { phase: 'reconnecting', error } : { phase: 'starting', error });
    } else if (state.phase === 'watching' && this.#state.phase === 'reconnecting') {
      this.#setState({ phase: 'synced' });
    }
  }

  #setState(state: CacheState): void {
    this.#state = state;
    this.#options.onState?.(state);
  }

  #stoppedError(): KubeError {
    return new KubeError('aborted', `the cache of ${resourceName(this.kind)} was stopped`);
  }

  #read(): ReadonlyMap<string, Frozen<T>> {
    if (!this.#ready) {
      const why = this.#state.phase === 'failed' ? 'its start failed' : 'it has not synced yet';
      throw new KubeError(
        'unavailable',
        `the cache of ${resourceName(this.kind)} cannot be read: ${why}; await start()`,
      );
    }
    return this.#store.objects;
  }

  #until<V>(
    topic: string,
    what: string,
    look: () => { readonly value: V } | undefined,
    condition: (value: V) => boolean,
    options: WaitOptions,
  ): Promise<V> {
    if (this.#state.phase === 'failed') return Promise.reject(this.#state.error);
    if (this.#state.phase === 'stopped') {
      return Promise.reject(this.#stoppedError());
    }
    return this.#waits.until(topic, what, look, condition, options);
  }

  /** Conditions on many objects are asked once per burst of changes, not once per change. */
  #wakeIndexes(): void {
    if (this.#wakePending || !this.#waits.has(anyChange)) return;
    this.#wakePending = true;
    queueMicrotask(() => {
      this.#wakePending = false;
      this.#waits.wake(anyChange);
    });
  }
}

/** No key of an object looks like this. */
const anyChange = '*';

function throwLater(error: unknown): void {
  queueMicrotask(() => {
    throw error;
  });
}
