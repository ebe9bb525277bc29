import { expect, test } from 'vitest';
import { allKinds } from './crds.ts';
import { crdName, type JsonSchema, schemaOf } from './schema/crd.ts';
import { validate } from './schema/validation.ts';
import { exampleObjects } from './testing/example-files.ts';

const examples = exampleObjects();

test.each(examples.map(({ title, ...rest }) => [title, rest] as const))('%s is valid', (_, { kind, object }) => {
  expect(validate(kind, object as never)).toEqual([]);
});

test.each(allKinds.map((kind) => [crdName(kind), kind] as const))('the examples of %s show every field', (_, kind) => {
  const shown = new Set(
    examples.filter((one) => one.kind === kind).flatMap(({ object }) => [...paths(object['spec'], 'spec')]),
  );
  const missing = [...fields(schemaOf(kind).properties?.['spec'] ?? {}, 'spec')].filter((path) => !shown.has(path));
  expect(missing).toEqual([]);
});

function* fields(schema: JsonSchema, path: string): Generator<string> {
  for (const [name, inner] of Object.entries(schema.properties ?? {})) {
    yield `${path}.${name}`;
    yield* fields(inner, `${path}.${name}`);
  }
  if (schema.items) yield* fields(schema.items, path);
  if (schema.additionalProperties) yield* fields(schema.additionalProperties, `${path}.*`);
}

function* paths(value: unknown, path: string): Generator<string> {
  if (Array.isArray(value)) {
    for (const entry of value) yield* paths(entry, path);
  } else if (typeof value === 'object' && value !== null) {
    for (const [name, inner] of Object.entries(value)) {
      yield `${path}.${name}`;
      yield* paths(inner, `${path}.${name}`);
      // The key of a map may be any name.
      yield* paths(inner, `${path}.*`);
    }
  }
}
