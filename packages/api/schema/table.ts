import { type JsonSchema, schemaOf } from './crd.ts';
import type { ApiKind } from './kind.ts';

/** The reference page of a kind: what it is, how it is listed, and a table of every field. */
export function kindPage(kind: ApiKind): string {
  const { properties = {} } = schemaOf(kind);
  const parts = (['spec', 'status'] as const).flatMap((part) => {
    const schema = properties[part];
    return schema ? [`## ${part}`, fieldTable(part, schema)] : [];
  });
  const columns = kind.columns.map(({ name, jsonPath, type, priority }) => [
    name,
    `\`${jsonPath}\``,
    priority > 0 ? `${type}, only with \`-o wide\`` : type,
  ]);
  return [
    '<!-- Made by `npm run generate` from packages/api. -->',
    `# ${kind.kind}`,
    kind.description,
    factTable(kind),
    ...parts,
    ...(columns.length > 0 ? ['## Columns', table(['Name', 'Path', 'Type'], columns)] : []),
  ]
    .join('\n\n')
    .concat('\n');
}

function factTable(kind: ApiKind): string {
  const subresources = [...(kind.statusSubresource ? ['status'] : []), ...(kind.scale ? ['scale'] : [])];
  return table(
    ['', ''],
    [
      ['apiVersion', `\`${kind.group}/${kind.version}\``],
      ['resource', [kind.plural, ...kind.shortNames].map((name) => `\`${name}\``).join(', ')],
      ['scope', kind.namespaced ? 'Namespaced' : 'Cluster'],
      ['subresources', subresources.join(', ') || 'none'],
    ],
  );
}

/** Every field below `path`, in the order of the schema. */
export function fieldTable(path: string, schema: JsonSchema): string {
  return table(['Field', 'Type', 'Default', 'Validation', 'Meaning'], fieldRows(path, schema));
}

function fieldRows(path: string, schema: JsonSchema): string[][] {
  const rules = schema['x-kubernetes-validations'] ?? [];
  const ownRules = rules.map(({ rule }) => [`\`${path}\``, '', '', `CEL \`${rule}\``, '']);
  const fields = Object.entries(schema.properties ?? {}).flatMap(([name, property]) => {
    const field = `${path}.${name}`;
    const row = [
      `\`${field}\``,
      typeName(property),
      property.default === undefined ? '' : `\`${JSON.stringify(property.default)}\``,
      checks(property, schema.required?.includes(name) ?? false),
      property.description ?? '',
    ];
    return [row, ...inner(field, property)];
  });
  return [...ownRules, ...fields];
}

function inner(field: string, property: JsonSchema): string[][] {
  if (property.items) return fieldRows(`${field}[]`, property.items);
  if (property.additionalProperties) return fieldRows(`${field}.*`, property.additionalProperties);
  return property.properties ? fieldRows(field, property) : [];
}

function typeName(schema: JsonSchema): string {
  if (schema['x-kubernetes-int-or-string']) return 'int or string';
  if (schema.items) return `list of ${typeName(schema.items)}`;
  if (schema.additionalProperties) return `map of ${typeName(schema.additionalProperties)}`;
  if (schema['x-kubernetes-preserve-unknown-fields']) return schema.type ? 'any object' : 'any value';
  if (schema.format === 'date-time') return 'time';
  return schema.format ?? schema.type ?? '';
}

function checks(schema: JsonSchema, required: boolean): string {
  const range = (name: string, low: number | undefined, high: number | undefined) =>
    low === undefined && high === undefined ? [] : [`${name} ${low ?? ''}..${high ?? ''}`];
  const keys = schema['x-kubernetes-list-map-keys'];
  const listType = schema['x-kubernetes-list-type'];
  return [
    ...(required ? ['required'] : []),
    ...values(schema.enum),
    ...values(schema.items?.enum),
    ...range('range', schema.minimum, schema.maximum),
    ...range('length', schema.minLength, schema.maxLength),
    ...range('entries', schema.minItems, schema.maxItems ?? schema.maxProperties),
    ...(schema.pattern ? [`\`${schema.pattern}\``] : []),
    ...(keys ? [`keyed by ${keys.join(', ')}`] : listType ? [listType] : []),
    ...(schema['x-kubernetes-map-type'] ? [schema['x-kubernetes-map-type']] : []),
    ...(schema.properties ? [] : (schema['x-kubernetes-validations'] ?? []).map(({ rule }) => `CEL \`${rule}\``)),
  ].join('; ');
}

const values = (words: readonly string[] | undefined) => (words ? [words.map((word) => `\`${word}\``).join(' ')] : []);

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) => `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`;
  return [line(head), `|${head.map(() => '---').join('|')}|`, ...rows.map(line)].join('\n');
}
