/** Label selectors and labels that stand inside specs. */
import { type LabelMatcher, type LabelSelectorObject, labelSelector } from '@sandbank/kube';
import type { FieldError, JsonObject } from '../schema/structural.ts';
import { forbiddenField, invalidValue, required } from './field-errors.ts';
import { objectAt, objectsAt, stringsAt, textAt } from './fields.ts';
import { labelValue, named, qualifiedName } from './names.ts';

export function validateLabels(labels: JsonObject, field: string): FieldError[] {
  return Object.entries(labels).flatMap(([key, value]) => [
    ...named(field, key, qualifiedName),
    ...(typeof value === 'string' ? named(field, value, labelValue) : []),
  ]);
}

export function validateSelector(selector: JsonObject | undefined, field: string): FieldError[] {
  if (!selector) return [];
  const errors = validateLabels(objectAt(selector, 'matchLabels'), `${field}.matchLabels`);
  for (const [index, expression] of objectsAt(selector, 'matchExpressions').entries()) {
    const at = `${field}.matchExpressions[${index}]`;
    const operator = textAt(expression, 'operator');
    const count = stringsAt(expression, 'values').length;
    if (operator === 'In' || operator === 'NotIn') {
      if (count === 0) errors.push(required(`${at}.values`, "must be specified when `operator` is 'In' or 'NotIn'"));
    } else if (operator === 'Exists' || operator === 'DoesNotExist') {
      if (count > 0)
        errors.push(
          forbiddenField(`${at}.values`, "may not be specified when `operator` is 'Exists' or 'DoesNotExist'"),
        );
    } else errors.push(invalidValue(`${at}.operator`, operator, 'not a valid selector operator'));
    errors.push(...named(`${at}.key`, textAt(expression, 'key'), qualifiedName));
    for (const [at2, value] of stringsAt(expression, 'values').entries())
      errors.push(...named(`${at}.values[${at2}]`, value, labelValue));
  }
  return errors;
}

export const isEmptySelector = (selector: JsonObject | undefined): boolean =>
  selector !== undefined &&
  Object.keys(objectAt(selector, 'matchLabels')).length === 0 &&
  objectsAt(selector, 'matchExpressions').length === 0;

export const matcherOfSelector = (selector: JsonObject | undefined): LabelMatcher =>
  labelSelector(selector as LabelSelectorObject | undefined);

/** As `kubectl get -o wide` shows a selector: `a=b,c in (d,e),!f`. */
export function selectorText(selector: JsonObject | undefined): string {
  if (!selector) return '<none>';
  const parts = Object.entries(objectAt(selector, 'matchLabels')).map(([key, value]): [string, string] => [
    key,
    `${key}=${String(value)}`,
  ]);
  for (const expression of objectsAt(selector, 'matchExpressions')) {
    const key = textAt(expression, 'key');
    const values = [...stringsAt(expression, 'values')].sort().join(',');
    const texts: Record<string, string> = {
      In: `${key} in (${values})`,
      NotIn: `${key} notin (${values})`,
      Exists: key,
      DoesNotExist: `!${key}`,
    };
    parts.push([key, texts[textAt(expression, 'operator')] ?? '']);
  }
  if (parts.length === 0) return '<none>';
  return parts
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([, text]) => text)
    .join(',');
}

/** A plain map of labels as a selector. */
export function labelsText(labels: JsonObject): string {
  const parts = Object.entries(labels).map(([key, value]) => `${key}=${String(value)}`);
  return parts.length === 0 ? '<none>' : parts.sort().join(',');
}
