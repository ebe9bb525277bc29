import type { JsonObject } from '../../schema/structural.ts';

export interface PodTableCase {
  readonly name: string;
  readonly spec: JsonObject;
  readonly status: JsonObject;
  /** What the real server was seen to show under Ready and Status. */
  readonly cells: readonly [ready: string, status: string];
}

const one: JsonObject = { containers: [{ name: 'a', image: 'a' }] };
const two: JsonObject = {
  containers: [
    { name: 'a', image: 'a' },
    { name: 'b', image: 'b' },
  ],
};
const withInit: JsonObject = {
  ...one,
  initContainers: [
    { name: 'i', image: 'i' },
    { name: 'j', image: 'j' },
  ],
};
const withSidecar: JsonObject = { ...one, initContainers: [{ name: 's', image: 's', restartPolicy: 'Always' }] };
const gated: JsonObject = { ...one, readinessGates: [{ conditionType: 'a.test/x' }, { conditionType: 'a.test/y' }] };

const AT = '2026-01-01T00:00:00Z';
const running: JsonObject = { running: { startedAt: AT } };
const waiting = (reason: string): JsonObject => ({ waiting: { reason } });
const ended = (exitCode: number, more: JsonObject = {}): JsonObject => ({
  terminated: { exitCode, startedAt: AT, finishedAt: AT, containerID: 'x://y', ...more },
});
const container = (name: string, state: JsonObject, more: JsonObject = {}): JsonObject => ({
  name,
  image: 'a',
  imageID: '',
  ready: false,
  restartCount: 0,
  state,
  ...more,
});
const ready = { ready: true, started: true };
const condition = (type: string, status = 'True', reason?: string): JsonObject => ({
  type,
  status,
  ...(reason ? { reason } : {}),
});

const row = (name: string, spec: JsonObject, status: JsonObject, cells: readonly [string, string]): PodTableCase => ({
  name,
  spec,
  status,
  cells,
});

export const podTableCases: readonly PodTableCase[] = [
  row('new', one, { phase: 'Pending' }, ['0/1', 'Pending']),
  row(
    'running',
    one,
    {
      phase: 'Running',
      podIP: '10.0.0.1',
      podIPs: [{ ip: '10.0.0.1' }],
      containerStatuses: [container('a', running, ready)],
    },
    ['1/1', 'Running'],
  ),
  row(
    'half ready',
    two,
    { phase: 'Running', containerStatuses: [container('a', running, ready), container('b', running)] },
    ['1/2', 'Running'],
  ),
  row('creating', one, { phase: 'Pending', containerStatuses: [container('a', waiting('ContainerCreating'))] }, [
    '0/1',
    'ContainerCreating',
  ]),
  row(
    'crashing',
    one,
    {
      phase: 'Running',
      containerStatuses: [container('a', waiting('CrashLoopBackOff'), { restartCount: 4, lastState: ended(1) })],
    },
    ['0/1', 'CrashLoopBackOff'],
  ),
  row('no image', one, { phase: 'Pending', containerStatuses: [container('a', waiting('ImagePullBackOff'))] }, [
    '0/1',
    'ImagePullBackOff',
  ]),
  row(
    'completed',
    one,
    { phase: 'Succeeded', containerStatuses: [container('a', ended(0, { reason: 'Completed' }))] },
    ['0/1', 'Completed'],
  ),
  row('failed', one, { phase: 'Failed', containerStatuses: [container('a', ended(1, { reason: 'Error' }))] }, [
    '0/1',
    'Error',
  ]),
  row(
    'out of memory',
    one,
    { phase: 'Failed', containerStatuses: [container('a', ended(137, { reason: 'OOMKilled' }))] },
    ['0/1', 'OOMKilled'],
  ),
  row('killed by a signal', one, { phase: 'Failed', containerStatuses: [container('a', ended(137, { signal: 9 }))] }, [
    '0/1',
    'Signal:9',
  ]),
  row('an exit code alone', one, { phase: 'Failed', containerStatuses: [container('a', ended(3))] }, [
    '0/1',
    'ExitCode:3',
  ]),
  row(
    'one completed, one running, ready',
    two,
    {
      phase: 'Running',
      conditions: [condition('Ready')],
      containerStatuses: [container('a', ended(0, { reason: 'Completed' })), container('b', running, ready)],
    },
    ['1/2', 'Running'],
  ),
  row(
    'one completed, one running, not ready',
    two,
    {
      phase: 'Running',
      containerStatuses: [container('a', ended(0, { reason: 'Completed' })), container('b', running, ready)],
    },
    ['1/2', 'NotReady'],
  ),
  row('evicted', one, { phase: 'Failed', reason: 'Evicted' }, ['0/1', 'Evicted']),
  row(
    'initializing',
    withInit,
    { phase: 'Pending', initContainerStatuses: [container('i', running), container('j', waiting('PodInitializing'))] },
    ['0/1', 'Init:0/2'],
  ),
  row(
    'second init container',
    withInit,
    { phase: 'Pending', initContainerStatuses: [container('i', ended(0)), container('j', waiting('PodInitializing'))] },
    ['0/1', 'Init:1/2'],
  ),
  row(
    'init container failed',
    withInit,
    { phase: 'Pending', initContainerStatuses: [container('i', ended(1, { reason: 'Error' }), { restartCount: 2 })] },
    ['0/1', 'Init:Error'],
  ),
  row(
    'init container ended with a code',
    withInit,
    { phase: 'Pending', initContainerStatuses: [container('i', ended(2))] },
    ['0/1', 'Init:ExitCode:2'],
  ),
  row(
    'init container killed',
    withInit,
    { phase: 'Pending', initContainerStatuses: [container('i', ended(2, { signal: 9 }))] },
    ['0/1', 'Init:Signal:9'],
  ),
  row(
    'init container crashing',
    withInit,
    {
      phase: 'Pending',
      initContainerStatuses: [container('i', waiting('CrashLoopBackOff'), { restartCount: 7, lastState: ended(1) })],
    },
    ['0/1', 'Init:CrashLoopBackOff'],
  ),
  row(
    'initialized',
    withInit,
    {
      phase: 'Running',
      conditions: [condition('Initialized')],
      initContainerStatuses: [container('i', ended(0)), container('j', ended(0))],
      containerStatuses: [container('a', running, ready)],
    },
    ['1/1', 'Running'],
  ),
  row(
    'a sidecar',
    withSidecar,
    {
      phase: 'Running',
      conditions: [condition('Initialized')],
      initContainerStatuses: [container('s', running, { ...ready, restartCount: 1 })],
      containerStatuses: [container('a', running, { ...ready, restartCount: 2, lastState: ended(1) })],
    },
    ['2/2', 'Running'],
  ),
  row(
    'a sidecar that has not started',
    withSidecar,
    { phase: 'Pending', initContainerStatuses: [container('s', running, { started: false })] },
    ['0/2', 'Init:0/1'],
  ),
  row(
    'gates',
    gated,
    {
      phase: 'Running',
      conditions: [condition('a.test/x'), condition('a.test/y', 'False')],
      containerStatuses: [container('a', running, ready)],
    },
    ['1/1', 'Running'],
  ),
  row('nominated', one, { phase: 'Pending', nominatedNodeName: 'n1' }, ['0/1', 'Pending']),
  row('gated', { ...one, schedulingGates: [{ name: 'a' }] }, { phase: 'Pending' }, ['0/1', 'SchedulingGated']),
];
