import { schemaOfField } from './correlation.ts';
import type { Json, JsonObject, Structural } from './structural.ts';

export interface Pruned {
  readonly value: JsonObject;
  /** Paths of what was dropped, sorted, as strict validation names them: `spec.foo`, `spec.list[0].bar`. */
  readonly unknown: readonly string[];
}

const RESOURCE_FIELDS = new Set(['apiVersion', 'kind', 'metadata']);

/** Drops what the schema does not know. Copies only what changes; a value without unknown fields comes back as it is. */
export function prune(value: JsonObject, schema: Structural): Pruned {
  const unknown: string[] = [];
  const pruned = pruneObject(value, schema, '', true, unknown);
  return { value: pruned, unknown: unknown.length > 1 ? unknown.sort() : unknown };
}

function visit(node: Json, schema: Structural | undefined, path: string, unknown: string[]): Json {
  if (typeof node !== 'object' || node === null) return node;
  if (!Array.isArray(node)) return pruneObject(node, schema, path, false, unknown);
  // Below a list that keeps everything, items without a schema are nobody's business.
  if (schema?.['x-kubernetes-preserve-unknown-fields'] === true && schema.items === undefined) return node;
  let result: Json[] | undefined;
  for (let index = 0; index < node.length; index++) {
    const item = node[index] as Json;
    const kept = visit(item, schema?.items, `${path}[${index}]`, unknown);
    if (kept === item) continue;
    result ??= [...node];
    result[index] = kept;
  }
  return result ?? node;
}

function pruneObject(
  node: JsonObject,
  schema: Structural | undefined,
  path: string,
  isRoot: boolean,
  unknown: string[],
): JsonObject {
  const keepsUnknown = schema?.['x-kubernetes-preserve-unknown-fields'] === true;
  const isResource = isRoot || schema?.['x-kubernetes-embedded-resource'] === true;
  let result: JsonObject | undefined;
  for (const name of Object.keys(node)) {
    const child = node[name] as Json;
    const below = schema && schemaOfField(schema, name);
    if (isResource && RESOURCE_FIELDS.has(name)) {
      // Of metadata, what is not known to any kind goes; a CRD's own narrower idea of it does not count.
      if (name !== 'metadata' || below?.properties?.['managedFields'] === undefined) continue;
    } else if (below === undefined && schema?.additionalProperties !== true) {
      if (keepsUnknown) continue;
      unknown.push(path === '' ? name : `${path}.${name}`);
      result ??= { ...node };
      delete result[name];
      continue;
    }
    if (typeof child !== 'object' || child === null) continue;
    const kept = visit(child, below, path === '' ? name : `${path}.${name}`, unknown);
    if (kept === child) continue;
    result ??= { ...node };
    result[name] = kept;
  }
  return result ?? node;
}
