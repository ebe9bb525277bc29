/** What may still change in a pod that exists: little, because a node may be running it already. */
import type { FieldError, JsonObject } from '../../schema/structural.ts';
import { forbiddenField, invalidValue, sameJson } from '../field-errors.ts';
import { numberAt, objectAt, objectsAt, specAt, textAt } from '../fields.ts';
import { validateLabels } from '../selectors.ts';

const ALLOWED =
  'pod updates may not change fields other than `spec.containers[*].image`,`spec.initContainers[*].image`,`spec.activeDeadlineSeconds`,`spec.tolerations` (only additions to existing tolerations),`spec.terminationGracePeriodSeconds` (allow it to be set to 1 if it was previously negative)';

export function validatePodUpdate(pod: JsonObject, old: JsonObject): FieldError[] {
  const [spec, before] = [specAt(pod), specAt(old)];
  const counts = containerCounts(spec, before);
  if (counts.length > 0) return counts;
  const errors: FieldError[] = [...images(spec), ...deadline(spec, before), ...tolerations(spec, before)];
  const gates = schedulingGates(spec, before);
  errors.push(...gates);
  // The rest must be as it was, once everything that may change is put back.
  const rest: JsonObject = {
    ...spec,
    containers: withImages(spec, before, 'containers'),
    ...(spec['initContainers'] === undefined ? {} : { initContainers: withImages(spec, before, 'initContainers') }),
  };
  for (const field of ['activeDeadlineSeconds', 'tolerations', 'schedulingGates', 'ephemeralContainers'])
    putBack(rest, before, field);
  if (
    (numberAt(before, 'terminationGracePeriodSeconds') ?? 0) < 0 &&
    numberAt(spec, 'terminationGracePeriodSeconds') === 1
  )
    putBack(rest, before, 'terminationGracePeriodSeconds');
  const isGated = objectsAt(before, 'schedulingGates').length > 0;
  if (isGated) {
    errors.push(...gatedSelector(spec, before));
    putBack(rest, before, 'nodeSelector');
    putBack(rest, before, 'affinity');
  }
  if (!sameJson(rest, before)) errors.push(forbiddenField('spec', ALLOWED));
  return errors;
}

function putBack(rest: JsonObject, before: JsonObject, field: string): void {
  const value = before[field];
  if (value === undefined) delete rest[field];
  else rest[field] = value;
}

function containerCounts(spec: JsonObject, before: JsonObject): FieldError[] {
  return ['containers', 'initContainers']
    .filter((kind) => objectsAt(spec, kind).length !== objectsAt(before, kind).length)
    .map((kind) => forbiddenField(`spec.${kind}`, 'pod updates may not add or remove containers'));
}

function withImages(spec: JsonObject, before: JsonObject, kind: string): JsonObject[] {
  const old = objectsAt(before, kind);
  return objectsAt(spec, kind).map((container, index) => {
    const image = old[index]?.['image'];
    return image === undefined ? container : { ...container, image };
  });
}

function images(spec: JsonObject): FieldError[] {
  return ['containers', 'initContainers'].flatMap((kind) =>
    objectsAt(spec, kind).flatMap((container, index) => {
      const image = textAt(container, 'image');
      const at = `spec.${kind}[${index}].image`;
      if (image === '') return [{ field: at, reason: 'FieldValueRequired', message: 'Required value' } as const];
      return image.trim() === image ? [] : [invalidValue(at, image, 'must not have leading or trailing whitespace')];
    }),
  );
}

function deadline(spec: JsonObject, before: JsonObject): FieldError[] {
  const field = 'spec.activeDeadlineSeconds';
  const [now, then] = [numberAt(spec, 'activeDeadlineSeconds'), numberAt(before, 'activeDeadlineSeconds')];
  if (now !== undefined) {
    if (now < 0 || now > 2_147_483_647)
      return [invalidValue(field, now, 'must be between 0 and 2147483647, inclusive')];
    return then !== undefined && then < now
      ? [invalidValue(field, now, 'must be less than or equal to previous value')]
      : [];
  }
  return then === undefined ? [] : [invalidValue(field, null, 'must not update from a positive integer to nil value')];
}

function tolerations(spec: JsonObject, before: JsonObject): FieldError[] {
  const withoutSeconds = ({ tolerationSeconds: _, ...rest }: JsonObject) => rest;
  const now = objectsAt(spec, 'tolerations').map(withoutSeconds);
  const lost = objectsAt(before, 'tolerations').some(
    (one) => !now.some((other) => sameJson(other, withoutSeconds(one))),
  );
  return lost
    ? [forbiddenField('spec.tolerations', 'existing toleration can not be modified except its tolerationSeconds')]
    : [];
}

function schedulingGates(spec: JsonObject, before: JsonObject): FieldError[] {
  const known = new Set(objectsAt(before, 'schedulingGates').map((gate) => textAt(gate, 'name')));
  return objectsAt(spec, 'schedulingGates').flatMap((gate, index) => {
    const name = textAt(gate, 'name');
    return known.has(name)
      ? []
      : [
          forbiddenField(
            `spec.schedulingGates[${index}].name`,
            `only deletion is allowed, but found new scheduling gate '${name}'`,
          ),
        ];
  });
}

/** While it is gated nothing has been decided: a selector may be narrowed. */
function gatedSelector(spec: JsonObject, before: JsonObject): FieldError[] {
  const [now, then] = [objectAt(spec, 'nodeSelector'), objectAt(before, 'nodeSelector')];
  const errors = validateLabels(now, 'spec.nodeSelector');
  if (Object.entries(then).some(([key, value]) => now[key] !== value))
    errors.push(invalidValue('spec.nodeSelector', now, 'only additions are allowed (no mutations or deletions)'));
  return errors;
}
