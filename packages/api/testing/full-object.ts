import { apiVersionOf, type KubeObject } from '@sandbank/kube';
import { type JsonSchema, schemaOf } from '../schema/crd.ts';
import type { ApiKind } from '../schema/kind.ts';

/** An object of a kind with every field of its schema set, and none of them to its default. */
export function fullObject(kind: ApiKind, name: string): KubeObject & Record<string, unknown> {
  const { spec, status } = schemaOf(kind).properties ?? {};
  return {
    apiVersion: apiVersionOf(kind),
    kind: kind.kind,
    metadata: { name },
    ...(spec && { spec: sample(spec, 0, 'spec') }),
    ...(status && { status: sample(status, 0, 'status') }),
  };
}

/** A value that fits; `turn` tells the entries of a list apart. */
function sample(schema: JsonSchema, turn: number, path: string): unknown {
  const choices = (schema.examples ?? schema.enum)?.filter((value) => value !== schema.default);
  if (choices && choices.length > 0) return choices[turn % choices.length];
  if (schema['x-kubernetes-int-or-string']) return turn % 2 === 0 ? '30%' : 3;
  if (schema.items) return sampleList(schema, schema.items, path);
  if (schema.additionalProperties) return { 'example.com/key': sample(schema.additionalProperties, turn, path) };
  if (schema.properties) return sampleObject(schema, turn, path);
  if (schema['x-kubernetes-preserve-unknown-fields']) return { kept: [{ deep: 'yes' }, 1, null] };
  return sampleScalar(schema, turn, path);
}

function sampleObject(schema: JsonSchema, turn: number, path: string): object {
  const all = Object.entries(schema.properties ?? {});
  const chosen = schema.exclusive ? all.filter((_, index) => index === turn % all.length) : all;
  return Object.fromEntries(chosen.map(([name, property]) => [name, sample(property, turn, `${path}.${name}`)]));
}

function sampleList(schema: JsonSchema, items: JsonSchema, path: string): unknown[] {
  const alternatives = items.exclusive ? Object.keys(items.properties ?? {}).length : 2;
  const length = Math.min(alternatives, schema.maxItems ?? alternatives, items.enum?.length ?? alternatives);
  return Array.from({ length }, (_, turn) => sample(items, turn, `${path}[${turn}]`));
}

function sampleScalar(schema: JsonSchema, turn: number, path: string): unknown {
  switch (schema.type) {
    case 'boolean':
      return schema.default !== true;
    case 'integer':
      return typeof schema.default === 'number' ? schema.default + 1 : (schema.minimum ?? 1) + turn + 1;
    case 'string':
      if (schema.format === 'date-time') return `2030-01-01T00:00:0${turn}Z`;
      if (schema.pattern) throw new Error(`${path} has a pattern and so needs examples`);
      return `text-${turn}`;
    default:
      throw new Error(`${path} has the type ${schema.type}, of which no sample can be made`);
  }
}
