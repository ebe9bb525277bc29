import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { Counter, Gauge, Histogram, Registry } from 'prom-client';
import { type Clock, systemClock } from '../clock.ts';
import type { ControllerObserver } from '../controller/controller.ts';
import type { RequestMessage } from '../transport/diagnostics.ts';
import { type MetricDescription, metricDescriptions as table } from './descriptions.ts';

/** The metrics of one process, in a registry of their own. */
export class KubeMetrics {
  readonly registry: Registry;
  readonly #clock: Clock;
  readonly #reconciles: Counter;
  readonly #reconcileErrors: Counter;
  readonly #reconcileTime: Histogram;
  readonly #activeWorkers: Gauge;
  readonly #maxWorkers: Gauge;
  readonly #queueDepth: Gauge;
  readonly #queueAdds: Counter;
  readonly #queueWait: Histogram;
  readonly #queueWork: Histogram;
  readonly #queueRetries: Counter;
  readonly #requests: Counter;
  readonly #requestTime: Histogram;
  readonly #leader: Gauge;
  /** By controller: since when each of its keys is being worked on. */
  readonly #working = new Map<string, Map<string, number>>();

  constructor(registry: Registry = new Registry(), clock: Clock = systemClock) {
    this.registry = registry;
    this.#clock = clock;
    const counter = (of: MetricDescription) => new Counter({ ...plain(of), registers: [registry] });
    const gauge = (of: MetricDescription) => new Gauge({ ...plain(of), registers: [registry] });
    const histogram = (of: MetricDescription) =>
      new Histogram({ ...plain(of), buckets: [...(of.buckets ?? [])], registers: [registry] });
    this.#reconciles = counter(table.reconcileTotal);
    this.#reconcileErrors = counter(table.reconcileErrors);
    this.#reconcileTime = histogram(table.reconcileTime);
    this.#activeWorkers = gauge(table.activeWorkers);
    this.#maxWorkers = gauge(table.maxWorkers);
    this.#queueDepth = gauge(table.queueDepth);
    this.#queueAdds = counter(table.queueAdds);
    this.#queueWait = histogram(table.queueWait);
    this.#queueWork = histogram(table.queueWork);
    this.#queueRetries = counter(table.queueRetries);
    this.#requests = counter(table.requests);
    this.#requestTime = histogram(table.requestTime);
    this.#leader = gauge(table.leader);
    this.#gaugeOfWork(table.queueUnfinished, (ages) => ages.reduce((sum, age) => sum + age, 0));
    this.#gaugeOfWork(table.queueLongest, (ages) => Math.max(0, ...ages));
  }

  /** What a controller of that name reports to. */
  controller(name: string, workers: number): ControllerObserver {
    const labels = { name, controller: name };
    const own = { controller: name };
    const working = new Map<string, number>();
    this.#working.set(name, working);
    this.#maxWorkers.set(own, workers);
    this.#activeWorkers.set(own, 0);
    this.#queueDepth.set(labels, 0);
    // A rate over a counter that appears with its first error misses that error.
    this.#reconcileErrors.inc(own, 0);
    for (const result of ['success', 'error', 'requeue', 'requeue_after']) this.#reconciles.inc({ ...own, result }, 0);
    return {
      queue: {
        added: () => this.#queueAdds.inc(labels),
        retried: () => this.#queueRetries.inc(labels),
        depth: (ready) => this.#queueDepth.set(labels, ready),
        started: (key, waitedMs) => {
          working.set(key, this.#clock.monotonic());
          this.#queueWait.observe(labels, waitedMs / 1000);
        },
        finished: (key, workedMs) => {
          working.delete(key);
          this.#queueWork.observe(labels, workedMs / 1000);
        },
      },
      reconciling: (active) => this.#activeWorkers.set(own, active),
      reconciled: (result, durationMs) => {
        this.#reconciles.inc({ ...own, result });
        if (result === 'error') this.#reconcileErrors.inc(own);
        this.#reconcileTime.observe(own, durationMs / 1000);
      },
    };
  }

  leading(lease: string, leads: boolean): void {
    this.#leader.set({ name: lease }, leads ? 1 : 0);
  }

  /** Counts the requests of every transport in the process. Returns how to end it. */
  countRequests(): () => void {
    const listener = (message: unknown) => {
      const { method, host, verb, status, durationMs } = message as RequestMessage;
      this.#requests.inc({ code: status === 0 ? '<error>' : String(status), host, method });
      this.#requestTime.observe({ verb, host }, durationMs / 1000);
    };
    subscribe('sandbank:kube:request', listener);
    return () => void unsubscribe('sandbank:kube:request', listener);
  }

  #gaugeOfWork(of: MetricDescription, value: (agesInSeconds: number[]) => number): void {
    const working = this.#working;
    const clock = this.#clock;
    new Gauge({
      ...plain(of),
      registers: [this.registry],
      collect() {
        const now = clock.monotonic();
        for (const [name, keys] of working) {
          this.set({ name, controller: name }, value([...keys.values()].map((since) => (now - since) / 1000)));
        }
      },
    });
  }
}

function plain({ name, help, labels }: MetricDescription): { name: string; help: string; labelNames: string[] } {
  return { name, help, labelNames: [...labels] };
}
