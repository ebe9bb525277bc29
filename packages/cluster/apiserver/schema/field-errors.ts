/** The kinds of field errors, in the words in which every part of the real server says them. */
import { formatValue, quote } from './go-format.ts';
import type { FieldError, Json } from './structural.ts';

/** What the real server prints where an error belongs to no field. */
export const NO_FIELD = '<nil>';

const withDetail = (head: string, detail: string) => (detail === '' ? head : `${head}: ${detail}`);

/** An undefined value is left out: objects and lists are too long to be repeated. */
export function invalid(field: string, value: Json | undefined, detail: string): FieldError {
  const head = value === undefined ? 'Invalid value' : `Invalid value: ${formatValue(value)}`;
  return { field, reason: 'FieldValueInvalid', message: withDetail(head, detail) };
}

export function typeInvalid(field: string, value: Json, detail: string): FieldError {
  return { ...invalid(field, value, detail), reason: 'FieldValueTypeInvalid' };
}

export function required(field: string, detail = ''): FieldError {
  return { field, reason: 'FieldValueRequired', message: withDetail('Required value', detail) };
}

export function forbidden(field: string, detail: string): FieldError {
  return { field, reason: 'FieldValueForbidden', message: withDetail('Forbidden', detail) };
}

export function duplicate(field: string, value: Json | undefined): FieldError {
  const message = value === undefined ? 'Duplicate value' : `Duplicate value: ${formatValue(value)}`;
  return { field, reason: 'FieldValueDuplicate', message };
}

export function notSupported(field: string, value: Json, supported: readonly string[]): FieldError {
  const detail = supported.length === 0 ? '' : `supported values: ${supported.map(quote).join(', ')}`;
  const message = withDetail(`Unsupported value: ${formatValue(value)}`, detail);
  return { field, reason: 'FieldValueNotSupported', message };
}

export function tooLong(field: string, max: number): FieldError {
  const message = `Too long: may not be more than ${max} ${max === 1 ? 'byte' : 'bytes'}`;
  return { field, reason: 'FieldValueTooLong', message };
}

export function tooMany(field: string, actual: number, max: number): FieldError {
  const message = `Too many: ${actual}: must have at most ${max} ${max === 1 ? 'item' : 'items'}`;
  return { field, reason: 'FieldValueTooMany', message };
}
