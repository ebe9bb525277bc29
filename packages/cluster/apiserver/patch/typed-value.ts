/**
 * A JSON value seen through its schema: which fields it has, how two of them differ, how one is merged into another.
 * Objects are granular and lists atomic unless the schema says otherwise, as server-side apply defines it.
 */
import type { Json, JsonObject, Structural } from '../schema/structural.ts';
import { type FieldSet, FieldSetBuilder, schemaOfField } from './field-set.ts';
import { isObject, ownKey, setKey } from './merge-patch.ts';

type Shape = 'leaf' | 'map' | 'keyed-list' | 'set';

function shapeOf(value: Json | undefined, schema: Structural | undefined): Shape {
  if (isObject(value)) return schema?.['x-kubernetes-map-type'] === 'atomic' ? 'leaf' : 'map';
  if (!Array.isArray(value)) return 'leaf';
  const listType = schema?.['x-kubernetes-list-type'];
  return listType === 'map' ? 'keyed-list' : listType === 'set' ? 'set' : 'leaf';
}

export class DuplicateElement extends Error {
  override readonly name = 'DuplicateElement';
}

/** `k:{"name":"main"}` or `v:"x"`. A key that the element leaves out has its default. */
function elementOf(item: Json, shape: Shape, schema: Structural | undefined): string {
  if (shape === 'set') return `v:${JSON.stringify(item)}`;
  const keys = [...(schema?.['x-kubernetes-list-map-keys'] ?? [])].sort();
  const key: JsonObject = {};
  for (const name of keys) {
    const value =
      (isObject(item) ? ownKey(item, name) : undefined) ??
      (schema?.items?.properties?.[name]?.default as Json | undefined);
    if (value !== undefined) key[name] = value;
  }
  return `k:${JSON.stringify(key)}`;
}

function elementsOf(list: readonly Json[], shape: Shape, schema: Structural | undefined): Map<string, Json> {
  const elements = new Map<string, Json>();
  for (const item of list) {
    const element = elementOf(item, shape, schema);
    if (elements.has(element)) throw new DuplicateElement(`duplicate entries for key [${element.slice(2)}]`);
    elements.set(element, item);
  }
  return elements;
}

const isBare = (value: Json) => value === null || (isObject(value) && Object.keys(value).length === 0);

/** The fields that an applied configuration names. */
export function fieldSetOf(value: Json, schema: Structural | undefined): FieldSet {
  const set = new FieldSetBuilder();
  visit(value, schema, []);
  return set;

  function visit(node: Json, at: Structural | undefined, path: readonly string[]): void {
    const shape = shapeOf(node, at);
    if (shape === 'map') {
      for (const [name, child] of Object.entries(node as JsonObject)) {
        const childPath = [...path, `f:${name}`];
        visit(child, schemaOfField(at, name), childPath);
        if (isBare(child) || !at?.properties?.[name]) set.insert(childPath);
      }
    } else if (shape === 'leaf') {
      set.insert(path);
    } else {
      for (const [element, item] of elementsOf(node as Json[], shape, at)) {
        visit(item, at?.items, [...path, element]);
        set.insert([...path, element]);
      }
    }
  }
}

export interface Comparison {
  readonly added: FieldSet;
  readonly modified: FieldSet;
  readonly removed: FieldSet;
}

/** What changed from `before` to `after`. Containers that came or went count beside their fields. */
export function compare(before: Json | undefined, after: Json | undefined, schema: Structural | undefined): Comparison {
  const added = new FieldSetBuilder();
  const modified = new FieldSetBuilder();
  const removed = new FieldSetBuilder();
  visit(before, after, schema, []);
  return { added, modified, removed };

  function visit(a: Json | undefined, b: Json | undefined, at: Structural | undefined, path: readonly string[]): void {
    if (a === undefined && b === undefined) return;
    const [shapeA, shapeB] = [shapeOf(a ?? b, at), shapeOf(b ?? a, at)];
    const bothEmpty = isEmptyContainer(a) && isEmptyContainer(b);
    if (shapeA !== shapeB) {
      // An object that became a scalar, or the like: all of the one went, all of the other came.
      visit(a, undefined, at, path);
      visit(undefined, b, at, path);
      return;
    }
    if (shapeA === 'leaf' || bothEmpty) {
      if (a === undefined) added.insert(path);
      else if (b === undefined) removed.insert(path);
      else if (!sameJson(a, b)) modified.insert(path);
      return;
    }
    if (shapeA === 'map') {
      const [left, right] = [(a ?? {}) as JsonObject, (b ?? {}) as JsonObject];
      for (const name of new Set([...Object.keys(left), ...Object.keys(right)])) {
        visit(ownKey(left, name), ownKey(right, name), schemaOfField(at, name), [...path, `f:${name}`]);
      }
    } else {
      const [left, right] = [elementsOf((a ?? []) as Json[], shapeA, at), elementsOf((b ?? []) as Json[], shapeA, at)];
      for (const element of new Set([...left.keys(), ...right.keys()])) {
        visit(left.get(element), right.get(element), at?.items, [...path, element]);
      }
    }
    if (a === undefined) added.insert(path);
    else if (b === undefined) removed.insert(path);
  }
}

const isEmptyContainer = (value: Json | undefined) =>
  value === undefined ||
  (Array.isArray(value) ? value.length === 0 : isObject(value) && Object.keys(value).length === 0);

/** Equal as JSON: the order of keys does not count, the order of a list does. */
export function sameJson(a: Json | undefined, b: Json | undefined): boolean {
  if (a === b) return true;
  if (Array.isArray(a) && Array.isArray(b))
    return a.length === b.length && a.every((item, index) => sameJson(item, b[index]));
  if (!isObject(a) || !isObject(b)) return false;
  const keys = Object.keys(a);
  return (
    keys.length === Object.keys(b).length && keys.every((key) => Object.hasOwn(b, key) && sameJson(a[key], b[key]))
  );
}

/** `config` laid over `live`: what it names wins, what it does not name stays. */
export function mergeTyped(live: Json | undefined, config: Json | undefined, schema: Structural | undefined): Json {
  if (config === undefined) return live as Json;
  if (live === undefined) return config;
  const shape = shapeOf(config, schema);
  if (shape !== shapeOf(live, schema) || shape === 'leaf') return config;
  if (shape === 'map') {
    const result: JsonObject = { ...(live as JsonObject) };
    for (const [name, value] of Object.entries(config as JsonObject)) {
      setKey(result, name, mergeTyped(ownKey(result, name), value, schemaOfField(schema, name)));
    }
    return result;
  }
  return mergeElements(elementsOf(live as Json[], shape, schema), elementsOf(config as Json[], shape, schema), schema);
}

/** Elements of the configuration come in its order; those that only the live list has keep their place before what followed them. */
function mergeElements(live: Map<string, Json>, config: Map<string, Json>, schema: Structural | undefined): Json[] {
  const shared = [...config.keys()].filter((element) => live.has(element));
  const left = [...live.keys()];
  const right = [...config.keys()];
  const result: Json[] = [];
  let [l, r] = [0, 0];
  const take = (element: string) => {
    result.push(mergeTyped(live.get(element), config.get(element), schema?.items));
    if (shared[0] === element) shared.shift();
  };
  while (l < left.length || r < right.length) {
    const [a, b] = [left[l], right[r]];
    if (a !== undefined && a === b) {
      take(a);
      l++;
      r++;
    } else if (a !== undefined && b !== undefined && config.has(a) && shared[0] !== undefined && shared[0] !== a) {
      l++; // comes later, in the configuration's order
    } else if (a !== undefined && !config.has(a)) {
      take(a);
      l++;
    } else if (b !== undefined) {
      take(b);
      r++;
    } else {
      l++; // in the configuration, and taken with it
    }
  }
  return result;
}

/**
 * Without the given fields and elements. Objects and lists that lose their last one stay, unless they are in the set
 * themselves or `dropEmptied` is asked for.
 */
export function removeItems(value: Json, set: FieldSet, schema: Structural | undefined, dropEmptied = false): Json {
  const shape = shapeOf(value, schema);
  if (shape === 'leaf') return value;
  const kept = (element: string, child: Json, below: Structural | undefined): Json[] => {
    if (set.members.has(element)) return [];
    const inner = set.children.get(element);
    const left = inner ? removeItems(child, inner, below, dropEmptied) : child;
    return dropEmptied && isEmptyContainer(left) && !isEmptyContainer(child) ? [] : [left];
  };
  if (shape === 'map') {
    const result: JsonObject = {};
    for (const [name, child] of Object.entries(value as JsonObject)) {
      for (const left of kept(`f:${name}`, child, schemaOfField(schema, name))) setKey(result, name, left);
    }
    return result;
  }
  return [...elementsOf(value as Json[], shape, schema)].flatMap(([element, item]) =>
    kept(element, item, schema?.items),
  );
}
