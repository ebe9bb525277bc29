export interface MetricDescription {
  readonly name: string;
  readonly type: 'counter' | 'gauge' | 'histogram';
  readonly labels: readonly string[];
  readonly help: string;
  readonly buckets?: readonly number[];
}

const decades = (from: number, to: number): number[] =>
  Array.from({ length: to - from + 1 }, (_, i) => Number(`1e${from + i}`));

const seconds = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60];

/**
 * Every metric of this package, under the names that controller-runtime and client-go use, so that dashboards made for
 * them work here. The metrics are made from this table, and the table in the docs is checked against it.
 */
export const metricDescriptions = {
  reconcileTotal: {
    name: 'controller_runtime_reconcile_total',
    type: 'counter',
    labels: ['controller', 'result'],
    help: 'Reconciles by result: success, error, requeue, requeue_after.',
  },
  reconcileErrors: {
    name: 'controller_runtime_reconcile_errors_total',
    type: 'counter',
    labels: ['controller'],
    help: 'Reconciles that failed.',
  },
  reconcileTime: {
    name: 'controller_runtime_reconcile_time_seconds',
    type: 'histogram',
    labels: ['controller'],
    help: 'How long a reconcile takes.',
    buckets: seconds,
  },
  activeWorkers: {
    name: 'controller_runtime_active_workers',
    type: 'gauge',
    labels: ['controller'],
    help: 'Workers that reconcile now.',
  },
  maxWorkers: {
    name: 'controller_runtime_max_concurrent_reconciles',
    type: 'gauge',
    labels: ['controller'],
    help: 'Workers in all.',
  },
  queueDepth: {
    name: 'workqueue_depth',
    type: 'gauge',
    labels: ['name', 'controller'],
    help: 'Keys that wait for a worker.',
  },
  queueAdds: {
    name: 'workqueue_adds_total',
    type: 'counter',
    labels: ['name', 'controller'],
    help: 'Keys added that were not waiting already.',
  },
  queueWait: {
    name: 'workqueue_queue_duration_seconds',
    type: 'histogram',
    labels: ['name', 'controller'],
    help: 'How long a key waits for a worker, from the moment it may be taken.',
    buckets: decades(-8, 3),
  },
  queueWork: {
    name: 'workqueue_work_duration_seconds',
    type: 'histogram',
    labels: ['name', 'controller'],
    help: 'How long a worker is busy with a key.',
    buckets: decades(-8, 3),
  },
  queueRetries: {
    name: 'workqueue_retries_total',
    type: 'counter',
    labels: ['name', 'controller'],
    help: 'Keys added again after a failure.',
  },
  queueUnfinished: {
    name: 'workqueue_unfinished_work_seconds',
    type: 'gauge',
    labels: ['name', 'controller'],
    help: 'Time spent so far on keys that are being worked on, summed up. One that only grows is a worker that hangs.',
  },
  queueLongest: {
    name: 'workqueue_longest_running_processor_seconds',
    type: 'gauge',
    labels: ['name', 'controller'],
    help: 'Time spent so far on the key that is being worked on longest.',
  },
  requests: {
    name: 'rest_client_requests_total',
    type: 'counter',
    labels: ['code', 'host', 'method'],
    help: 'HTTP requests to the API server by status code; <error> when there was no answer.',
  },
  requestTime: {
    name: 'rest_client_request_duration_seconds',
    type: 'histogram',
    labels: ['verb', 'host'],
    help: 'How long a request to the API server takes; for a watch, until its headers.',
    buckets: seconds,
  },
  leader: {
    name: 'leader_election_master_status',
    type: 'gauge',
    labels: ['name'],
    help: '1 while this process leads, 0 while it does not.',
  },
} as const satisfies Record<string, MetricDescription>;
