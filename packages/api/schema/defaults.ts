import type { ObjectOf } from '@sandbank/kube';
import { type JsonSchema, schemaOf } from './crd.ts';
import type { ApiKind, InputOf } from './kind.ts';

/**
 * What the API server would hand out for an object that a user wrote: a null where none is allowed counts as absent,
 * and absent fields get their defaults, which may themselves be filled further. Nothing that was passed in is changed.
 */
export function withDefaults<K extends ApiKind>(kind: K, object: InputOf<K>): ObjectOf<K> {
  return filled(schemaOf(kind), object) as ObjectOf<K>;
}

function filled(schema: JsonSchema, value: unknown): unknown {
  if (Array.isArray(value)) {
    const { items } = schema;
    return items ? value.map((item) => filled(items, item)) : value;
  }
  if (typeof value !== 'object' || value === null) return value;
  const { properties = {}, additionalProperties } = schema;
  const kept = Object.entries(value).flatMap(([key, inner]) => {
    const known = Object.hasOwn(properties, key) ? properties[key] : additionalProperties;
    if (inner === undefined || (inner === null && known)) return [];
    return [[key, known ? filled(known, inner) : inner] as const];
  });
  const present = new Set(kept.map(([key]) => key));
  const added = Object.entries(properties).flatMap(([key, property]) =>
    property.default === undefined || present.has(key)
      ? []
      : [[key, filled(property, structuredClone(property.default))] as const],
  );
  // Not by assignment: a label may be called __proto__.
  return Object.fromEntries([...kept, ...added]);
}
