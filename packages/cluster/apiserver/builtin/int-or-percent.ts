import type { FieldError, Json } from '../schema/structural.ts';
import { invalidValue, NOT_NEGATIVE } from './field-errors.ts';

/** A count, or a share of some whole. */
export function validateIntOrPercent(value: Json | undefined, field: string): FieldError[] {
  if (typeof value === 'number') return value < 0 ? [invalidValue(field, value, NOT_NEGATIVE)] : [];
  if (typeof value !== 'string') return [];
  if (!/^[0-9]+%$/.test(value))
    return [
      invalidValue(
        field,
        value,
        "a valid percent string must be a numeric string followed by an ending '%' (e.g. '1%',  or '93%', regex used for validation is '[0-9]+%')",
      ),
    ];
  return Number.parseInt(value, 10) > 100 ? [invalidValue(field, value, 'must not be greater than 100%')] : [];
}
