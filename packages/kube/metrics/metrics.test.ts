import { channel } from 'node:diagnostics_channel';
import { expect, test } from 'vitest';
import { ManualClock } from '../testing/manual-clock.ts';
import { metricDescriptions } from './descriptions.ts';
import { KubeMetrics } from './metrics.ts';

test('every described metric exists, and no other', async () => {
  const metrics = new KubeMetrics();
  metrics.controller('pool', 2);
  const made = await metrics.registry.getMetricsAsJSON();
  const described = Object.values(metricDescriptions);
  expect(made.map(({ name }) => name).toSorted()).toEqual(described.map(({ name }) => name).toSorted());
  for (const { name, type, help } of described) {
    expect(made.find((one) => one.name === name)).toMatchObject({ help, type });
  }
});

test('a controller and its queue are counted under the names of controller-runtime', async () => {
  const clock = new ManualClock();
  const metrics = new KubeMetrics(undefined, clock);
  const observer = metrics.controller('pool', 4);
  observer.queue.added();
  observer.queue.depth(3);
  observer.queue.started('a', 250);
  observer.queue.started('b', 0);
  observer.reconciling(2);
  observer.reconciled('error', 100);
  observer.reconciled('requeue_after', 100);
  observer.queue.retried();
  await clock.move(2000);
  observer.queue.finished('b', 2000);
  await clock.move(1000);
  const text = await metrics.registry.metrics();
  for (const line of [
    'controller_runtime_reconcile_total{controller="pool",result="error"} 1',
    'controller_runtime_reconcile_total{controller="pool",result="requeue_after"} 1',
    'controller_runtime_reconcile_total{controller="pool",result="success"} 0',
    'controller_runtime_reconcile_errors_total{controller="pool"} 1',
    'controller_runtime_active_workers{controller="pool"} 2',
    'controller_runtime_max_concurrent_reconciles{controller="pool"} 4',
    'workqueue_depth{name="pool",controller="pool"} 3',
    'workqueue_adds_total{name="pool",controller="pool"} 1',
    'workqueue_retries_total{name="pool",controller="pool"} 1',
    'workqueue_queue_duration_seconds_sum{name="pool",controller="pool"} 0.25',
    'workqueue_unfinished_work_seconds{name="pool",controller="pool"} 3',
    'workqueue_longest_running_processor_seconds{name="pool",controller="pool"} 3',
  ]) {
    expect(text).toContain(`${line}\n`);
  }
});

test('requests are counted from the channel of the transport, until told otherwise', async () => {
  const metrics = new KubeMetrics();
  const end = metrics.countRequests();
  const message = { verb: 'list', resource: 'pods', method: 'GET', host: 'h:6443', status: 200, durationMs: 20 };
  channel('sandbank:kube:request').publish(message);
  channel('sandbank:kube:request').publish({ ...message, status: 0, error: 'unreachable' });
  end();
  channel('sandbank:kube:request').publish(message);
  metrics.leading('system/operator', true);
  const text = await metrics.registry.metrics();
  expect(text).toContain('rest_client_requests_total{code="200",host="h:6443",method="GET"} 1\n');
  expect(text).toContain('rest_client_requests_total{code="<error>",host="h:6443",method="GET"} 1\n');
  expect(text).toContain('rest_client_request_duration_seconds_count{verb="list",host="h:6443"} 2\n');
  expect(text).toContain('leader_election_master_status{name="system/operator"} 1\n');
});
