/**
 * Strategic merge patch, for built-in kinds: as a merge patch, but lists whose schema names a merge key are merged by it, and
 * directives inside the patch say what plain JSON can't:
 *
 *   $patch: replace | delete | merge          on an object, or as an element of a list of objects
 *   $deleteFromPrimitiveList/<field>: [...]   values to take out of a list of scalars
 *   $setElementOrder/<field>: [...]           the order that the list shall have
 *   $retainKeys: [...]                        all other keys of the object go
 *
 * Pure: neither the document nor the patch is changed.
 */
import type { Json, JsonObject, Structural } from '../schema/structural.ts';
import { elementOrder } from './element-order.ts';
import { PatchError } from './errors.ts';
import { isObject, ownKey, setKey } from './merge-patch.ts';

const PATCH = '$patch';
const RETAIN_KEYS = '$retainKeys';
const DELETE_FROM = '$deleteFromPrimitiveList/';
const SET_ORDER = '$setElementOrder/';

export function strategicMerge(document: JsonObject, patch: JsonObject, schema: Structural): JsonObject {
  return mergeObject(document, patch, schema);
}

const fieldSchema = (schema: Structural | undefined, key: string): Structural | undefined =>
  schema?.properties?.[key] ??
  (typeof schema?.additionalProperties === 'object' ? schema.additionalProperties : undefined);

const strategiesOf = (schema: Structural | undefined): string[] =>
  schema?.['x-kubernetes-patch-strategy']?.split(',') ?? [];

function mergeObject(original: JsonObject, patch: JsonObject, schema: Structural | undefined): JsonObject {
  const directive = patch[PATCH];
  if (directive === 'replace') return withoutDirectives(omit(patch, PATCH)) as JsonObject;
  if (directive === 'delete') return {};
  if (directive !== undefined && directive !== 'merge') {
    throw new PatchError('invalid', `Unknown patch type found: ${JSON.stringify(directive)}`);
  }
  const result = retained(original, patch);
  for (const [key, value] of Object.entries(patch)) {
    if (key === PATCH || key === RETAIN_KEYS) continue;
    if (key.startsWith(DELETE_FROM) || key.startsWith(SET_ORDER)) continue; // with their field, below
    mergeField(result, key, value, fieldSchema(schema, key));
  }
  applyListDirectives(original, result, patch, schema);
  return result;
}

function mergeField(result: JsonObject, key: string, value: Json, schema: Structural | undefined): void {
  if (value === null) {
    delete result[key];
    return;
  }
  const current = ownKey(result, key);
  const strategies = strategiesOf(schema);
  if (isObject(current) && isObject(value)) {
    setKey(
      result,
      key,
      strategies.includes('replace') ? withoutDirectives(value) : mergeObject(current, value, schema),
    );
  } else if (Array.isArray(current) && Array.isArray(value) && strategies.includes('merge')) {
    setKey(result, key, ordered(mergeList(current, value, schema), value, current, schema));
  } else {
    setKey(result, key, withoutDirectives(value));
  }
}

function mergeList(current: Json[], patch: Json[], schema: Structural | undefined): Json[] {
  const mergeKey = schema?.['x-kubernetes-patch-merge-key'];
  if (mergeKey === undefined) return [...current, ...patch.filter((value) => !current.includes(value))];
  const elements: JsonObject[] = patch.map((element) => {
    if (!isObject(element))
      throw new PatchError('invalid', `expected objects with key ${mergeKey}, got ${JSON.stringify(element)}`);
    return element;
  });
  if (elements.some((element) => element[PATCH] === 'replace')) {
    return elements.filter((element) => element[PATCH] === undefined).map(withoutDirectives);
  }
  let result = [...current];
  for (const element of elements) {
    const key = element[mergeKey];
    if (key === undefined) {
      throw new PatchError(
        'invalid',
        `map: ${JSON.stringify(element)} does not contain declared merge key: ${mergeKey}`,
      );
    }
    const matches = (item: Json) => isObject(item) && item[mergeKey] === key;
    if (element[PATCH] === 'delete') {
      result = result.filter((item) => !matches(item));
      continue;
    }
    const index = result.findIndex(matches);
    const found = result[index];
    if (isObject(found)) result[index] = mergeObject(found, element, schema?.items);
    else result.push(withoutDirectives(element));
  }
  return result;
}

/** Without an order of its own, a list in the patch is the order of its elements. */
function ordered(merged: Json[], patch: Json[], current: Json[], schema: Structural | undefined): Json[] {
  const named = patch.filter((element) => !(isObject(element) && element[PATCH] !== undefined));
  return elementOrder(merged, named, current, schema?.['x-kubernetes-patch-merge-key']);
}

/** `$deleteFromPrimitiveList` and `$setElementOrder` act on the list after its merge, or alone when the patch has no list. */
function applyListDirectives(
  original: JsonObject,
  result: JsonObject,
  patch: JsonObject,
  schema: Structural | undefined,
): void {
  for (const [directive, value] of Object.entries(patch)) {
    if (!directive.startsWith(DELETE_FROM)) continue;
    const list = result[directive.slice(DELETE_FROM.length)];
    if (!Array.isArray(value)) throw new PatchError('invalid', `${directive} must be a list`);
    if (Array.isArray(list)) result[directive.slice(DELETE_FROM.length)] = list.filter((item) => !value.includes(item));
  }
  for (const [directive, order] of Object.entries(patch)) {
    if (!directive.startsWith(SET_ORDER)) continue;
    const key = directive.slice(SET_ORDER.length);
    if (!Array.isArray(order)) throw new PatchError('invalid', `${directive} must be a list`);
    const merged = result[key];
    const before = original[key];
    if (Array.isArray(merged)) {
      const mergeKey = fieldSchema(schema, key)?.['x-kubernetes-patch-merge-key'];
      checkOrder(patch[key], order, mergeKey, key);
      result[key] = elementOrder(merged, order, Array.isArray(before) ? before : [], mergeKey);
    }
  }
}

/** Every element of the patch's list must stand in its order, in that order, or the two contradict each other. */
function checkOrder(list: Json | undefined, order: Json[], mergeKey: string | undefined, field: string): void {
  if (!Array.isArray(list)) return;
  const name = (value: Json) => (mergeKey !== undefined && isObject(value) ? value[mergeKey] : value);
  const names = order.map(name);
  let last = -1;
  for (const element of list) {
    if (isObject(element) && element[PATCH] !== undefined) continue;
    const index = names.indexOf(name(element));
    if (index <= last) {
      throw new PatchError(
        'invalid',
        `The order in patch list:\n${JSON.stringify(list)}\n doesn't match $setElementOrder list of ${field}:\n${JSON.stringify(order)}`,
      );
    }
    last = index;
  }
}

function retained(original: JsonObject, patch: JsonObject): JsonObject {
  const keys = patch[RETAIN_KEYS];
  if (keys === undefined) return { ...original };
  if (!Array.isArray(keys)) throw new PatchError('invalid', '$retainKeys must be a list of strings');
  for (const key of Object.keys(patch)) {
    const isDirective =
      key === PATCH || key === RETAIN_KEYS || key.startsWith(DELETE_FROM) || key.startsWith(SET_ORDER);
    if (!isDirective && patch[key] !== null && !keys.includes(key)) {
      throw new PatchError('invalid', `${RETAIN_KEYS} does not name ${key}, which the patch sets`);
    }
  }
  return Object.fromEntries(Object.entries(original).filter(([key]) => keys.includes(key)));
}

/** What a patch adds where nothing was: the value without its directives and without the nulls that mean "remove". */
function withoutDirectives(value: Json): Json {
  if (Array.isArray(value)) {
    return value.filter((item) => !(isObject(item) && item[PATCH] !== undefined)).map(withoutDirectives);
  }
  if (!isObject(value)) return value;
  const result: JsonObject = {};
  for (const [key, item] of Object.entries(value)) {
    const isDirective =
      key === PATCH || key === RETAIN_KEYS || key.startsWith(DELETE_FROM) || key.startsWith(SET_ORDER);
    if (!isDirective && item !== null) setKey(result, key, withoutDirectives(item));
  }
  return result;
}

function omit(object: JsonObject, key: string): JsonObject {
  const { [key]: _, ...rest } = object;
  return rest;
}
