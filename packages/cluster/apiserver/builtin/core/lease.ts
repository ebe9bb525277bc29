import type { Strategy } from '../../registry/resource.ts';
import type { FieldError, JsonObject } from '../../schema/structural.ts';
import { invalidValue, notNegative } from '../field-errors.ts';
import { numberAt, specAt } from '../fields.ts';

export const leaseStrategy: Strategy = { validateCreate: validateLease, validateUpdate: validateLease };

function validateLease(lease: JsonObject): FieldError[] {
  const seconds = numberAt(specAt(lease), 'leaseDurationSeconds');
  return [
    ...(seconds !== undefined && seconds <= 0
      ? [invalidValue('spec.leaseDurationSeconds', seconds, 'must be greater than 0')]
      : []),
    ...notNegative('spec.leaseTransitions', numberAt(specAt(lease), 'leaseTransitions')),
  ];
}
