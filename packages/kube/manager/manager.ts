import { hostname } from 'node:os';
import { CacheSet, type CacheSetOptions } from '../cache/cache-set.ts';
import type { Client } from '../client/contract.ts';
import { type Clock, systemClock } from '../clock.ts';
import { Controller } from '../controller/controller.ts';
import { type Logger, silentLogger } from '../controller/logger.ts';
import type { ControllerSpec } from '../controller/spec.ts';
import { KubeError } from '../errors.ts';
import { resourceName } from '../kind.ts';
import { Elector, type ElectorOptions, type Leadership } from '../leader/elector.ts';
import { KubeMetrics } from '../metrics/metrics.ts';
import { keyText } from '../object.ts';
import type { Transport } from '../transport/contract.ts';
import { serveHealth } from './health.ts';
import type { Listener, ListenOptions } from './listener.ts';
import { type MetricsServerOptions, serveMetrics } from './metrics-server.ts';

/** Something that runs beside the controllers on every replica, such as a webhook server. */
export interface Runnable {
  start(): Promise<unknown>;
  close(): Promise<unknown>;
}

export interface ManagerOptions {
  readonly kube: { readonly client: Client; readonly transport: Transport };
  /** Look at one namespace only. Default: all. */
  readonly namespace?: string | undefined;
  /** Off: this process leads from the start. Two without election do everything twice. */
  readonly leaderElection?:
    | (Omit<ElectorOptions, 'client' | 'identity' | 'onError'> & { readonly identity?: string | undefined })
    | undefined;
  readonly health?: ListenOptions | undefined;
  readonly metrics?: MetricsServerOptions | undefined;
  readonly webhooks?: readonly Runnable[] | undefined;
  readonly caches?: Omit<CacheSetOptions, 'transport' | 'namespace' | 'onState'> | undefined;
  /** How long a stop waits for reconciles before it aborts them. Default 10 s. */
  readonly drainMs?: number | undefined;
  readonly log?: Logger | undefined;
  readonly clock?: Clock | undefined;
  readonly random?: (() => number) | undefined;
}

/** Opens the health and metrics listeners, so that probes see a process that is alive and not ready yet. */
export async function startManager(options: ManagerOptions): Promise<Manager> {
  const manager = new Manager(options);
  await manager.listen();
  return manager;
}

/**
 * Runs controllers and all that they need, in this order: caches, webhooks, leadership, controllers. A stop goes
 * backwards. Whatever fails on the way stops the rest, and `run` rejects with the cause.
 */
export class Manager implements AsyncDisposable {
  readonly metrics: KubeMetrics;
  readonly caches: CacheSet;
  readonly #options: ManagerOptions;
  readonly #clock: Clock;
  readonly #log: Logger;
  readonly #stopping = new AbortController();
  readonly #stoppers: (() => Promise<unknown>)[] = [];
  readonly #listeners: { health?: Listener; metrics?: Listener } = {};
  #ready = false;
  #stopped: Promise<void> | undefined;

  constructor(options: ManagerOptions) {
    this.#options = options;
    this.#clock = options.clock ?? systemClock;
    this.#log = options.log ?? silentLogger;
    this.metrics = new KubeMetrics(undefined, this.#clock);
    this.caches = new CacheSet({
      ...options.caches,
      transport: options.kube.transport,
      namespace: options.namespace,
      clock: this.#clock,
      onState: (kind, state) => {
        const fields = { resource: resourceName(kind), phase: state.phase };
        if ('error' in state && state.error) this.#log.warn({ ...fields, err: state.error }, 'cache is in trouble');
        else this.#log.debug(fields, 'cache');
      },
    });
  }

  /** True while this process can do its work: caches synced, webhooks up. A replica that waits to lead is ready too. */
  get ready(): boolean {
    return this.#ready && !this.#stopping.signal.aborted && this.caches.ready;
  }

  get healthAddress(): Listener['address'] | undefined {
    return this.#listeners.health?.address;
  }

  get metricsAddress(): Listener['address'] | undefined {
    return this.#listeners.metrics?.address;
  }

  async listen(): Promise<void> {
    const { health, metrics } = this.#options;
    const uncount = this.metrics.countRequests();
    this.#stoppers.push(async () => uncount());
    try {
      if (health) {
        const listener = await serveHealth(health, { live: () => true, ready: () => this.ready });
        this.#listeners.health = listener;
        this.#stoppers.push(() => listener.close());
      }
      if (metrics) {
        if (metrics.auth === 'none') this.#log.warn({}, 'metrics are served without authentication');
        const listener = await serveMetrics(metrics, this.metrics.registry);
        this.#listeners.metrics = listener;
        this.#stoppers.push(() => listener.close());
      }
    } catch (error) {
      await this.stop();
      throw error;
    }
  }

  /** Runs until `stop`, or until something fails for good. Call it once. */
  async run(...specs: readonly (ControllerSpec | readonly ControllerSpec[])[]): Promise<void> {
    try {
      await this.#run(specs.flat());
    } catch (error) {
      if (!this.#stopping.signal.aborted) throw error;
    } finally {
      await this.stop();
      // What came up while the stop was under way.
      await this.#unwind();
    }
  }

  /** In the reverse order of the start. Resolves when all has ended. */
  stop(): Promise<void> {
    this.#stopped ??= this.#stopAll();
    return this.#stopped;
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.stop();
  }

  async #run(specs: readonly ControllerSpec[]): Promise<void> {
    const { signal } = this.#stopping;
    const controllers = specs.map((spec) => this.#controller(spec));
    const everywhere = controllers.filter(({ spec }) => spec.everywhere);
    const led = controllers.filter(({ spec }) => !spec.everywhere);

    this.#stoppers.push(() => this.caches.stop());
    await this.caches.start({ signal });
    for (const webhook of this.#options.webhooks ?? []) {
      this.#stoppers.push(() => webhook.close());
      await webhook.start();
      signal.throwIfAborted();
    }
    this.#ready = true;
    this.#startAll(everywhere);
    const leadership = await this.#lead();
    signal.throwIfAborted();
    this.#startAll(led);
    await this.#untilOver(leadership, led);
  }

  #controller(spec: ControllerSpec): Controller {
    return new Controller(spec, {
      caches: this.caches,
      client: this.#options.kube.client,
      clock: this.#clock,
      random: this.#options.random,
      log: this.#log,
      observer: this.metrics.controller(spec.name, spec.workers ?? 1),
    });
  }

  #startAll(controllers: readonly Controller[]): void {
    const { drainMs } = this.#options;
    for (const controller of controllers) {
      this.#stoppers.push(() => controller.stop(drainMs === undefined ? {} : { drainMs }));
      controller.start();
      this.#log.info({ controller: controller.spec.name, workers: controller.spec.workers ?? 1 }, 'controller started');
    }
  }

  async #lead(): Promise<Leadership | undefined> {
    const { leaderElection, kube } = this.#options;
    if (!leaderElection) return undefined;
    const lease = keyText(leaderElection.lease);
    this.metrics.leading(lease, false);
    const elector = new Elector({
      ...leaderElection,
      identity: leaderElection.identity ?? `${hostname()}_${crypto.randomUUID()}`,
      client: kube.client,
      clock: this.#clock,
      onError: (err) => this.#log.warn({ lease, err }, 'leader election: a try failed'),
    });
    const leadership = await elector.acquire(this.#stopping.signal);
    this.metrics.leading(lease, true);
    this.#log.info({ lease }, 'leading');
    leadership.signal.addEventListener('abort', () => this.metrics.leading(lease, false), { once: true });
    this.#stoppers.push(() => leadership.release());
    return leadership;
  }

  /** Rejects when leadership is lost, with its controllers aborted; resolves when stopped. */
  async #untilOver(leadership: Leadership | undefined, led: readonly Controller[]): Promise<void> {
    const { signal } = this.#stopping;
    await new Promise<void>((resolve) => {
      if (signal.aborted || leadership?.signal.aborted) resolve();
      signal.addEventListener('abort', () => resolve(), { once: true });
      leadership?.signal.addEventListener('abort', () => resolve(), { once: true });
    });
    if (signal.aborted || !leadership) return;
    // Another may lead by now: nothing of ours may write any more, so nothing is drained.
    this.#log.error({ err: leadership.signal.reason as unknown }, 'leadership lost; everything stops');
    void Promise.all(led.map((controller) => controller.stop({ drainMs: 0 })));
    const cause = leadership.signal.reason as unknown;
    throw cause instanceof KubeError ? cause : new KubeError('conflict', 'leadership was lost', { cause });
  }

  async #stopAll(): Promise<void> {
    this.#stopping.abort(new KubeError('aborted', 'the manager was stopped'));
    await this.#unwind();
  }

  async #unwind(): Promise<void> {
    const errors: unknown[] = [];
    for (let stop = this.#stoppers.pop(); stop; stop = this.#stoppers.pop()) {
      await stop().catch((error: unknown) => errors.push(error));
    }
    if (errors.length > 0) throw new AggregateError(errors, 'the manager did not stop cleanly');
  }
}
