import type { Strategy } from '../../registry/resource.ts';
import type { FieldError, JsonObject } from '../../schema/structural.ts';
import { forbiddenField, invalidValue, notNegative, sameJson } from '../field-errors.ts';
import { ensureObject, fill, fillText, numberAt, objectAt, objectsAt, specAt, textAt } from '../fields.ts';
import { notRunHere } from './not-run-here.ts';
import { defaultTemplateOf, validateRunningTemplate, validateTemplateSelector } from './template.ts';

const MAY_CHANGE = [
  'replicas',
  'ordinals',
  'template',
  'updateStrategy',
  'revisionHistoryLimit',
  'persistentVolumeClaimRetentionPolicy',
  'minReadySeconds',
];
const CHANGES_MESSAGE =
  "updates to statefulset spec for fields other than 'replicas', 'ordinals', 'template', 'updateStrategy', 'revisionHistoryLimit', 'persistentVolumeClaimRetentionPolicy' and 'minReadySeconds' are forbidden";

export const statefulSetStrategy: Strategy = {
  applyDefaults(set) {
    const spec = ensureObject(set, 'spec');
    defaultTemplateOf(spec);
    fillText(spec, 'podManagementPolicy', 'OrderedReady');
    fill(spec, { replicas: 1, revisionHistoryLimit: 10 });
    const update = ensureObject(spec, 'updateStrategy');
    fillText(update, 'type', 'RollingUpdate');
    if (update['type'] === 'RollingUpdate') fill(ensureObject(update, 'rollingUpdate'), { partition: 0 });
    const retention = ensureObject(spec, 'persistentVolumeClaimRetentionPolicy');
    fillText(retention, 'whenDeleted', 'Retain');
    fillText(retention, 'whenScaled', 'Retain');
    for (const claim of objectsAt(spec, 'volumeClaimTemplates')) {
      fill(claim, { apiVersion: 'v1', kind: 'PersistentVolumeClaim' });
      fill(ensureObject(claim, 'spec'), { volumeMode: 'Filesystem' });
      fill(ensureObject(claim, 'status'), { phase: 'Pending' });
    }
  },
  prepareCreate(set) {
    set['status'] = { replicas: 0, availableReplicas: 0 };
  },
  validateCreate: validateStatefulSet,
  validateUpdate(set, old) {
    const fixed = (spec: JsonObject) =>
      Object.fromEntries(Object.entries(spec).filter(([field]) => !MAY_CHANGE.includes(field)));
    const errors = validateStatefulSet(set);
    if (!sameJson(fixed(specAt(set)), fixed(specAt(old)))) errors.push(forbiddenField('spec', CHANGES_MESSAGE));
    return errors;
  },
  warnings: notRunHere('StatefulSet'),
};

function validateStatefulSet(set: JsonObject): FieldError[] {
  const spec = specAt(set);
  const policy = textAt(spec, 'podManagementPolicy');
  const type = textAt(objectAt(spec, 'updateStrategy'), 'type');
  return [
    ...(['OrderedReady', 'Parallel'].includes(policy)
      ? []
      : [invalidValue('spec.podManagementPolicy', policy, "must be 'OrderedReady' or 'Parallel'")]),
    ...(['RollingUpdate', 'OnDelete'].includes(type)
      ? []
      : [invalidValue('spec.updateStrategy', type, "must be 'RollingUpdate' or 'OnDelete'")]),
    ...notNegative('spec.replicas', numberAt(spec, 'replicas')),
    ...notNegative('spec.minReadySeconds', numberAt(spec, 'minReadySeconds')),
    ...validateTemplateSelector(spec, 'statefulset'),
    ...validateRunningTemplate(objectAt(spec, 'template'), 'spec.template'),
  ];
}
