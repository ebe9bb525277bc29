import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { allKinds, crdFiles, docFiles } from './crds.ts';
import { crdName, crdOf, type JsonSchema, schemaOf } from './schema/crd.ts';
import { withDefaults } from './schema/defaults.ts';
import { structuralProblems } from './schema/structural.ts';
import { validate } from './schema/validation.ts';
import { fullObject } from './testing/full-object.ts';

const openApiSchema = (kind: (typeof allKinds)[number]): JsonSchema => {
  const [version] = crdOf(kind).spec.versions;
  if (!version) throw new Error('a CRD has a version');
  return version.schema.openAPIV3Schema;
};

describe.each(allKinds.map((kind) => [crdName(kind), kind] as const))('%s', (_, kind) => {
  test('has a structural schema', () => {
    expect(structuralProblems(openApiSchema(kind))).toEqual([]);
  });

  test('has defaults that fit', () => {
    expect(validate(kind, fullObject(kind, 'full') as never)).toEqual([]);
    for (const [path, schema] of withDefault(schemaOf(kind), '')) {
      if (schema.enum) expect.soft(schema.enum, path).toContain(schema.default);
      else if (schema.type === 'integer') expect.soft(Number.isInteger(schema.default), path).toBe(true);
      else expect.soft(typeof schema.default, path).toBe(schema.type);
    }
  });

  test('is filled in once and for all', () => {
    const once = withDefaults(kind, fullObject(kind, 'full') as never);
    expect(withDefaults(kind, once as never)).toEqual(once);
  });

  test('points its columns and its scale at fields that exist', () => {
    const { scale } = kind;
    const paths = kind.columns.map(({ jsonPath }) => jsonPath).filter((path) => /^\.(spec|status)\.[\w.]+$/.test(path));
    if (scale) paths.push(scale.specReplicasPath, scale.statusReplicasPath, scale.labelSelectorPath ?? '.spec');
    for (const path of paths) expect.soft(at(schemaOf(kind), path), path).toBeDefined();
  });
});

test('there is one file per kind, each of YAML that reads back as the CRD', () => {
  const files = [...crdFiles()];
  expect(files.map(([name]) => name)).toHaveLength(17);
  expect(new Set(files.map(([name]) => name)).size).toBe(17);
  files.forEach(([, text], index) => {
    const kind = allKinds[index];
    expect(parse(text)).toEqual(JSON.parse(JSON.stringify(kind && crdOf(kind))));
  });
});

test('files are the same every time', () => {
  expect(crdFiles()).toEqual(crdFiles());
  expect(docFiles()).toEqual(docFiles());
});

test('words that YAML 1.1 takes for booleans stay words', () => {
  const claims = crdFiles().get('agents.kruise.io_securityprofiles.yaml') ?? '';
  expect(parse(claims, { version: '1.1' })).toEqual(parse(claims));
});

test('every field is on the page of its kind', () => {
  for (const kind of allKinds) {
    const page = docFiles().get(`${kind.group}/${kind.singular}.md`) ?? '';
    for (const path of fieldPaths(schemaOf(kind))) expect.soft(page, path).toContain(`\`${path}\``);
  }
});

test('no two kinds of a group share a name', () => {
  const names = allKinds.flatMap((kind) =>
    [kind.plural, kind.singular, ...kind.shortNames]
      .filter((name, index, all) => all.indexOf(name) === index)
      .map((name) => `${name}.${kind.group}`),
  );
  expect(new Set(names).size).toBe(names.length);
});

function* withDefault(schema: JsonSchema, path: string): Generator<[string, JsonSchema]> {
  if (schema.default !== undefined) yield [path, schema];
  for (const [name, inner] of Object.entries(schema.properties ?? {})) yield* withDefault(inner, `${path}.${name}`);
  if (schema.items) yield* withDefault(schema.items, `${path}[]`);
  if (schema.additionalProperties) yield* withDefault(schema.additionalProperties, `${path}.*`);
}

function* fieldPaths(schema: JsonSchema, path = ''): Generator<string> {
  for (const [name, inner] of Object.entries(schema.properties ?? {})) {
    const field = path ? `${path}.${name}` : name;
    if (path) yield field;
    if (path || name === 'spec' || name === 'status') yield* fieldPaths(inner, field);
  }
  if (schema.items) yield* fieldPaths(schema.items, `${path}[]`);
  if (schema.additionalProperties) yield* fieldPaths(schema.additionalProperties, `${path}.*`);
}

function at(schema: JsonSchema, path: string): JsonSchema | undefined {
  return path
    .split('.')
    .slice(1)
    .reduce<JsonSchema | undefined>((inner, name) => inner?.properties?.[name], schema);
}
