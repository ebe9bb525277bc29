import type { Json, JsonObject } from '../../schema/structural.ts';
import { AGE, ageCell, NAME, nameCell, tableOf, wide } from '../columns.ts';
import { age } from '../duration.ts';
import { maybeObject, metadataAt, numberAt, objectAt, objectsAt, specAt, statusAt, textAt } from '../fields.ts';

const NODE_LOST = 'NodeLost';

interface Counted {
  readonly count: number;
  readonly last: number;
}

/** One word (or two) for where a pod is in its life: containers say more than the phase. */
function summary(pod: JsonObject, now: Date) {
  const [spec, status] = [specAt(pod), statusAt(pod)];
  const sidecars = new Set(
    objectsAt(spec, 'initContainers')
      .filter(isSidecar)
      .map((container) => textAt(container, 'name')),
  );
  const total = objectsAt(spec, 'containers').length + sidecars.size;
  let ready = 0;
  let reason = textAt(status, 'reason') || textAt(status, 'phase');
  for (const condition of objectsAt(status, 'conditions'))
    if (condition['type'] === 'PodScheduled' && condition['reason'] === 'SchedulingGated') reason = 'SchedulingGated';

  const inits = objectsAt(status, 'initContainerStatuses');
  const initRestarts = restartsOf(inits);
  const sidecarRestarts = restartsOf(inits.filter((one) => sidecars.has(textAt(one, 'name'))));
  ready += inits.filter(
    (one) => sidecars.has(textAt(one, 'name')) && one['started'] === true && one['ready'] === true,
  ).length;
  const stopped = inits.findIndex((one) => !isPassed(one, sidecars));
  const initializing =
    stopped >= 0 && initReason(inits[stopped] as JsonObject, stopped, objectsAt(spec, 'initContainers').length);
  let restarts = initRestarts;
  if (initializing !== false) reason = initializing;
  if (initializing === false || isInitialized(status)) {
    restarts = sidecarRestarts;
    const containers = objectsAt(status, 'containerStatuses');
    const ofContainers = restartsOf(containers);
    restarts = { count: restarts.count + ofContainers.count, last: Math.max(restarts.last, ofContainers.last) };
    let hasRunning = false;
    for (const container of containers.toReversed()) {
      const state = objectAt(container, 'state');
      const [waiting, terminated] = [objectAt(state, 'waiting'), maybeObject(state, 'terminated')];
      if (textAt(waiting, 'reason') !== '') reason = textAt(waiting, 'reason');
      else if (terminated) reason = terminatedReason(terminated);
      else if (container['ready'] === true && maybeObject(state, 'running')) {
        hasRunning = true;
        ready++;
      }
    }
    if (reason === 'Completed' && hasRunning) reason = isReady(status) ? 'Running' : 'NotReady';
  }
  if (textAt(metadataAt(pod), 'deletionTimestamp') !== '') {
    if (textAt(status, 'reason') === NODE_LOST) reason = 'Unknown';
    else if (!['Succeeded', 'Failed'].includes(textAt(status, 'phase'))) reason = 'Terminating';
  }
  const restartText =
    restarts.count > 0 && restarts.last > 0
      ? `${restarts.count} (${age(new Date(restarts.last).toISOString(), now)} ago)`
      : `${restarts.count}`;
  return { ready: `${ready}/${total}`, reason, restarts: restartText };
}

const isSidecar = (container: JsonObject) => container['restartPolicy'] === 'Always';

function restartsOf(statuses: readonly JsonObject[]): Counted {
  let [count, last] = [0, 0];
  for (const status of statuses) {
    count += numberAt(status, 'restartCount') ?? 0;
    const finished = Date.parse(textAt(objectAt(objectAt(status, 'lastState'), 'terminated'), 'finishedAt'));
    if (!Number.isNaN(finished)) last = Math.max(last, finished);
  }
  return { count, last };
}

/** This init container no longer holds the pod up. */
function isPassed(status: JsonObject, sidecars: ReadonlySet<string>): boolean {
  const terminated = maybeObject(objectAt(status, 'state'), 'terminated');
  if (terminated && numberAt(terminated, 'exitCode') === 0) return true;
  return sidecars.has(textAt(status, 'name')) && status['started'] === true;
}

function initReason(status: JsonObject, index: number, count: number): string {
  const state = objectAt(status, 'state');
  const terminated = maybeObject(state, 'terminated');
  if (terminated) return `Init:${terminatedReason(terminated)}`;
  const waiting = textAt(objectAt(state, 'waiting'), 'reason');
  return waiting !== '' && waiting !== 'PodInitializing' ? `Init:${waiting}` : `Init:${index}/${count}`;
}

function terminatedReason(terminated: JsonObject): string {
  const [reason, signal] = [textAt(terminated, 'reason'), numberAt(terminated, 'signal') ?? 0];
  if (reason !== '') return reason;
  return signal !== 0 ? `Signal:${signal}` : `ExitCode:${numberAt(terminated, 'exitCode') ?? 0}`;
}

const conditionIs = (status: JsonObject, type: string): boolean =>
  objectsAt(status, 'conditions').some((one) => one['type'] === type && one['status'] === 'True');
const isReady = (status: JsonObject) => conditionIs(status, 'Ready');
const isInitialized = (status: JsonObject) => conditionIs(status, 'Initialized');

export const podTable = tableOf(
  [
    NAME,
    ['Ready', 'string', { says: 'How many of its containers are ready.' }],
    ['Status', 'string'],
    ['Restarts', 'string'],
    AGE,
    wide('IP'),
    wide('Node'),
    wide('Nominated Node'),
    wide('Readiness Gates'),
  ],
  (pod, now): Json[] => {
    const { ready, reason, restarts } = summary(pod, now);
    const [spec, status] = [specAt(pod), statusAt(pod)];
    const ips = objectsAt(status, 'podIPs');
    return [
      nameCell(pod),
      ready,
      reason,
      restarts,
      ageCell(pod, now),
      textAt(ips[0], 'ip') || textAt(status, 'podIP') || '<none>',
      textAt(spec, 'nodeName') || '<none>',
      textAt(status, 'nominatedNodeName') || '<none>',
      gatesCell(spec, status),
    ];
  },
);

function gatesCell(spec: JsonObject, status: JsonObject): string {
  const gates = objectsAt(spec, 'readinessGates');
  if (gates.length === 0) return '<none>';
  const open = gates.filter((gate) => conditionIs(status, textAt(gate, 'conditionType'))).length;
  return `${open}/${gates.length}`;
}
