/** CRDs with something wrong in them. */
import type { Json, JsonObject, Structural } from '../../schema/structural.ts';
import { crdOf } from '../../schema/testing/real-kind.ts';

export interface BadCrd {
  readonly title: string;
  readonly crd: JsonObject;
  /** The words are another parser's: only the fields are compared. */
  readonly isLoose?: true;
}

const text: Structural = { type: 'string' };
const field = (schema: unknown): Structural => ({
  type: 'object',
  properties: { spec: { type: 'object', properties: { x: schema as Structural } } },
});

function schema(title: string, one: unknown): BadCrd {
  return { title, crd: crdOf('bad.test', 'cases', field(one)) };
}
function rule(title: string, expression: string, isLoose?: true, of: Structural = text): BadCrd {
  const crd = crdOf('bad.test', 'cases', field({ ...of, 'x-kubernetes-validations': [{ rule: expression }] }));
  return { title: `rule: ${title}`, crd, ...(isLoose && { isLoose }) };
}
function changed(
  title: string,
  change: (spec: Record<string, Json> & { names: JsonObject; versions: JsonObject[] }, crd: JsonObject) => void,
  isLoose?: true,
): BadCrd {
  const crd = crdOf('bad.test', 'cases', {
    type: 'object',
    properties: { spec: { type: 'object', properties: { n: { type: 'integer' }, s: text } } },
  });
  change(crd['spec'] as never, crd);
  return { title, crd, ...(isLoose && { isLoose }) };
}

export const badCrds: readonly BadCrd[] = [
  changed('nothing wrong', () => {}),
  changed('a name that is another', (_, crd) => {
    crd['metadata'] = { name: 'x.bad.test' };
  }),
  changed('a group without a dot', (spec, crd) => {
    spec['group'] = 'bad';
    crd['metadata'] = { name: 'cases.bad' };
  }),
  changed('a kind that is no name', (spec) => {
    spec.names['kind'] = 'no kind';
    spec.names['listKind'] = 'NoKindList';
  }),
  changed('kind and list kind alike', (spec) => {
    spec.names['listKind'] = 'Case';
  }),
  changed('a short name with capitals', (spec) => {
    spec.names['shortNames'] = ['Cs', 'ok'];
    spec.names['categories'] = ['All'];
  }),
  changed('a version that is no name', (spec) => {
    for (const version of spec.versions) version['name'] = '1_0';
  }),
  changed(
    'two storage versions',
    (spec) => {
      spec.versions.push({ ...(spec.versions[0] as JsonObject), name: 'v2' });
    },
    true,
  ),
  changed(
    'no storage version',
    (spec) => {
      for (const version of spec.versions) version['storage'] = false;
    },
    true,
  ),
  changed(
    'a version twice',
    (spec) => {
      spec.versions.push({ ...(spec.versions[0] as JsonObject), storage: false });
    },
    true,
  ),
  changed('no schema', (spec) => {
    for (const version of spec.versions) delete version['schema'];
  }),
  changed('a column without a path', (spec) => {
    for (const version of spec.versions)
      version['additionalPrinterColumns'] = [{ name: 'A', type: 'text', jsonPath: 'x', format: 'huge' }];
  }),
  changed('a scale that points elsewhere', (spec) => {
    for (const version of spec.versions)
      version['subresources'] = {
        scale: { specReplicasPath: '.status.n', statusReplicasPath: '.spec.n', labelSelectorPath: '.metadata.x' },
      };
  }),
  changed('selectable fields that are none', (spec) => {
    for (const version of spec.versions)
      version['selectableFields'] = [
        { jsonPath: '.spec.s' },
        { jsonPath: '.spec.s' },
        { jsonPath: '.spec.nope' },
        { jsonPath: '.spec' },
        { jsonPath: 'x' },
      ];
  }),
  changed(
    'preserveUnknownFields',
    (spec) => {
      spec['preserveUnknownFields'] = true;
    },
    true,
  ),

  schema('no type', {}),
  schema('an unknown type', { type: 'text' }),
  schema('a list without items', { type: 'array' }),
  schema('items without a type', { type: 'array', items: {} }),
  schema('properties and additionalProperties', {
    type: 'object',
    properties: { a: text },
    additionalProperties: text,
  }),
  schema('uniqueItems', { type: 'array', items: text, uniqueItems: true }),
  schema('a pattern that is none', { type: 'string', pattern: '(' }),
  schema('a pattern of another engine', { type: 'string', pattern: '^(?=a)' }),
  schema('a type in anyOf', { type: 'string', anyOf: [{ type: 'string' }] }),
  schema('a default in oneOf', { type: 'string', oneOf: [{ default: 'x' }] }),
  schema('nullable and a description in allOf', { type: 'string', allOf: [{ nullable: true, description: 'x' }] }),
  schema('int-or-string as it is written', {
    'x-kubernetes-int-or-string': true,
    anyOf: [{ type: 'integer' }, { type: 'string' }],
  }),
  schema('int-or-string in allOf', {
    'x-kubernetes-int-or-string': true,
    allOf: [{ anyOf: [{ type: 'integer' }, { type: 'string' }] }, { pattern: 'x' }],
  }),
  schema('int-or-string that keeps', {
    'x-kubernetes-int-or-string': true,
    'x-kubernetes-preserve-unknown-fields': true,
  }),
  schema('an embedded text', { type: 'string', 'x-kubernetes-embedded-resource': true }),
  schema('an empty embedded resource', { type: 'object', 'x-kubernetes-embedded-resource': true }),
  schema('an embedded resource without a proper kind', {
    type: 'object',
    'x-kubernetes-embedded-resource': true,
    properties: { kind: { type: 'integer' }, spec: { type: 'object' } },
  }),
  schema('preserve-unknown-fields false', { type: 'object', 'x-kubernetes-preserve-unknown-fields': false }),
  schema('a list type on an object', { type: 'object', 'x-kubernetes-list-type': 'set' }),
  schema('an unknown list type', { type: 'array', items: text, 'x-kubernetes-list-type': 'bag' }),
  schema('a list map without keys', {
    type: 'array',
    'x-kubernetes-list-type': 'map',
    items: { type: 'object', properties: { a: text } },
  }),
  schema('keys without a list map', {
    type: 'array',
    'x-kubernetes-list-map-keys': ['a'],
    items: { type: 'object', properties: { a: text } },
  }),
  schema('a key that is not required', {
    type: 'array',
    'x-kubernetes-list-type': 'map',
    'x-kubernetes-list-map-keys': ['a'],
    items: { type: 'object', properties: { a: text } },
  }),
  schema('a key that is no property', {
    type: 'array',
    'x-kubernetes-list-type': 'map',
    'x-kubernetes-list-map-keys': ['z'],
    items: { type: 'object', properties: { a: text } },
  }),
  schema('a list map of texts', {
    type: 'array',
    'x-kubernetes-list-type': 'map',
    'x-kubernetes-list-map-keys': ['a'],
    items: text,
  }),
  schema('a set of objects', {
    type: 'array',
    'x-kubernetes-list-type': 'set',
    items: { type: 'object', properties: { a: text } },
  }),
  schema('an unknown map type', { type: 'object', 'x-kubernetes-map-type': 'loose' }),
  schema('a default of another type', { type: 'string', default: 5 }),
  schema('a default that is too long', { type: 'string', maxLength: 1, default: 'abc' }),
  schema('a default with an unknown field', { type: 'object', properties: { a: text }, default: { b: 'x' } }),
  schema('a default in a list', {
    type: 'array',
    items: { type: 'object', properties: { a: { type: 'integer', default: 'x' } } },
  }),
  schema('a field that only oneOf knows', {
    type: 'object',
    properties: { a: text },
    oneOf: [{ properties: { b: { minLength: 1 } } }],
  }),
  schema('a rule without text', { ...text, 'x-kubernetes-validations': [{ rule: ' ' }] }),
  schema('a rule with an unknown reason', {
    ...text,
    'x-kubernetes-validations': [{ rule: 'true', reason: 'Because' }],
  }),
  schema('a rule for a field that is none', {
    type: 'object',
    properties: { a: text },
    'x-kubernetes-validations': [{ rule: 'true', fieldPath: '.b' }],
  }),
  schema('a message of two lines', { ...text, 'x-kubernetes-validations': [{ rule: 'true', message: 'a\nb' }] }),
  {
    title: 'additionalProperties at the root',
    crd: crdOf('bad.test', 'cases', { type: 'object', additionalProperties: text }),
  },
  { title: 'a root that is a text', crd: crdOf('bad.test', 'cases', { type: 'string' }) },
  {
    title: 'metadata with labels',
    crd: crdOf('bad.test', 'cases', {
      type: 'object',
      properties: { metadata: { type: 'object', properties: { labels: { type: 'object' } } } },
    }),
  },
  {
    title: 'metadata with a name',
    crd: crdOf('bad.test', 'cases', {
      type: 'object',
      properties: { metadata: { type: 'object', properties: { name: { type: 'string', maxLength: 20 } } } },
    }),
  },

  rule('an unknown field', 'self.nope == 1', undefined, { type: 'object', properties: { a: text } }),
  rule('an unknown name', 'other == 1'),
  rule('numbers and texts', 'self + 1 == 2'),
  rule('a text for a number', 'self.startsWith(1)'),
  rule('no truth value', "'x'"),
  rule('half a rule', 'self ==', true),
  rule('an unknown function', 'self.explode()', true),
  rule('a list compared with a number', 'self.size() > "x"', undefined, { type: 'array', maxItems: 3, items: text }),
];
