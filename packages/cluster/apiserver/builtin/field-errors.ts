/** What is wrong with a field, in the words that every Kubernetes API server uses. */
import type { FieldError, Json } from '../schema/structural.ts';

export const required = (field: string, detail = ''): FieldError => ({
  field,
  reason: 'FieldValueRequired',
  message: detail === '' ? 'Required value' : `Required value: ${detail}`,
});

export const invalidValue = (field: string, value: Json | undefined, detail: string): FieldError => ({
  field,
  reason: 'FieldValueInvalid',
  message: `Invalid value: ${JSON.stringify(value ?? null)}: ${detail}`,
});

export const notSupported = (field: string, value: Json, supported: readonly string[]): FieldError => ({
  field,
  reason: 'FieldValueNotSupported',
  message: `Unsupported value: ${JSON.stringify(value)}: supported values: ${supported.map((one) => JSON.stringify(one)).join(', ')}`,
});

export const duplicate = (field: string, value: Json): FieldError => ({
  field,
  reason: 'FieldValueDuplicate',
  message: `Duplicate value: ${JSON.stringify(value)}`,
});

export const forbiddenField = (field: string, detail: string): FieldError => ({
  field,
  reason: 'FieldValueForbidden',
  message: `Forbidden: ${detail}`,
});

export const missing = (field: string, value: Json): FieldError => ({
  field,
  reason: 'FieldValueNotFound',
  message: `Not found: ${JSON.stringify(value)}`,
});

export const tooLong = (field: string, bytes: number): FieldError => ({
  field,
  reason: 'FieldValueTooLong',
  message: `Too long: may not be more than ${bytes} bytes`,
});

export const IMMUTABLE = 'field is immutable';
export const NOT_NEGATIVE = 'must be greater than or equal to 0';

export function notNegative(field: string, value: number | undefined): FieldError[] {
  return value !== undefined && value < 0 ? [invalidValue(field, value, NOT_NEGATIVE)] : [];
}

export function oneOf(field: string, value: string, supported: readonly string[]): FieldError[] {
  return supported.includes(value) ? [] : [notSupported(field, value, supported)];
}

/** `field` was set already and may not change any more. */
export function unchanged(
  field: string,
  value: Json | undefined,
  old: Json | undefined,
  detail = IMMUTABLE,
): FieldError[] {
  return sameJson(value, old) ? [] : [invalidValue(field, value, detail)];
}

/** Equal whatever the order of fields. */
export function sameJson(a: Json | undefined, b: Json | undefined): boolean {
  if (a === b) return true;
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return false;
  if (Array.isArray(a) || Array.isArray(b)) {
    return (
      Array.isArray(a) &&
      Array.isArray(b) &&
      a.length === b.length &&
      a.every((item, index) => sameJson(item, b[index]))
    );
  }
  const keys = Object.keys(a);
  return (
    keys.length === Object.keys(b).length && keys.every((key) => Object.hasOwn(b, key) && sameJson(a[key], b[key]))
  );
}
