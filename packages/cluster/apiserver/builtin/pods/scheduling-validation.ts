/** Where a pod may run: tolerations, affinity, spreading, gates. */
import type { FieldError, JsonObject } from '../../schema/structural.ts';
import { duplicate, forbiddenField, invalidValue, notSupported, required } from '../field-errors.ts';
import { maybeObject, numberAt, objectAt, objectsAt, stringsAt, textAt } from '../fields.ts';
import { labelValue, named, qualifiedName } from '../names.ts';
import { validateSelector } from '../selectors.ts';

const EFFECTS = ['NoSchedule', 'PreferNoSchedule', 'NoExecute'];
const UNSATISFIABLE = ['DoNotSchedule', 'ScheduleAnyway'];

export function validateTolerations(spec: JsonObject, field: string): FieldError[] {
  return objectsAt(spec, 'tolerations').flatMap((toleration, index) => {
    const at = `${field}.tolerations[${index}]`;
    const errors: FieldError[] = [];
    const [key, operator, value, effect] = ['key', 'operator', 'value', 'effect'].map((name) =>
      textAt(toleration, name),
    ) as [string, string, string, string];
    if (key !== '') errors.push(...named(`${at}.key`, key, qualifiedName));
    else if (operator !== 'Exists')
      errors.push(
        invalidValue(
          `${at}.operator`,
          operator,
          'operator must be Exists when `key` is empty, which means "match all values and all keys"',
        ),
      );
    if (toleration['tolerationSeconds'] !== undefined && effect !== 'NoExecute')
      errors.push(invalidValue(`${at}.effect`, effect, "effect must be 'NoExecute' when `tolerationSeconds` is set"));
    if (operator === 'Equal' || operator === '') errors.push(...named(`${at}.operator`, value, labelValue));
    else if (operator === 'Exists') {
      if (value !== '')
        errors.push(invalidValue(`${at}.operator`, value, "value must be empty when `operator` is 'Exists'"));
    } else errors.push(notSupported(`${at}.operator`, operator, ['Equal', 'Exists']));
    if (effect !== '' && !EFFECTS.includes(effect)) errors.push(notSupported(`${at}.effect`, effect, EFFECTS));
    return errors;
  });
}

export function validateAffinity(spec: JsonObject, field: string): FieldError[] {
  const affinity = objectAt(spec, 'affinity');
  const at = `${field}.affinity`;
  const errors: FieldError[] = [];
  const ofNode = maybeObject(affinity, 'nodeAffinity');
  if (ofNode) {
    const needed = maybeObject(ofNode, 'requiredDuringSchedulingIgnoredDuringExecution');
    if (needed)
      errors.push(...validateNodeSelector(needed, `${at}.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution`));
    for (const [index, term] of objectsAt(ofNode, 'preferredDuringSchedulingIgnoredDuringExecution').entries()) {
      const place = `${at}.nodeAffinity.preferredDuringSchedulingIgnoredDuringExecution[${index}]`;
      errors.push(...weight(term, place), ...nodeTerm(objectAt(term, 'preference'), `${place}.preference`));
    }
  }
  for (const kind of ['podAffinity', 'podAntiAffinity']) {
    const ofPods = objectAt(affinity, kind);
    const needed = 'requiredDuringSchedulingIgnoredDuringExecution';
    const liked = 'preferredDuringSchedulingIgnoredDuringExecution';
    for (const [index, term] of objectsAt(ofPods, needed).entries())
      errors.push(...podTerm(term, `${at}.${kind}.${needed}[${index}]`));
    for (const [index, term] of objectsAt(ofPods, liked).entries()) {
      const place = `${at}.${kind}.${liked}[${index}]`;
      errors.push(...weight(term, place), ...podTerm(objectAt(term, 'podAffinityTerm'), `${place}.podAffinityTerm`));
    }
  }
  return errors;
}

function weight(term: JsonObject, at: string): FieldError[] {
  const value = numberAt(term, 'weight') ?? 0;
  return value < 1 || value > 100 ? [invalidValue(`${at}.weight`, value, 'must be in the range 1-100')] : [];
}

export function validateNodeSelector(selector: JsonObject, at: string): FieldError[] {
  const terms = objectsAt(selector, 'nodeSelectorTerms');
  if (terms.length === 0) return [required(`${at}.nodeSelectorTerms`, 'must have at least one node selector term')];
  return terms.flatMap((term, index) => nodeTerm(term, `${at}.nodeSelectorTerms[${index}]`));
}

function nodeTerm(term: JsonObject, at: string): FieldError[] {
  return ['matchExpressions', 'matchFields'].flatMap((kind) =>
    objectsAt(term, kind).flatMap((expression, index) => {
      const place = `${at}.${kind}[${index}]`;
      const [operator, count] = [textAt(expression, 'operator'), stringsAt(expression, 'values').length];
      const errors: FieldError[] = [];
      if (operator === 'In' || operator === 'NotIn') {
        if (count === 0)
          errors.push(required(`${place}.values`, "must be specified when `operator` is 'In' or 'NotIn'"));
      } else if (operator === 'Exists' || operator === 'DoesNotExist') {
        if (count > 0)
          errors.push(
            forbiddenField(`${place}.values`, "may not be specified when `operator` is 'Exists' or 'DoesNotExist'"),
          );
      } else if (operator === 'Gt' || operator === 'Lt') {
        if (count !== 1)
          errors.push(required(`${place}.values`, "must be specified single value when `operator` is 'Lt' or 'Gt'"));
      } else errors.push(invalidValue(`${place}.operator`, operator, 'not a valid selector operator'));
      if (kind === 'matchExpressions') errors.push(...named(`${place}.key`, textAt(expression, 'key'), qualifiedName));
      return errors;
    }),
  );
}

function podTerm(term: JsonObject, at: string): FieldError[] {
  const key = textAt(term, 'topologyKey');
  return [
    ...validateSelector(maybeObject(term, 'labelSelector'), `${at}.labelSelector`),
    ...validateSelector(maybeObject(term, 'namespaceSelector'), `${at}.namespaceSelector`),
    ...(key === '' ? [required(`${at}.topologyKey`, 'can not be empty')] : []),
    ...named(`${at}.topologyKey`, key, qualifiedName),
  ];
}

export function validateSpread(spec: JsonObject, field: string): FieldError[] {
  const seen = new Set<string>();
  return objectsAt(spec, 'topologySpreadConstraints').flatMap((constraint, index) => {
    const at = `${field}.topologySpreadConstraints[${index}]`;
    const errors: FieldError[] = [];
    const skew = numberAt(constraint, 'maxSkew') ?? 0;
    if (skew <= 0) errors.push(invalidValue(`${at}.maxSkew`, skew, 'must be greater than zero'));
    const key = textAt(constraint, 'topologyKey');
    if (key === '') errors.push(required(`${at}.topologyKey`, 'can not be empty'));
    else errors.push(...named(`${at}.topologyKey`, key, qualifiedName));
    const when = textAt(constraint, 'whenUnsatisfiable');
    if (!UNSATISFIABLE.includes(when)) errors.push(notSupported(`${at}.whenUnsatisfiable`, when, UNSATISFIABLE));
    const pair = `{${key}, ${when}}`;
    if (seen.has(pair)) errors.push(duplicate(`${at}.{topologyKey, whenUnsatisfiable}`, pair));
    seen.add(pair);
    errors.push(...validateSelector(maybeObject(constraint, 'labelSelector'), `${at}.labelSelector`));
    return errors;
  });
}

export function validateGates(spec: JsonObject, field: string): FieldError[] {
  const seen = new Set<string>();
  return objectsAt(spec, 'schedulingGates').flatMap((gate, index) => {
    const name = textAt(gate, 'name');
    const at = `${field}.schedulingGates[${index}]`;
    const errors = name === '' ? [required(at)] : named(at, name, qualifiedName);
    if (seen.has(name)) errors.push(duplicate(at, name));
    seen.add(name);
    return errors;
  });
}
