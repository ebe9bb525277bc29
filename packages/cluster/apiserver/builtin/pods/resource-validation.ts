import { compareQuantities, parseQuantity } from '@sandbank/kube';
import type { FieldError, JsonObject } from '../../schema/structural.ts';
import { invalidValue, NOT_NEGATIVE, required } from '../field-errors.ts';
import { objectAt } from '../fields.ts';
import { named, qualifiedName } from '../names.ts';

const STANDARD = new Set(['cpu', 'memory', 'ephemeral-storage']);
const isHugePages = (name: string) => name.startsWith('hugepages-');
/** Named by a domain of its own, such as a device: counted whole, and never more asked than allowed. */
const isExtended = (name: string) => name.includes('/') && !name.includes('kubernetes.io/');

export function validateResources(resources: JsonObject, field: string): FieldError[] {
  const [limits, requests] = [objectAt(resources, 'limits'), objectAt(resources, 'requests')];
  const errors: FieldError[] = [];
  for (const [name, value] of Object.entries(limits))
    errors.push(...validateAmount(name, value, `${field}.limits[${name}]`));
  for (const [name, value] of Object.entries(requests)) {
    errors.push(...validateAmount(name, value, `${field}.requests[${name}]`));
    const limit = limits[name];
    if (typeof value !== 'string') continue;
    const mayDiffer = !isExtended(name) && !isHugePages(name);
    if (typeof limit === 'string') {
      const order = compareQuantities(value, limit);
      if (!mayDiffer && order !== 0)
        errors.push(invalidValue(`${field}.requests`, value, `must be equal to ${name} limit of ${limit}`));
      else if (order > 0)
        errors.push(
          invalidValue(`${field}.requests`, value, `must be less than or equal to ${name} limit of ${limit}`),
        );
    } else if (!mayDiffer) {
      errors.push(required(`${field}.limits`, 'Limit must be set for non overcommitable resources'));
    }
  }
  const used = new Set([...Object.keys(limits), ...Object.keys(requests)]);
  if ([...used].some(isHugePages) && !used.has('cpu') && !used.has('memory'))
    errors.push({
      field,
      reason: 'FieldValueForbidden',
      message: 'Forbidden: HugePages require cpu or memory',
    });
  return errors;
}

function validateAmount(name: string, value: unknown, field: string): FieldError[] {
  const errors: FieldError[] = named(field, name, qualifiedName);
  if (errors.length === 0 && !name.includes('/') && !STANDARD.has(name) && !isHugePages(name)) {
    errors.push(
      invalidValue(field, name, 'must be a standard resource type or fully qualified'),
      invalidValue(field, name, 'must be a standard resource for containers'),
    );
  }
  if (typeof value !== 'string') return errors;
  if (compareQuantities(value, '0') < 0) errors.push(invalidValue(field, value, NOT_NEGATIVE));
  const isWhole = parseQuantity(value).nano % 1_000_000_000n === 0n;
  if ((isExtended(name) || isHugePages(name)) && !isWhole)
    errors.push(invalidValue(field, value, 'must be an integer'));
  return errors;
}
