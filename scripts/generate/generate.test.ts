import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { fillDocs, markdownTable } from './docs-blocks.ts';
import { generateKinds } from './kinds.ts';
import { merge, renew, under } from './output.ts';
import { readSnapshot, type Snapshot, writeSnapshot } from './snapshot-format.ts';
import { groupVersions, reduceSnapshot } from './snapshot-reduce.ts';

let root: string;
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'generate-'));
});
afterEach(() => rm(root, { recursive: true }));

async function put(path: string, text: string): Promise<void> {
  await mkdir(dirname(join(root, path)), { recursive: true });
  await writeFile(join(root, path), text);
}
const get = (path: string) => readFile(join(root, path), 'utf8');

describe('files', () => {
  const output = merge([
    under(
      'made',
      new Map([
        ['a.ts', 'a'],
        ['deep/b.ts', 'b'],
      ]),
    ),
    under('other', new Map([['c.ts', 'c']])),
  ]);

  test('a check names what is missing, different and stale, and changes nothing', async () => {
    await put('made/a.ts', 'old');
    await put('made/gone.ts', 'x');
    await put('other/c.ts', 'c');
    const { lines, exitCode } = await renew(root, output, true);
    expect(exitCode).toBe(1);
    expect(lines.slice(0, -1)).toEqual(['different: made/a.ts', 'missing: made/deep/b.ts', 'stale: made/gone.ts']);
    expect(lines.at(-1)).toContain('npm run generate');
    expect(await get('made/a.ts')).toBe('old');
    expect(await get('made/gone.ts')).toBe('x');
  });

  test('a run makes it so, and then there is nothing to do', async () => {
    await put('made/gone.ts', 'x');
    const first = await renew(root, output, false);
    expect(first).toEqual({
      lines: ['written: made/a.ts', 'written: made/deep/b.ts', 'removed: made/gone.ts', 'written: other/c.ts'],
      exitCode: 0,
    });
    expect(await get('made/deep/b.ts')).toBe('b');
    expect(await renew(root, output, true)).toEqual({ lines: ['3 generated files are up to date'], exitCode: 0 });
  });
});

describe('docs', () => {
  const tables = { letters: () => markdownTable(['Letter', 'Say'], [['a', 'x | y\nz']]) };
  const page = (body: string) => `# Page\n\n<!-- generated:letters -->\n${body}<!-- /generated -->\n\nEnd\n`;
  const table = '| Letter | Say |\n|---|---|\n| a | x \\| y z |\n';

  test('blocks are filled wherever they are, and nothing else is touched', async () => {
    await put('docs/deep/page.md', page('old\n'));
    await put('README.md', page(''));
    await put('docs/plain.md', 'plain');
    const { files } = await fillDocs(root, tables);
    expect(Object.fromEntries(files)).toEqual({ 'docs/deep/page.md': page(table), 'README.md': page(table) });
  });

  test('what stands behind the name reaches the table', async () => {
    await put('docs/page.md', '<!-- generated:echo things.x.io spec -->\n<!-- /generated -->\n');
    const { files } = await fillDocs(root, { echo: (argument) => `[${argument}]` });
    expect(files.get('docs/page.md')).toContain('\n[things.x.io spec]\n');
  });

  test('a block of an unknown name and one without end are told with their file', async () => {
    await put('docs/page.md', page('').replace('letters', 'numbers'));
    await expect(fillDocs(root, tables)).rejects.toThrow(
      'docs/page.md: there is no generated table named numbers; known are letters',
    );
    await put('docs/page.md', '<!-- generated:letters -->\nno end');
    await expect(fillDocs(root, tables)).rejects.toThrow('docs/page.md: 1 generated blocks are opened, 0 are closed');
  });
});

describe('snapshot', () => {
  const name = 'io.k8s.api.core.v1';
  const meta = 'io.k8s.apimachinery.pkg.apis.meta.v1';
  const ref = (to: string) => ({ $ref: `#/components/schemas/${to}` });
  const openApi = {
    components: {
      schemas: {
        [`${name}.Thing`]: {
          description: 'prose',
          type: 'object',
          properties: {
            apiVersion: { type: 'string', description: 'prose' },
            kind: { type: 'string' },
            metadata: { allOf: [ref(`${meta}.ObjectMeta`)], default: {} },
            spec: { allOf: [ref(`${name}.ThingSpec`)], default: {}, description: 'prose' },
          },
          'x-kubernetes-group-version-kind': [{ group: '', version: 'v1', kind: 'Thing' }],
        },
        [`${name}.ThingSpec`]: {
          type: 'object',
          required: ['mode'],
          properties: {
            mode: { type: 'string', enum: ['A', 'B'] },
            ports: {
              type: 'array',
              items: ref(`${name}.Port`),
              'x-kubernetes-list-map-keys': ['port'],
              'x-kubernetes-patch-merge-key': 'port',
            },
            limits: { type: 'object', additionalProperties: ref('io.k8s.apimachinery.pkg.api.resource.Quantity') },
            'x-odd': { type: 'array', items: { type: 'string', enum: ['', 'C'] } },
            at: ref(`${meta}.Time`),
            selector: ref(`${meta}.LabelSelector`),
            any: ref('io.k8s.apimachinery.pkg.runtime.RawExtension'),
          },
        },
        [`${name}.Port`]: {
          type: 'object',
          required: ['port'],
          properties: {
            port: { type: 'integer', format: 'int32' },
            target: ref('io.k8s.apimachinery.pkg.util.intstr.IntOrString'),
          },
        },
        [`${name}.ThingList`]: {
          type: 'object',
          properties: { items: { type: 'array', items: ref(`${name}.Thing`) } },
        },
        [`${meta}.ObjectMeta`]: { type: 'object' },
        [`${meta}.Time`]: { type: 'string', format: 'date-time' },
        [`${meta}.LabelSelector`]: {
          type: 'object',
          properties: { matchLabels: { type: 'object', additionalProperties: { type: 'string' } } },
        },
      },
    },
  };
  const discovery = {
    groupVersion: 'v1',
    resources: [
      {
        name: 'things',
        singularName: 'thing',
        namespaced: true,
        kind: 'Thing',
        verbs: ['list', 'get'],
        shortNames: ['th'],
      },
      { name: 'things/status', singularName: '', namespaced: true, kind: 'Thing', verbs: ['get'] },
    ],
  };
  const others = groupVersions
    .filter((one) => one !== 'v1')
    .map((groupVersion) => ({ groupVersion, resources: discovery.resources }));
  const kindOf = (groupVersion: string) => {
    const [version = '', group = ''] = groupVersion.split('/').reverse();
    return { type: 'object', 'x-kubernetes-group-version-kind': [{ group, version, kind: 'Thing' }] };
  };
  const filler = {
    components: {
      schemas: Object.fromEntries(
        others.map(({ groupVersion: one }) => [`io.x.${one.replace('/', '.')}.Thing`, kindOf(one)]),
      ),
    },
  };
  const snapshot = (): Snapshot => reduceSnapshot('v1.2.3', [discovery, ...others], [openApi, filler]);

  test('facts are kept, prose is not', () => {
    const reduced = snapshot();
    expect(JSON.stringify(reduced)).not.toContain('prose');
    expect(reduced.resources.find(({ group }) => group === '')).toEqual({
      group: '',
      version: 'v1',
      kind: 'Thing',
      plural: 'things',
      singular: 'thing',
      namespaced: true,
      verbs: ['get', 'list'],
      shortNames: ['th'],
      subresources: [{ name: 'status', kind: { group: '', version: 'v1', kind: 'Thing' }, verbs: ['get'] }],
      schema: `${name}.Thing`,
    });
    expect(reduced.schemas[`${name}.Thing`]?.properties?.['spec']).toEqual({ $ref: `${name}.ThingSpec`, default: {} });
    expect(reduced.schemas[`${name}.ThingSpec`]?.properties?.['ports']).toMatchObject({
      'x-kubernetes-list-map-keys': ['port'],
    });
  });

  test('one line for each fact, and the same when read again', () => {
    const text = writeSnapshot(snapshot());
    expect(readSnapshot(text)).toEqual(snapshot());
    expect(text.split('\n').filter((line) => line.startsWith(`"${name}.Port"`))).toHaveLength(1);
  });

  test('what would be lost or is missing stops it', () => {
    const odd = { components: { schemas: { x: { type: 'object', 'x-kubernetes-new': 1 } } } };
    expect(() => reduceSnapshot('v1', [discovery], [odd])).toThrow('x has the unknown keyword x-kubernetes-new');
    expect(() => reduceSnapshot('v1', [discovery], [])).toThrow('no schema describes v1/Thing');
    expect(() => reduceSnapshot('v1', [discovery], [openApi])).toThrow(
      'does not serve admissionregistration.k8s.io/v1',
    );
  });

  test('kinds become interfaces and keys', () => {
    const file = generateKinds(snapshot()).get('core-v1.ts');
    expect(file).toBe(`// Generated by \`npm run generate\` from openapi-snapshot.json. Do not edit.
import { defineKind, type Kind } from '../../kind.ts';
import type { KubeObject } from '../../object.ts';
import type { LabelSelector } from './meta-v1.ts';

export const Thing: Kind<Thing> = defineKind<Thing>({ group: '', version: 'v1', kind: 'Thing', plural: 'things', namespaced: true });

export interface Port {
  port: number;
  target?: number | string;
}

export interface Thing extends KubeObject {
  spec?: ThingSpec;
}

export interface ThingSpec {
  any?: Record<string, unknown>;
  at?: string;
  limits?: Record<string, string | number>;
  mode: 'A' | 'B';
  ports?: Port[];
  selector?: LabelSelector;
  'x-odd'?: ('' | 'C')[];
}
`);
  });
});
