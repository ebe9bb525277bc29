/** Events: one kind of object, served under two groups. The core form is what is stored. */
import type { Strategy } from '../../registry/resource.ts';
import type { FieldError, JsonObject } from '../../schema/structural.ts';
import { invalidValue, required } from '../field-errors.ts';
import { fill, metadataAt, objectAt, textAt } from '../fields.ts';

export const coreEventStrategy: Strategy = {
  applyDefaults(event) {
    fill(event, { source: {}, reportingComponent: '', reportingInstance: '' });
  },
  selectableFields: [
    'involvedObject.kind',
    'involvedObject.namespace',
    'involvedObject.name',
    'involvedObject.uid',
    'involvedObject.apiVersion',
    'involvedObject.resourceVersion',
    'involvedObject.fieldPath',
    'reason',
    'reportingComponent',
    'source',
    'type',
  ],
  validateCreate: validateCore,
  validateUpdate: validateCore,
};

function validateCore(event: JsonObject): FieldError[] {
  const [namespace, of] = [
    textAt(metadataAt(event), 'namespace'),
    textAt(objectAt(event, 'involvedObject'), 'namespace'),
  ];
  const isElsewhere = of === '' ? namespace !== 'default' && namespace !== '' : of !== namespace;
  return isElsewhere && of !== ''
    ? [invalidValue('involvedObject.namespace', of, 'does not match event.namespace')]
    : [];
}

/** The newer group asks for more; whoever writes through it is held to that. */
export function validateNewEvent(event: JsonObject): FieldError[] {
  const errors: FieldError[] = [];
  if (typeof event['eventTime'] !== 'string') errors.push(required('eventTime'));
  else {
    const controller = textAt(event, 'reportingController');
    for (const [field, value] of [
      ['reportingController', controller],
      ['reportingInstance', textAt(event, 'reportingInstance')],
      ['action', textAt(event, 'action')],
      ['reason', textAt(event, 'reason')],
    ] as const)
      if (value === '') errors.push(required(field));
  }
  const type = textAt(event, 'type');
  if (type !== 'Normal' && type !== 'Warning') errors.push(invalidValue('type', '', `has invalid value: ${type}`));
  return errors;
}
