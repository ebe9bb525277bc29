import type { Json, JsonObject, Structural } from '../schema/structural.ts';

/**
 * What a built-in kind looks like before anything was set: its embedded structs are there, its required lists are null.
 * Ownership on create is computed against this, so that `spec` itself is nobody's while `metadata.labels` is somebody's.
 * Custom kinds have nothing before they are created.
 */
export function emptyObject(schema: Structural): JsonObject {
  const result: JsonObject = {};
  for (const [name, property] of Object.entries(schema.properties ?? {})) {
    const value = emptyValue(property, schema.required?.includes(name) ?? false);
    if (value !== undefined) result[name] = value;
  }
  return result;
}

function emptyValue(schema: Structural, required: boolean): Json | undefined {
  const isEmbedded =
    typeof schema.default === 'object' && schema.default !== null && Object.keys(schema.default).length === 0;
  if (isEmbedded && schema.properties) return emptyObject(schema);
  return required && (schema.type === 'array' || schema.type === 'object') ? null : undefined;
}
