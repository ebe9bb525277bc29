/** Lists of type `set` and `map` hold nothing twice. */
import { isObject, schemaOfField } from './correlation.ts';
import { duplicate, invalid } from './field-errors.ts';
import { formatJson } from './go-format.ts';
import type { FieldError, Json, JsonObject, Structural } from './structural.ts';

export function validateListTypes(value: Json, schema: Structural, path = ''): FieldError[] {
  if (Array.isArray(value)) {
    const below = schema.items;
    return [
      ...ownErrors(value, schema, path),
      ...(below ? value.flatMap((item, index) => validateListTypes(item, below, `${path}[${index}]`)) : []),
    ];
  }
  if (!isObject(value)) return [];
  return Object.entries(value).flatMap(([name, child]) => {
    const below = schemaOfField(schema, name);
    if (!below || typeof child !== 'object' || child === null) return [];
    return validateListTypes(child, below, childPath(path, name, schema));
  });
}

/** Keys of maps stand in brackets, properties after a dot. */
export function childPath(path: string, name: string, { properties }: Structural): string {
  if (properties === undefined || !Object.hasOwn(properties, name)) return `${path}[${name}]`;
  return path === '' ? name : `${path}.${name}`;
}

function ownErrors(list: Json[], schema: Structural, path: string): FieldError[] {
  const type = schema['x-kubernetes-list-type'];
  if (type === 'set') return repeated(list).map((index) => duplicate(`${path}[${index}]`, list[index] ?? null));
  if (type !== 'map') return [];
  const stranger = list.findIndex((item) => item !== null && !isObject(item));
  if (stranger >= 0) {
    const why = 'must be an object for an array of list-type map';
    return [invalid(`${path}[${stranger}]`, list[stranger] ?? null, why)];
  }
  const keys = list.map((item) => keyOf(item as JsonObject | null, schema['x-kubernetes-list-map-keys'] ?? []));
  return repeated(keys).map((index) => duplicate(`${path}[${index}]`, keys[index]));
}

function keyOf(item: JsonObject | null, names: readonly string[]): JsonObject {
  const given = names.filter((name) => item !== null && Object.hasOwn(item, name));
  return Object.fromEntries(given.map((name) => [name, item?.[name] ?? null]));
}

/** Where something comes for the second time; third and later ones are not told. */
function repeated(list: readonly Json[]): number[] {
  if (list.length < 2) return [];
  const times = new Map<string, number>();
  return list.flatMap((item, index) => {
    const text = formatJson(item);
    const before = times.get(text) ?? 0;
    times.set(text, before + 1);
    return before === 1 ? [index] : [];
  });
}
