import type { Json, JsonObject } from '../../schema/structural.ts';
import { AGE, ageCell, type ColumnInput, NAME, nameCell, tableOf, wide } from '../columns.ts';
import { age, humanDuration } from '../duration.ts';
import { maybeObject, numberAt, objectAt, objectsAt, specAt, statusAt, textAt } from '../fields.ts';
import { labelsText, selectorText } from '../selectors.ts';

const WIDE: readonly ColumnInput[] = [wide('Containers'), wide('Images'), wide('Selector')];
const count = (name: string, says: string): ColumnInput => [name, 'integer', { says }];
const text = (name: string, says: string): ColumnInput => [name, 'string', { says }];

/** Names and images of the containers that a template has. */
export function containerCells(template: JsonObject): [string, string] {
  const containers = objectsAt(specAt(template), 'containers');
  return [
    containers.map((one) => textAt(one, 'name')).join(','),
    containers.map((one) => textAt(one, 'image')).join(','),
  ];
}

const templateCells = (object: JsonObject): [string, string] => containerCells(objectAt(specAt(object), 'template'));
const statusNumber = (object: JsonObject, field: string): number => numberAt(statusAt(object), field) ?? 0;
const specNumber = (object: JsonObject, field: string, otherwise = 0): number =>
  numberAt(specAt(object), field) ?? otherwise;
const selectorCell = (object: JsonObject): string => selectorText(maybeObject(specAt(object), 'selector'));

export const deploymentTable = tableOf(
  [
    NAME,
    text('Ready', 'Ready pods of those wanted.'),
    text('Up-to-date', 'Pods made of the newest template.'),
    text('Available', 'Pods that have been ready long enough.'),
    AGE,
    ...WIDE,
  ],
  (object, now): Json[] => [
    nameCell(object),
    `${statusNumber(object, 'readyReplicas')}/${specNumber(object, 'replicas')}`,
    statusNumber(object, 'updatedReplicas'),
    statusNumber(object, 'availableReplicas'),
    ageCell(object, now),
    ...templateCells(object),
    selectorCell(object),
  ],
);

const REPLICA_COLUMNS: readonly ColumnInput[] = [
  NAME,
  count('Desired', 'Pods wanted.'),
  count('Current', 'Pods there are.'),
  count('Ready', 'Pods that are ready.'),
  AGE,
  ...WIDE,
];
const replicas = (object: JsonObject, now: Date): Json[] => [
  nameCell(object),
  specNumber(object, 'replicas'),
  statusNumber(object, 'replicas'),
  statusNumber(object, 'readyReplicas'),
  ageCell(object, now),
  ...templateCells(object),
];

export const replicaSetTable = tableOf(REPLICA_COLUMNS, (object, now) => [
  ...replicas(object, now),
  selectorCell(object),
]);
export const replicationControllerTable = tableOf(REPLICA_COLUMNS, (object, now) => [
  ...replicas(object, now),
  labelsText(objectAt(specAt(object), 'selector')),
]);

export const statefulSetTable = tableOf(
  [NAME, text('Ready', 'Ready pods of those wanted.'), AGE, wide('Containers'), wide('Images')],
  (object, now) => [
    nameCell(object),
    `${statusNumber(object, 'readyReplicas')}/${specNumber(object, 'replicas')}`,
    ageCell(object, now),
    ...templateCells(object),
  ],
);

export const daemonSetTable = tableOf(
  [
    NAME,
    count('Desired', 'Nodes that should run its pod.'),
    count('Current', 'Nodes that run its pod.'),
    count('Ready', 'Nodes on which the pod is ready.'),
    count('Up-to-date', 'Nodes with the newest pod.'),
    count('Available', 'Nodes on which the pod has been ready long enough.'),
    text('Node Selector', 'Labels of the nodes it is for.'),
    AGE,
    ...WIDE,
  ],
  (object, now): Json[] => [
    nameCell(object),
    ...[
      'desiredNumberScheduled',
      'currentNumberScheduled',
      'numberReady',
      'updatedNumberScheduled',
      'numberAvailable',
    ].map((field) => statusNumber(object, field)),
    labelsText(objectAt(specAt(objectAt(specAt(object), 'template')), 'nodeSelector')),
    ageCell(object, now),
    ...templateCells(object),
    selectorCell(object),
  ],
);

export const jobTable = tableOf(
  [
    NAME,
    ['Status', 'string'],
    text('Completions', 'Pods that succeeded, of those wanted.'),
    text('Duration', 'How long it has run, or ran.'),
    AGE,
    ...WIDE,
  ],
  (job, now): Json[] => [
    nameCell(job),
    jobStatus(job),
    completions(job),
    duration(job, now),
    ageCell(job, now),
    ...templateCells(job),
    selectorCell(job),
  ],
);

function jobStatus(job: JsonObject): string {
  const has = (type: string) =>
    objectsAt(statusAt(job), 'conditions').some((one) => one['type'] === type && one['status'] === 'True');
  if (has('Complete')) return 'Complete';
  if (has('Failed')) return 'Failed';
  if (textAt(objectAt(job, 'metadata'), 'deletionTimestamp') !== '') return 'Terminating';
  if (has('Suspended')) return 'Suspended';
  if (has('FailureTarget')) return 'FailureTarget';
  return has('SuccessCriteriaMet') ? 'SuccessCriteriaMet' : 'Running';
}

function completions(job: JsonObject): string {
  const succeeded = statusNumber(job, 'succeeded');
  const wanted = numberAt(specAt(job), 'completions');
  if (wanted !== undefined) return `${succeeded}/${wanted}`;
  const parallel = specNumber(job, 'parallelism');
  return parallel > 1 ? `${succeeded}/1 of ${parallel}` : `${succeeded}/1`;
}

function duration(job: JsonObject, now: Date): string {
  const [start, end] = [
    Date.parse(textAt(statusAt(job), 'startTime')),
    Date.parse(textAt(statusAt(job), 'completionTime')),
  ];
  if (Number.isNaN(start)) return '';
  return humanDuration(((Number.isNaN(end) ? now.getTime() : end) - start) / 1000);
}

export const cronJobTable = tableOf(
  [
    NAME,
    text('Schedule', 'When it runs, as cron writes it.'),
    text('Timezone', 'The zone of its schedule.'),
    ['Suspend', 'boolean', { says: 'Whether it rests.' }],
    count('Active', 'Jobs that run now.'),
    text('Last Schedule', 'How long ago it last ran.'),
    AGE,
    ...WIDE,
  ],
  (cron, now): Json[] => {
    const last = textAt(statusAt(cron), 'lastScheduleTime');
    const job = specAt(objectAt(specAt(cron), 'jobTemplate'));
    return [
      nameCell(cron),
      textAt(specAt(cron), 'schedule'),
      textAt(specAt(cron), 'timeZone') || '<none>',
      specAt(cron)['suspend'] === true ? 'True' : 'False',
      objectsAt(statusAt(cron), 'active').length,
      last === '' ? '<none>' : age(last, now),
      ageCell(cron, now),
      ...containerCells(objectAt(job, 'template')),
      selectorText(maybeObject(job, 'selector')),
    ];
  },
);

export const autoscalerTable = tableOf(
  [
    NAME,
    text('Reference', 'What it scales.'),
    text('Targets', 'What it measures, and what it aims at.'),
    text('MinPods', 'Never fewer pods than this.'),
    text('MaxPods', 'Never more pods than this.'),
    text('Replicas', 'Pods there are.'),
    AGE,
  ],
  (scaler, now): Json[] => {
    const [spec, target] = [specAt(scaler), objectAt(specAt(scaler), 'scaleTargetRef')];
    return [
      nameCell(scaler),
      `${textAt(target, 'kind')}/${textAt(target, 'name')}`,
      targets(scaler),
      spec['minReplicas'] === undefined ? '<unset>' : String(spec['minReplicas']),
      specNumber(scaler, 'maxReplicas'),
      statusNumber(scaler, 'currentReplicas'),
      ageCell(scaler, now),
    ];
  },
);

function targets(scaler: JsonObject): string {
  const metrics = objectsAt(specAt(scaler), 'metrics');
  const current = objectsAt(statusAt(scaler), 'currentMetrics');
  const shown = metrics.slice(0, 2).map((metric, index) => {
    const resource = objectAt(metric, 'resource');
    const share = numberAt(objectAt(resource, 'target'), 'averageUtilization');
    const is = numberAt(objectAt(objectAt(current[index], 'resource'), 'current'), 'averageUtilization');
    const name = textAt(resource, 'name');
    return `${name === '' ? '' : `${name}: `}${is === undefined ? '<unknown>' : `${is}%`}/${share === undefined ? '<auto>' : `${share}%`}`;
  });
  if (shown.length === 0) return '<none>';
  return metrics.length > 2 ? `${shown.join(', ')} + ${metrics.length - 2} more...` : shown.join(', ');
}

export const podTemplateTable = tableOf(
  [NAME, ['Containers', 'string'], ['Images', 'string'], text('Pod Labels', 'Labels of the pods made of it.')],
  (object) => {
    const template = objectAt(object, 'template');
    return [
      nameCell(object),
      ...containerCells(template),
      labelsText(objectAt(objectAt(template, 'metadata'), 'labels')),
    ];
  },
);

export const controllerRevisionTable = tableOf(
  [NAME, text('Controller', 'Who made it.'), text('Revision', 'Its number.'), AGE],
  (object, now) => {
    const owner = objectsAt(objectAt(object, 'metadata'), 'ownerReferences').find((one) => one['controller'] === true);
    const [group] = textAt(owner, 'apiVersion').split('/');
    const kind = textAt(owner, 'kind').toLowerCase();
    const shown = owner
      ? `${kind}${textAt(owner, 'apiVersion').includes('/') ? `.${group}` : ''}/${textAt(owner, 'name')}`
      : '<none>';
    return [nameCell(object), shown, numberAt(object, 'revision') ?? 0, ageCell(object, now)];
  },
);
