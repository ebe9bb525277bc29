import { schemaOfField } from './correlation.ts';
import type { Json, JsonObject, Structural } from './structural.ts';

/**
 * Fills in the defaults of a schema, outside in: a defaulted object gets its own fields' defaults too. A null where the
 * schema allows none gives way to the default, or goes where there is none. Copies only what changes.
 */
export function applyDefaults(value: JsonObject, schema: Structural): JsonObject {
  return visit(value, schema) as JsonObject;
}

const withDefault = new WeakMap<Structural, readonly (readonly [string, Structural])[]>();

/** Found once: objects of built-in kinds have dozens of properties, of which few have a default. */
function defaultedProperties(schema: Structural): readonly (readonly [string, Structural])[] {
  const known = withDefault.get(schema);
  if (known) return known;
  const found = Object.entries(schema.properties ?? {}).filter(([, property]) => property.default !== undefined);
  withDefault.set(schema, found);
  return found;
}

function visit(node: Json, schema: Structural): Json {
  if (node === null || typeof node !== 'object') return node;
  return Array.isArray(node) ? visitList(node, schema.items) : visitObject(node, schema);
}

function visitList(node: Json[], items: Structural | undefined): Json[] {
  if (!items) return node;
  let result: Json[] | undefined;
  for (let index = 0; index < node.length; index++) {
    const item = node[index] as Json;
    const changed = visit(item === null ? (replacement(items) ?? null) : item, items);
    if (changed === item) continue;
    result ??= [...node];
    result[index] = changed;
  }
  return result ?? node;
}

function visitObject(node: JsonObject, schema: Structural): JsonObject {
  let result: JsonObject | undefined;
  for (const [name, property] of defaultedProperties(schema)) {
    if (Object.hasOwn(node, name)) continue;
    result ??= { ...node };
    result[name] = structuredClone(property.default) as Json;
  }
  for (const name of Object.keys(result ?? node)) {
    const child = (result ?? node)[name] as Json;
    if (child !== null && typeof child !== 'object') continue;
    const below = schemaOfField(schema, name);
    if (!below) continue;
    if (child === null && below.nullable === true) continue;
    const changed = child === null ? replacement(below) : child;
    if (changed === undefined) {
      result ??= { ...node };
      delete result[name];
      continue;
    }
    const settled = visit(changed, below);
    if (settled === child) continue;
    result ??= { ...node };
    result[name] = settled;
  }
  return result ?? node;
}

function replacement(schema: Structural): Json | undefined {
  return schema.default === undefined || schema.nullable === true ? undefined : structuredClone(schema.default as Json);
}
