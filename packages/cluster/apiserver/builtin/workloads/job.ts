import type { Strategy } from '../../registry/resource.ts';
import type { FieldError, JsonObject } from '../../schema/structural.ts';
import { invalidValue, notNegative, oneOf, required, sameJson, unchanged } from '../field-errors.ts';
import {
  ensureObject,
  fill,
  fillText,
  maybeObject,
  metadataAt,
  numberAt,
  objectAt,
  objectsAt,
  specAt,
  textAt,
} from '../fields.ts';
import { matcherOfSelector } from '../selectors.ts';
import { defaultTemplateOf, validateTemplate } from './template.ts';

const COMPLETION_MODES = ['NonIndexed', 'Indexed'];
const NO_LIMIT = 2_147_483_647;
const UID_LABEL = 'batch.kubernetes.io/controller-uid';

export const jobStrategy: Strategy = {
  applyDefaults(job) {
    defaultJobSpec(ensureObject(job, 'spec'));
    const spec = specAt(job);
    const labels = objectAt(objectAt(objectAt(spec, 'template'), 'metadata'), 'labels');
    if (Object.keys(labels).length > 0 && Object.keys(objectAt(metadataAt(job), 'labels')).length === 0)
      ensureObject(job, 'metadata')['labels'] = { ...labels };
  },
  prepareCreate(job) {
    job['status'] = {};
    const spec = ensureObject(job, 'spec');
    if (spec['manualSelector'] !== true) ownPods(job, spec);
  },
  selectableFields: ['status.successful'],
  validateCreate: validateJob,
  validateUpdate: validateJobUpdate,
};

export function defaultJobSpec(spec: JsonObject): void {
  defaultTemplateOf(spec);
  // Neither number given: one pod. Only the parallelism given: a queue, which has no number of completions.
  if (spec['completions'] === undefined && spec['parallelism'] === undefined) spec['completions'] = 1;
  fill(spec, {
    parallelism: 1,
    backoffLimit: spec['backoffLimitPerIndex'] === undefined ? 6 : NO_LIMIT,
    completionMode: 'NonIndexed',
    suspend: false,
    podReplacementPolicy: spec['podFailurePolicy'] === undefined ? 'TerminatingOrFailed' : 'Failed',
    manualSelector: false,
  });
  for (const rule of objectsAt(objectAt(spec, 'podFailurePolicy'), 'rules'))
    for (const condition of objectsAt(rule, 'onPodConditions')) fillText(condition, 'status', 'True');
}

/** A job finds its pods by its own uid, so that no two jobs can ever share one. */
function ownPods(job: JsonObject, spec: JsonObject): void {
  const [uid, name] = [textAt(metadataAt(job), 'uid'), textAt(metadataAt(job), 'name')];
  const labels = { [UID_LABEL]: uid, 'batch.kubernetes.io/job-name': name, 'controller-uid': uid, 'job-name': name };
  const template = ensureObject(ensureObject(spec, 'template'), 'metadata');
  const hadLabels = Object.keys(objectAt(metadataAt(job), 'labels')).length > 0;
  Object.assign(ensureObject(template, 'labels'), labels);
  Object.assign(ensureObject(ensureObject(spec, 'selector'), 'matchLabels'), { [UID_LABEL]: uid });
  if (!hadLabels) job['metadata'] = { ...metadataAt(job), labels: { ...objectAt(template, 'labels') } };
}

function validateJob(job: JsonObject): FieldError[] {
  const spec = specAt(job);
  const errors = validateJobSpec(spec, 'spec');
  const selector = maybeObject(spec, 'selector');
  const labels = maybeObject(objectAt(objectAt(spec, 'template'), 'metadata'), 'labels');
  if (!selector) return [...errors, required('spec.selector')];
  const generated = { matchLabels: { [UID_LABEL]: textAt(metadataAt(job), 'uid') } };
  if (spec['manualSelector'] !== true && !sameJson(selector, generated))
    errors.push(invalidValue('spec.selector', selector, '`selector` not auto-generated'));
  if (!matcherOfSelector(selector).matches((labels ?? {}) as Record<string, string>))
    errors.push(
      invalidValue('spec.template.metadata.labels', labels ?? null, '`selector` does not match template `labels`'),
    );
  return errors;
}

export function validateJobSpec(spec: JsonObject, field: string): FieldError[] {
  const mode = textAt(spec, 'completionMode');
  const restart = textAt(specAt(objectAt(spec, 'template')), 'restartPolicy');
  return [
    ...[
      'parallelism',
      'completions',
      'activeDeadlineSeconds',
      'backoffLimit',
      'ttlSecondsAfterFinished',
      'backoffLimitPerIndex',
      'maxFailedIndexes',
    ].flatMap((name) => notNegative(`${field}.${name}`, numberAt(spec, name))),
    ...(mode === '' ? [] : oneOf(`${field}.completionMode`, mode, COMPLETION_MODES)),
    ...(mode === 'Indexed' && numberAt(spec, 'completions') === undefined
      ? [required(`${field}.completions`, 'when completion mode is Indexed')]
      : []),
    ...validateTemplate(objectAt(spec, 'template'), `${field}.template`),
    ...(['OnFailure', 'Never'].includes(restart)
      ? []
      : [required(`${field}.template.spec.restartPolicy`, 'valid values: "OnFailure", "Never"')]),
  ];
}

function validateJobUpdate(job: JsonObject, old: JsonObject): FieldError[] {
  const [spec, before] = [specAt(job), specAt(old)];
  const errors = validateJobSpec(spec, 'spec');
  const mayGrow =
    textAt(spec, 'completionMode') === 'Indexed' && numberAt(spec, 'completions') === numberAt(spec, 'parallelism');
  if (!mayGrow) errors.push(...unchanged('spec.completions', spec['completions'], before['completions']));
  errors.push(...unchanged('spec.selector', spec['selector'], before['selector']));
  if (!sameJson(spec['template'], before['template']))
    errors.push(invalidValue('spec.template', spec['template'], 'field is immutable'));
  for (const field of ['completionMode', 'podFailurePolicy', 'backoffLimitPerIndex', 'managedBy', 'successPolicy'])
    errors.push(...unchanged(`spec.${field}`, spec[field], before[field]));
  return errors;
}
