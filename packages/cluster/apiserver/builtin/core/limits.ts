/** LimitRange and ResourceQuota: stored; nothing enforces them yet. */
import { compareQuantities } from '@sandbank/kube';
import type { Strategy } from '../../registry/resource.ts';
import type { FieldError, JsonObject } from '../../schema/structural.ts';
import { invalidValue, NOT_NEGATIVE } from '../field-errors.ts';
import { ensureObject, fill, maybeObject, objectAt, objectsAt, specAt, statusAt } from '../fields.ts';

export const limitRangeStrategy: Strategy = {
  applyDefaults(range) {
    for (const limit of objectsAt(specAt(range), 'limits')) {
      if (limit['type'] !== 'Container') continue;
      const max = maybeObject(limit, 'max');
      if (max) fill(ensureObject(limit, 'default'), max);
      const given = maybeObject(limit, 'default');
      if (given) fill(ensureObject(limit, 'defaultRequest'), given);
      const min = maybeObject(limit, 'min');
      if (min) fill(ensureObject(limit, 'defaultRequest'), min);
    }
  },
};

export const resourceQuotaStrategy: Strategy = {
  prepareCreate(quota) {
    quota['status'] = {};
  },
  validateCreate: validateQuota,
  validateUpdate: validateQuota,
};

function validateQuota(quota: JsonObject): FieldError[] {
  const amounts = [
    ['spec.hard', objectAt(specAt(quota), 'hard')],
    ['status.hard', objectAt(statusAt(quota), 'hard')],
    ['status.used', objectAt(statusAt(quota), 'used')],
  ] as const;
  return amounts.flatMap(([field, list]) =>
    Object.entries(list).flatMap(([name, value]) =>
      typeof value === 'string' && compareQuantities(value, '0') < 0
        ? [invalidValue(`${field}[${name}]`, value, NOT_NEGATIVE)]
        : [],
    ),
  );
}
