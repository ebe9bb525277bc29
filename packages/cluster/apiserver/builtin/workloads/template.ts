/** Pod templates inside workloads: the rules of a pod, at another place. */
import type { FieldError, JsonObject } from '../../schema/structural.ts';
import { invalidValue, notSupported, required } from '../field-errors.ts';
import { ensureObject, maybeObject, objectAt, specAt, textAt } from '../fields.ts';
import { defaultPodTemplate } from '../pods/defaults.ts';
import { validatePodSpec } from '../pods/validation.ts';
import { isEmptySelector, matcherOfSelector, validateLabels, validateSelector } from '../selectors.ts';

export function defaultTemplateOf(spec: JsonObject): void {
  defaultPodTemplate(ensureObject(spec, 'template'));
}

/** Workloads that keep pods running run them for ever. */
export function validateRunningTemplate(template: JsonObject, field: string): FieldError[] {
  const errors = validateTemplate(template, field);
  const restart = textAt(specAt(template), 'restartPolicy');
  if (restart !== 'Always') errors.push(notSupported(`${field}.spec.restartPolicy`, restart, ['Always']));
  if (specAt(template)['activeDeadlineSeconds'] !== undefined)
    errors.push({
      field: `${field}.spec.activeDeadlineSeconds`,
      reason: 'FieldValueForbidden',
      message: 'Forbidden: activeDeadlineSeconds in ReplicaSet is not Supported',
    });
  return errors;
}

export function validateTemplate(template: JsonObject, field: string): FieldError[] {
  return [
    ...validateLabels(objectAt(objectAt(template, 'metadata'), 'labels'), `${field}.metadata.labels`),
    ...validatePodSpec(specAt(template), `${field}.spec`),
  ];
}

/** A workload must be able to find the pods that it makes. */
export function validateTemplateSelector(spec: JsonObject, kind: string): FieldError[] {
  const selector = maybeObject(spec, 'selector');
  const labels = maybeObject(objectAt(objectAt(spec, 'template'), 'metadata'), 'labels');
  const mismatch = invalidValue(
    'spec.template.metadata.labels',
    labels ?? null,
    '`selector` does not match template `labels`',
  );
  if (!selector) return [required('spec.selector'), mismatch];
  if (isEmptySelector(selector))
    return [invalidValue('spec.selector', selector, `empty selector is invalid for ${kind}`)];
  const errors = validateSelector(selector, 'spec.selector');
  if (errors.length > 0) return errors;
  return matcherOfSelector(selector).matches((labels ?? {}) as Record<string, string>) ? [] : [mismatch];
}
