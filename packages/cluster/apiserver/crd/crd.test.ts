import { describe, expect, test } from 'vitest';
import type { Json, JsonObject } from '../schema/structural.ts';
import { crdOf } from '../schema/testing/real-kind.ts';
import { humanAge } from './age.ts';
import { tableOf } from './columns.ts';
import { crdConditions } from './conditions.ts';
import { defaultCrd } from './defaults.ts';
import { findAll, parseJsonPath } from './json-path.ts';
import { asCrd, type Crd, type CrdNames } from './model.ts';
import { convertVersion, resourcesOfCrd } from './resources.ts';
import { scaleErrors, scaleOf, withScale } from './scale.ts';
import { validateCrd } from './validate.ts';

const object: JsonObject = {
  metadata: { name: 'x', creationTimestamp: '2024-01-01T00:00:00Z', labels: { 'a.b/c': 'l' } },
  spec: { replicas: 2, list: [{ n: 1 }, { n: 2 }] },
  status: {
    conditions: [
      { type: 'Ready', status: 'True' },
      { type: 'Other', status: 'False' },
    ],
    replicas: 1,
    selector: 'a=b',
  },
};

describe('JSON paths', () => {
  test.each<[string, Json[]]>([
    ['.spec.replicas', [2]],
    ['.spec.list[1].n', [2]],
    ['.spec.list[-1].n', [2]],
    ['.spec.list[*].n', [1, 2]],
    ['.metadata.labels.a\\.b/c', ['l']],
    [".metadata.labels['a.b/c']", ['l']],
    ['.status.conditions[?(@.type=="Ready")].status', ['True']],
    [".status.conditions[?(@.type=='Other')].status", ['False']],
    ['.status.conditions[?(@.type != "Ready")].status', ['False']],
    ['.spec.list[?(@.n > 1)].n', [2]],
    ['.spec.list[?(@.n)].n', [1, 2]],
    ['.nothing.here', []],
  ])('%s', (path, expected) => {
    expect(findAll(object, parseJsonPath(path) ?? [])).toEqual(expected);
  });

  test.each(['spec', '.a[', '.a[?(x)]', '.a[b]'])('%s is none', (path) => {
    expect(parseJsonPath(path)).toBeUndefined();
  });
});

describe('columns', () => {
  const now = new Date('2024-01-03T05:00:00Z');
  test('name and age, where the CRD names none', () => {
    const table = tableOf(undefined);
    expect(table.columns.map(({ name }) => name)).toEqual(['Name', 'Age']);
    expect(table.row(object, now)).toEqual(['x', '2d5h']);
  });

  test('cells by type', () => {
    const column = (type: string, jsonPath: string) => ({ name: 'C', type, jsonPath });
    const table = tableOf([
      column('integer', '.spec.replicas'),
      column('string', '.spec.replicas'),
      column('boolean', '.spec.replicas'),
      column('string', '.status.conditions[?(@.type=="Ready")].status'),
      column('string', '.spec.list'),
      column('date', '.metadata.name'),
      column('string', '.nothing'),
    ]);
    expect(table.row(object, now)).toEqual(['x', 2, '2', null, 'True', '[{"n":1},{"n":2}]', '<invalid>', null]);
  });

  test.each([
    [0, '0s'],
    [119_000, '119s'],
    [200_000, '3m20s'],
    [700_000, '11m'],
    [4 * 3_600_000, '4h'],
    [4.5 * 3_600_000, '4h30m'],
    [30 * 3_600_000, '30h'],
    [75 * 3_600_000, '3d3h'],
    [40 * 86_400_000, '40d'],
    [800 * 86_400_000, '2y70d'],
    [4_000 * 86_400_000, '10y'],
  ])('%d ms are %s', (milliseconds, expected) => {
    expect(humanAge(milliseconds)).toBe(expected);
  });
});

describe('scale', () => {
  const paths = {
    specReplicasPath: '.spec.replicas',
    statusReplicasPath: '.status.replicas',
    labelSelectorPath: '.status.selector',
  };
  test('reads and writes the number where the kind keeps it', () => {
    expect(scaleOf(object, paths)).toMatchObject({ spec: { replicas: 2 }, status: { replicas: 1, selector: 'a=b' } });
    expect(withScale(object, 7, paths)).toEqual({
      ...object,
      spec: { ...(object['spec'] as JsonObject), replicas: 7 },
    });
    expect(withScale({}, 1, { ...paths, specReplicasPath: '.spec.deep.n' })).toEqual({ spec: { deep: { n: 1 } } });
    expect(scaleOf({ spec: {} }, paths)).toBeUndefined();
  });

  test('refuses numbers that are none', () => {
    expect(scaleErrors({ spec: { replicas: -1 } }, paths).map(({ field }) => field)).toEqual(['.spec.replicas']);
    expect(scaleErrors(object, paths)).toEqual([]);
  });
});

describe('conditions', () => {
  const crd = (name: string, names: Partial<CrdNames>, accepted?: CrdNames): Crd => ({
    metadata: { name },
    spec: {
      group: 'a.b',
      scope: 'Cluster',
      versions: [],
      names: { plural: name, singular: name, kind: name, listKind: `${name}List`, ...names },
    },
    ...(accepted && { status: { acceptedNames: accepted } }),
  });
  const settled = (name: string, names: Partial<CrdNames> = {}) => crd(name, names, crd(name, names).spec.names);
  const statuses = ({ conditions }: ReturnType<typeof crdConditions>) =>
    conditions.map(({ type, status, reason }) => [type, status, reason]);

  test('names that are free are given', () => {
    expect(statuses(crdConditions(crd('one', {}), [settled('two')]))).toEqual([
      ['NamesAccepted', 'True', 'NoConflicts'],
      ['Established', 'True', 'InitialNamesAccepted'],
    ]);
  });

  test.each<[Partial<CrdNames>, string, string]>([
    [{ kind: 'two' }, 'KindConflict', '"two" is already in use'],
    [{ shortNames: ['t'] }, 'ShortNamesConflict', '"t" is already in use'],
    [{ singular: 'two' }, 'SingularConflict', '"two" is already in use'],
    [{ listKind: 'twoList' }, 'ListKindConflict', '"twoList" is already in use'],
  ])('%j is taken', (names, reason, message) => {
    const decision = crdConditions(crd('one', names), [settled('two', { shortNames: ['t'] })]);
    expect(statuses(decision)).toEqual([
      ['NamesAccepted', 'False', reason],
      ['Established', 'False', 'NotAccepted'],
    ]);
    expect(decision.conditions[0]?.message).toBe(message);
  });

  test('other groups do not matter', () => {
    const other = settled('one');
    expect(statuses(crdConditions(crd('one', {}), [{ ...other, spec: { ...other.spec, group: 'c.d' } }]))[0]).toEqual([
      'NamesAccepted',
      'True',
      'NoConflicts',
    ]);
  });
});

describe('resources', () => {
  const several = crdOf('a.test', 'cases', {
    type: 'object',
    properties: { spec: { type: 'object', properties: { s: { type: 'string' } } } },
  });
  const [first] = asCrd(several).spec.versions;
  (several['spec'] as JsonObject)['versions'] = [
    {
      ...first,
      subresources: { status: {}, scale: { specReplicasPath: '.spec.n', statusReplicasPath: '.status.n' } },
      selectableFields: [{ jsonPath: '.spec.s' }],
    },
    { ...first, name: 'v2', storage: false },
    { ...first, name: 'v3', storage: false, served: false },
  ] as unknown as Json;
  defaultCrd(several);

  test('one for each version that is served', () => {
    const resources = resourcesOfCrd(several);
    expect(resources.map(({ version, subresources }) => [version, subresources.map(({ name }) => name)])).toEqual([
      ['v1', ['status', 'scale']],
      ['v2', []],
    ]);
    expect(resources[0]?.strategy.selectableFields).toEqual(['spec.s']);
    expect(
      convertVersion({ apiVersion: 'a.test/v1', spec: {} }, { group: 'a.test', version: 'v2' })['apiVersion'],
    ).toBe('a.test/v2');
  });

  test('status is written by its own endpoint only', () => {
    const strategy = resourcesOfCrd(several)[0]?.strategy;
    const context = { user: { name: '', groups: [] }, now: new Date(0), dryRun: false, warn: () => {} };
    const created: JsonObject = { spec: {}, status: { x: 1 } };
    strategy?.prepareCreate?.(created, context);
    expect(created).toEqual({ spec: {} });
    const old: JsonObject = { metadata: {}, spec: { a: 1 }, status: { x: 1 } };
    const update: JsonObject = { metadata: {}, spec: { a: 2 }, status: { x: 2 } };
    strategy?.prepareUpdate?.(update, old, context);
    expect(update).toEqual({ metadata: {}, spec: { a: 2 }, status: { x: 1 } });
    const status: JsonObject = { metadata: {}, spec: { a: 2 }, status: { x: 2 } };
    strategy?.prepareUpdate?.(status, old, { ...context, subresource: 'status' });
    expect(status).toEqual({ metadata: {}, spec: { a: 1 }, status: { x: 2 } });
  });

  test('a kind keeps its name once it is served', () => {
    const established = {
      ...several,
      status: { storedVersions: ['v1'], conditions: [{ type: 'Established', status: 'True' }] },
    } as unknown as JsonObject;
    const renamed = structuredClone(several);
    (renamed['spec'] as JsonObject)['scope'] = 'Namespaced';
    expect(validateCrd(renamed, established).map(({ field }) => field)).toEqual(['spec.scope']);
  });
});
