/**
 * The schemas of the built-in kinds, from the snapshot that `@sandbank/kube/kinds` is generated from too.
 * References become links in one object graph: schemas such as JSONSchemaProps contain themselves.
 */
import snapshot from '@sandbank/kube/kinds/snapshot' with { type: 'json' };
import type { Structural } from '../schema/structural.ts';

type Raw = { readonly $ref?: string } & { readonly [key: string]: unknown };

const named = new Map<string, Structural>();
const raw = snapshot.schemas as unknown as Readonly<Record<string, Raw>>;

function convert(schema: Raw): Structural {
  const { $ref, properties, items, additionalProperties, ...own } = schema;
  if ($ref !== undefined) {
    const target = named.get($ref);
    if (!target) throw new Error(`the snapshot refers to ${$ref}, which it does not have; run \`npm run snapshot\``);
    if (Object.keys(own).length === 0) return target;
    // A reference with a default of its own: everything else is looked up in the target, whenever that is filled.
    return Object.assign(Object.create(target) as object, own) as Structural;
  }
  const scalar = isScalarUnion(own) ? { 'x-kubernetes-int-or-string': true } : own;
  return {
    ...scalar,
    ...(properties ? { properties: mapValues(properties as Record<string, Raw>, convert) } : {}),
    ...(items ? { items: convert(items as Raw) } : {}),
    ...(additionalProperties === undefined
      ? {}
      : {
          additionalProperties:
            typeof additionalProperties === 'boolean' ? additionalProperties : convert(additionalProperties as Raw),
        }),
    ...(isFreeForm(schema) ? { 'x-kubernetes-preserve-unknown-fields': true } : {}),
  } as Structural;
}

/** Quantities and int-or-string: `oneOf` two scalars. */
const isScalarUnion = (schema: object) => 'oneOf' in schema;
/** Raw JSON, and objects of which nothing is known. */
const isFreeForm = (schema: Raw) =>
  schema['oneOf'] === undefined &&
  schema['properties'] === undefined &&
  schema['additionalProperties'] === undefined &&
  (schema['type'] === undefined || schema['type'] === 'object');

function mapValues<A, B>(object: Readonly<Record<string, A>>, change: (value: A) => B): Record<string, B> {
  return Object.fromEntries(Object.entries(object).map(([key, value]) => [key, change(value)]));
}

// Shells first, so that a reference finds its target whatever the order.
for (const name of Object.keys(raw)) named.set(name, {} as Structural);
for (const [name, schema] of Object.entries(raw)) Object.assign(named.get(name) as object, convert(schema));

/** By its name in the OpenAPI document, such as `io.k8s.api.core.v1.Pod`. */
export function builtinSchema(name: string): Structural {
  const schema = named.get(name);
  if (!schema) throw new Error(`no built-in schema ${name}`);
  return schema;
}
