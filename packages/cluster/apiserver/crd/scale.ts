/** The scale subresource of a custom kind: one number in, one number out, wherever the kind keeps them. */
import { invalid } from '../schema/field-errors.ts';
import type { FieldError, Json, JsonObject } from '../schema/structural.ts';
import type { ScalePaths } from './model.ts';

const partsOf = (path: string) => path.replace(/^\./, '').split('.');

function at(object: JsonObject, path: string): Json | undefined {
  return partsOf(path).reduce<Json | undefined>(
    (value, name) =>
      typeof value === 'object' && value !== null && !Array.isArray(value) && Object.hasOwn(value, name)
        ? value[name]
        : undefined,
    object,
  );
}

const numberAt = (object: JsonObject, path: string) => {
  const value = at(object, path);
  return typeof value === 'number' ? value : undefined;
};

/** The Scale that stands for an object; undefined where the object does not say how many it wants. */
export function scaleOf(object: JsonObject, paths: ScalePaths): JsonObject | undefined {
  const replicas = numberAt(object, paths.specReplicasPath);
  if (replicas === undefined) return undefined;
  const { name, namespace, uid, resourceVersion, creationTimestamp } = (object['metadata'] ?? {}) as JsonObject;
  const selector = paths.labelSelectorPath ? at(object, paths.labelSelectorPath) : undefined;
  const metadata = { name, namespace, uid, resourceVersion, creationTimestamp };
  return {
    kind: 'Scale',
    apiVersion: 'autoscaling/v1',
    metadata: Object.fromEntries(Object.entries(metadata).filter(([, value]) => value !== undefined)) as JsonObject,
    spec: replicas === 0 ? {} : { replicas },
    status: {
      replicas: numberAt(object, paths.statusReplicasPath) ?? 0,
      ...(typeof selector === 'string' && selector !== '' && { selector }),
    },
  };
}

/** The object, wanting this many. What is on the way is copied, or made. */
export function withScale(object: JsonObject, replicas: number, { specReplicasPath }: ScalePaths): JsonObject {
  const set = (value: Json | undefined, [name = '', ...rest]: readonly string[]): JsonObject => {
    const own = typeof value === 'object' && value !== null && !Array.isArray(value) ? value : {};
    return { ...own, [name]: rest.length === 0 ? replicas : set(own[name], rest) };
  };
  return set(object, partsOf(specReplicasPath));
}

const MAX_REPLICAS = 2 ** 31 - 1;

export function scaleErrors(object: JsonObject, paths: ScalePaths): FieldError[] {
  return [paths.specReplicasPath, paths.statusReplicasPath].flatMap((path) => {
    const value = at(object, path);
    if (value === undefined || value === null) return [];
    if (typeof value !== 'number') {
      const shown = typeof value === 'string' ? value : JSON.stringify(value);
      const type =
        typeof value === 'boolean'
          ? 'bool'
          : typeof value === 'string'
            ? 'string'
            : Array.isArray(value)
              ? '[]interface {}'
              : 'map[string]interface {}';
      return [invalid(path, 0, `${path} accessor error: ${shown} is of the type ${type}, expected int64`)];
    }
    if (!Number.isInteger(value))
      return [invalid(path, 0, `${path} accessor error: ${value} is of the type float64, expected int64`)];
    if (value < 0) return [invalid(path, value, 'should be a non-negative integer')];
    return value > MAX_REPLICAS ? [invalid(path, value, `should be less than or equal to ${MAX_REPLICAS}`)] : [];
  });
}
