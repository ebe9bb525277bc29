/** Which old value belongs to which new one on an update: by name in objects, by keys in lists of type `map`, else none. */
import { isDeepStrictEqual } from 'node:util';
import type { Json, JsonObject, Structural } from './structural.ts';

export const isObject = (value: Json | undefined): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Undefined where there is nothing to compare with. */
export function oldField(old: Json | undefined, name: string): Json | undefined {
  return isObject(old) && Object.hasOwn(old, name) ? old[name] : undefined;
}

/** Finds the old items of a list by their keys. */
export function oldItems(old: Json | undefined, schema: Structural): (item: Json) => Json | undefined {
  const keys = schema['x-kubernetes-list-map-keys'];
  if (schema['x-kubernetes-list-type'] !== 'map' || !keys || !Array.isArray(old)) return () => undefined;
  let byKey: Map<string, Json> | undefined;
  const keyOf = (item: Json) => JSON.stringify(keys.map((key) => (isObject(item) ? (item[key] ?? null) : null)));
  return (item) => {
    byKey ??= new Map(old.map((one) => [keyOf(one), one]));
    return byKey.get(keyOf(item));
  };
}

export function isSame(value: Json, old: Json): boolean {
  return value === old || isDeepStrictEqual(value, old);
}

export function schemaOfField(schema: Structural, name: string): Structural | undefined {
  const { properties, additionalProperties } = schema;
  if (properties && Object.hasOwn(properties, name)) return properties[name];
  return typeof additionalProperties === 'object' ? additionalProperties : undefined;
}
