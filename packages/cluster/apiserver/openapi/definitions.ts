/**
 * Named schemas as they are published. Those of built-in kinds stand in the snapshot; those of custom kinds are made from what
 * requests are held to. Both are in one form, which the two versions of OpenAPI are written from.
 */
import snapshot from '@sandbank/kube/kinds/snapshot' with { type: 'json' };
import type { Resource } from '../registry/resource.ts';
import type { Structural } from '../schema/structural.ts';

/** OpenAPI in which `$ref` is the bare name of a definition and may have keywords beside it. */
export interface Definition {
  readonly $ref?: string;
  readonly type?: string;
  readonly description?: string;
  readonly required?: readonly string[];
  readonly properties?: Readonly<Record<string, Definition>>;
  readonly items?: Definition;
  readonly additionalProperties?: Definition | boolean;
  readonly allOf?: readonly Definition[];
  readonly anyOf?: readonly Definition[];
  readonly oneOf?: readonly Definition[];
  readonly not?: Definition;
  readonly 'x-kubernetes-group-version-kind'?: readonly Kind[];
  readonly [keyword: string]: unknown;
}

export interface Kind {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
}

const META = 'io.k8s.apimachinery.pkg.apis.meta.v1';
export const DELETE_OPTIONS = `${META}.DeleteOptions`;
export const PATCH = `${META}.Patch`;
export const STATUS = `${META}.Status`;
export const RESOURCE_LIST = `${META}.APIResourceList`;

export const builtinDefinitions = snapshot.schemas as unknown as Readonly<Record<string, Definition>>;

const kindText = ({ group, version, kind }: Kind) => `${group}/${version}/${kind}`;

const builtinNames = new Map(
  Object.entries(builtinDefinitions).flatMap(([name, { 'x-kubernetes-group-version-kind': kinds = [] }]) => {
    const [only, ...more] = kinds;
    // Options and events of a watch carry an entry for every group; a kind of its own has one.
    return only && more.length === 0 ? [[kindText(only), name] as const] : [];
  }),
);

/** `com.example.v1.Widget` for the Widget of example.com/v1. Undefined for built-in kinds that are no objects (exec options). */
export function definitionName(kind: Kind, isCustom: boolean): string | undefined {
  if (!isCustom) return builtinNames.get(kindText(kind));
  return [...kind.group.split('.').reverse(), kind.version, kind.kind].join('.');
}

/** The kind and its list. */
export function customDefinitions(resource: Resource): Record<string, Definition> {
  const { group, version, kind, listKind } = resource;
  const name = definitionName({ group, version, kind }, true) ?? '';
  const listName = definitionName({ group, version, kind: listKind }, true) ?? '';
  return {
    [name]: {
      ...published(resource.schema, true),
      'x-kubernetes-group-version-kind': [{ group, version, kind }],
    },
    [listName]: {
      description: `${listKind} is a list of ${kind}`,
      type: 'object',
      required: ['items'],
      properties: {
        apiVersion: text,
        items: { type: 'array', items: { $ref: name } },
        kind: text,
        metadata: { $ref: `${META}.ListMeta` },
      },
      'x-kubernetes-group-version-kind': [{ group, version, kind: listKind }],
    },
  };
}

const text: Definition = { type: 'string' };

/** `isResource`: the schema of its metadata is everybody's, a graph that contains itself, and is referred to. */
function published(schema: Structural, isResource = schema['x-kubernetes-embedded-resource'] === true): Definition {
  const { properties, items, additionalProperties, ...rest } = schema;
  const own = Object.entries(properties ?? {}).filter(([name]) => !isResource || name !== 'metadata');
  const children = Object.fromEntries(own.map(([name, one]) => [name, published(one)]));
  const definition = {
    ...rest,
    ...((properties || isResource) && {
      properties: isResource
        ? { ...children, apiVersion: text, kind: text, metadata: { $ref: `${META}.ObjectMeta` } }
        : children,
    }),
    ...(items && { items: published(items) }),
    ...(additionalProperties !== undefined && {
      additionalProperties:
        typeof additionalProperties === 'boolean' ? additionalProperties : published(additionalProperties),
    }),
  } as Definition;
  if (schema['x-kubernetes-embedded-resource'] === true)
    return { ...definition, required: [...(schema.required ?? []), 'kind', 'apiVersion'] };
  if (schema['x-kubernetes-int-or-string'] === true && !schema.anyOf && !schema.allOf)
    return { ...definition, anyOf: [{ type: 'integer' }, { type: 'string' }] };
  return definition;
}

/** Every definition that is reached from these, by name, sorted. */
export function reachable(
  names: Iterable<string>,
  find: (name: string) => Definition | undefined,
): Map<string, Definition> {
  const found = new Map<string, Definition>();
  const open = [...names];
  for (let name = open.pop(); name !== undefined; name = open.pop()) {
    if (found.has(name)) continue;
    const definition = find(name);
    if (!definition) throw new Error(`a published document refers to ${name}, which is defined nowhere`);
    found.set(name, definition);
    collectReferences(definition, open);
  }
  return new Map([...found].sort(([a], [b]) => (a < b ? -1 : 1)));
}

function collectReferences(definition: Definition, into: string[]): void {
  if (definition.$ref !== undefined) into.push(definition.$ref);
  for (const child of Object.values(definition.properties ?? {})) collectReferences(child, into);
  if (definition.items) collectReferences(definition.items, into);
  if (typeof definition.additionalProperties === 'object') collectReferences(definition.additionalProperties, into);
}
