/** ReplicaSet and its ancestor, the ReplicationController. */
import type { Strategy } from '../../registry/resource.ts';
import type { FieldError, JsonObject } from '../../schema/structural.ts';
import { invalidValue, notNegative, required, unchanged } from '../field-errors.ts';
import { ensureObject, fill, metadataAt, numberAt, objectAt, specAt } from '../fields.ts';
import { notRunHere } from './not-run-here.ts';
import { defaultTemplateOf, validateRunningTemplate, validateTemplateSelector } from './template.ts';

export const replicaSetStrategy: Strategy = {
  applyDefaults(set) {
    const spec = ensureObject(set, 'spec');
    defaultTemplateOf(spec);
    fill(spec, { replicas: 1 });
  },
  prepareCreate(set) {
    set['status'] = { replicas: 0 };
  },
  selectableFields: ['status.replicas'],
  validateCreate: validateReplicaSet,
  validateUpdate(set, old) {
    return [
      ...validateReplicaSet(set),
      ...unchanged('spec.selector', specAt(set)['selector'], specAt(old)['selector']),
    ];
  },
};

function validateReplicaSet(set: JsonObject): FieldError[] {
  const spec = specAt(set);
  return [
    ...notNegative('spec.replicas', numberAt(spec, 'replicas')),
    ...notNegative('spec.minReadySeconds', numberAt(spec, 'minReadySeconds')),
    ...validateTemplateSelector(spec, 'ReplicaSet'),
    ...validateRunningTemplate(objectAt(spec, 'template'), 'spec.template'),
  ];
}

export const replicationControllerStrategy: Strategy = {
  /** Labels and selector of this old kind are those of its template, where none are given. */
  applyDefaults(controller) {
    const spec = ensureObject(controller, 'spec');
    defaultTemplateOf(spec);
    fill(spec, { replicas: 1 });
    if (spec['minReadySeconds'] === 0) delete spec['minReadySeconds'];
    const labels = objectAt(objectAt(objectAt(spec, 'template'), 'metadata'), 'labels');
    if (Object.keys(labels).length === 0) return;
    fill(spec, { selector: labels });
    if (Object.keys(objectAt(metadataAt(controller), 'labels')).length === 0)
      ensureObject(controller, 'metadata')['labels'] = { ...labels };
  },
  prepareCreate(controller) {
    controller['status'] = { replicas: 0 };
  },
  selectableFields: ['status.replicas'],
  validateCreate: validateController,
  validateUpdate: validateController,
  warnings: notRunHere('ReplicationController'),
};

function validateController(controller: JsonObject): FieldError[] {
  const spec = specAt(controller);
  const [selector, labels] = [
    objectAt(spec, 'selector'),
    objectAt(objectAt(objectAt(spec, 'template'), 'metadata'), 'labels'),
  ];
  const errors = [
    ...notNegative('spec.minReadySeconds', numberAt(spec, 'minReadySeconds')),
    ...(Object.keys(selector).length === 0 ? [required('spec.selector')] : []),
    ...notNegative('spec.replicas', numberAt(spec, 'replicas')),
  ];
  if (Object.entries(selector).some(([key, value]) => labels[key] !== value))
    errors.push(invalidValue('spec.template.metadata.labels', labels, '`selector` does not match template `labels`'));
  return [...errors, ...validateRunningTemplate(objectAt(spec, 'template'), 'spec.template')];
}
