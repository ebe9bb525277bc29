import type { Strategy } from '../../registry/resource.ts';
import type { FieldError, JsonObject } from '../../schema/structural.ts';
import { invalidValue, notNegative, oneOf, required } from '../field-errors.ts';
import { ensureObject, fill, fillText, metadataAt, numberAt, objectAt, specAt, textAt } from '../fields.ts';
import { validateJobSpec } from './job.ts';
import { notRunHere } from './not-run-here.ts';
import { defaultTemplateOf } from './template.ts';

/** Room for the suffix that names of its jobs get. */
const MAX_NAME = 52;

export const cronJobStrategy: Strategy = {
  applyDefaults(cron) {
    const spec = ensureObject(cron, 'spec');
    fillText(spec, 'concurrencyPolicy', 'Allow');
    fill(spec, { suspend: false, successfulJobsHistoryLimit: 3, failedJobsHistoryLimit: 1 });
    defaultTemplateOf(ensureObject(ensureObject(spec, 'jobTemplate'), 'spec'));
  },
  prepareCreate(cron) {
    cron['status'] = {};
  },
  validateCreate: (cron) => [...validateCron(cron), ...validateName(cron)],
  validateUpdate: validateCron,
  warnings: notRunHere('CronJob'),
};

function validateCron(cron: JsonObject): FieldError[] {
  const spec = specAt(cron);
  return [
    ...(textAt(spec, 'schedule') === '' ? [required('spec.schedule')] : []),
    ...notNegative('spec.startingDeadlineSeconds', numberAt(spec, 'startingDeadlineSeconds')),
    ...oneOf('spec.concurrencyPolicy', textAt(spec, 'concurrencyPolicy'), ['Allow', 'Forbid', 'Replace']),
    ...validateJobSpec(specAt(objectAt(spec, 'jobTemplate')), 'spec.jobTemplate.spec'),
    ...notNegative('spec.successfulJobsHistoryLimit', numberAt(spec, 'successfulJobsHistoryLimit')),
    ...notNegative('spec.failedJobsHistoryLimit', numberAt(spec, 'failedJobsHistoryLimit')),
  ];
}

function validateName(cron: JsonObject): FieldError[] {
  const name = textAt(metadataAt(cron), 'name');
  return name.length > MAX_NAME
    ? [invalidValue('metadata.name', name, `must be no more than ${MAX_NAME} characters`)]
    : [];
}
