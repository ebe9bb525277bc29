/**
 * Which fields somebody owns, as a tree: the form of `managedFields[].fieldsV1`.
 * A path element is its text there: `f:image`, `k:{"name":"main"}`, `v:"finalizer"`. Sets are immutable.
 */
import type { Json, JsonObject, Structural } from '../schema/structural.ts';
import { isObject } from './merge-patch.ts';

export interface FieldSet {
  /** Elements that are owned themselves. */
  readonly members: ReadonlySet<string>;
  /** Elements below which something is owned. */
  readonly children: ReadonlyMap<string, FieldSet>;
}

export const EMPTY: FieldSet = { members: new Set(), children: new Map() };

export const isEmpty = (set: FieldSet): boolean => set.members.size === 0 && set.children.size === 0;

function build(members: Iterable<string>, children: Iterable<readonly [string, FieldSet]>): FieldSet {
  return { members: new Set(members), children: new Map([...children].filter(([, child]) => !isEmpty(child))) };
}

/** A set under construction: `insert` paths, then use it as a FieldSet. */
export class FieldSetBuilder implements FieldSet {
  readonly members = new Set<string>();
  readonly children = new Map<string, FieldSetBuilder>();

  insert(path: readonly string[]): void {
    let node: FieldSetBuilder = this;
    for (const element of path.slice(0, -1)) {
      let child = node.children.get(element);
      if (!child) {
        child = new FieldSetBuilder();
        node.children.set(element, child);
      }
      node = child;
    }
    const last = path.at(-1);
    if (last !== undefined) node.members.add(last);
  }
}

export function union(a: FieldSet, b: FieldSet): FieldSet {
  const children = new Map(a.children);
  for (const [element, child] of b.children) {
    const other = children.get(element);
    children.set(element, other ? union(other, child) : child);
  }
  return build([...a.members, ...b.members], children);
}

/** What is in `a` and not in `b`, path by path: a member of `b` says nothing about what is below it. */
export function difference(a: FieldSet, b: FieldSet): FieldSet {
  const children = [...a.children].map(([element, child]) => {
    const other = b.children.get(element);
    return [element, other ? difference(child, other) : child] as const;
  });
  return build(
    [...a.members].filter((element) => !b.members.has(element)),
    children,
  );
}

export function intersection(a: FieldSet, b: FieldSet): FieldSet {
  const children = [...a.children].flatMap(([element, child]) => {
    const other = b.children.get(element);
    return other ? [[element, intersection(child, other)] as const] : [];
  });
  return build(
    [...a.members].filter((element) => b.members.has(element)),
    children,
  );
}

/** Without the given path and everything below it. */
export function withoutPath(set: FieldSet, path: readonly string[]): FieldSet {
  const [head, ...rest] = path;
  if (head === undefined) return EMPTY;
  const members = [...set.members].filter((element) => rest.length > 0 || element !== head);
  const children = [...set.children].flatMap(([element, child]) => {
    if (element !== head) return [[element, child] as const];
    return rest.length === 0 ? [] : [[element, withoutPath(child, rest)] as const];
  });
  return build(members, children);
}

export function sameSet(a: FieldSet, b: FieldSet): boolean {
  return isEmpty(difference(a, b)) && isEmpty(difference(b, a));
}

/** Every owned path, parents before children. */
export function* pathsOf(set: FieldSet, prefix: readonly string[] = []): Generator<string[]> {
  for (const element of new Set([...set.members, ...set.children.keys()])) {
    if (set.members.has(element)) yield [...prefix, element];
    const child = set.children.get(element);
    if (child) yield* pathsOf(child, [...prefix, element]);
  }
}

/** A named field that holds owned fields counts as owned itself, so that an emptied object goes with its last field. */
export function withNamedParents(set: FieldSet, schema: Structural | undefined): FieldSet {
  const members = new Set(set.members);
  const children = [...set.children].map(([element, child]) => {
    const name = element.startsWith('f:') ? element.slice(2) : undefined;
    const below = name === undefined ? schema?.items : schemaOfField(schema, name);
    if (name !== undefined && schema?.properties?.[name]) members.add(element);
    return [element, withNamedParents(child, below)] as const;
  });
  return build(members, children);
}

export function schemaOfField(schema: Structural | undefined, name: string): Structural | undefined {
  return (
    schema?.properties?.[name] ??
    (typeof schema?.additionalProperties === 'object' ? schema.additionalProperties : undefined)
  );
}

export function toFieldsV1(set: FieldSet): JsonObject {
  const result: JsonObject = {};
  for (const element of [...new Set([...set.members, ...set.children.keys()])].sort()) {
    const child = set.children.get(element);
    const body = child ? toFieldsV1(child) : {};
    result[element] = child && set.members.has(element) ? { '.': {}, ...body } : body;
  }
  return result;
}

export function fromFieldsV1(fields: Json | undefined): FieldSet {
  const members = new Set<string>();
  const children: [string, FieldSet][] = [];
  for (const [element, body] of Object.entries(isObject(fields) ? fields : {})) {
    if (element === '.') continue;
    const isLeaf = !isObject(body) || Object.keys(body).length === 0;
    if (isLeaf || Object.hasOwn(body, '.')) members.add(element);
    if (!isLeaf) children.push([element, fromFieldsV1(body)]);
  }
  return build(members, children);
}

/** `.spec.containers[name="main"].image`: how conflicts name a field. */
export function pathText(path: readonly string[]): string {
  return path
    .map((element) => {
      const body = element.slice(2);
      if (element.startsWith('f:')) return `.${body}`;
      if (element.startsWith('v:')) return `[=${body}]`;
      if (element.startsWith('i:')) return `[${body}]`;
      const keys = Object.entries(JSON.parse(body) as JsonObject).map(
        ([key, value]) => `${key}=${JSON.stringify(value)}`,
      );
      return `[${keys.join(',')}]`;
    })
    .join('');
}
