import type { JsonSchema } from './crd.ts';

/**
 * What makes a schema one that an API server takes and can prune, default and merge by. Returns what breaks the rules,
 * each with its path, so that a mistake is found here and not as a condition on a CRD in somebody's cluster.
 */
export function structuralProblems(schema: JsonSchema, path = ''): string[] {
  const problems: string[] = [];
  const say = (what: string) => problems.push(`${path || '.'}: ${what}`);

  for (const key of Object.keys(schema)) if (!allowed.has(key)) say(`${key} is not part of a structural schema`);
  const intOrString = schema['x-kubernetes-int-or-string'];
  if (!schema.type && !intOrString && !schema['x-kubernetes-preserve-unknown-fields']) say('has no type');
  if (schema.type && intOrString) say('has a type although it is int-or-string');
  if (schema.properties && schema.additionalProperties) say('has properties and additionalProperties');
  if (schema.type === 'array' && !schema.items) say('is a list without items');
  for (const name of schema.required ?? []) {
    if (!schema.properties?.[name]) say(`requires ${name}, which it does not have`);
    else if (schema.properties[name].default !== undefined) say(`requires ${name}, which has a default`);
  }
  checkList(schema, say);

  for (const [name, property] of Object.entries(schema.properties ?? {}))
    problems.push(...structuralProblems(property, `${path}.${name}`));
  if (schema.items) problems.push(...structuralProblems(schema.items, `${path}[]`));
  if (schema.additionalProperties) problems.push(...structuralProblems(schema.additionalProperties, `${path}{}`));
  return problems;
}

function checkList(schema: JsonSchema, say: (what: string) => void): void {
  const keys = schema['x-kubernetes-list-map-keys'];
  if ((schema['x-kubernetes-list-type'] === 'map') !== (keys !== undefined))
    say('has map keys if and only if it is a list map');
  for (const key of keys ?? []) {
    const property = schema.items?.properties?.[key];
    if (!property) say(`is keyed by ${key}, which its entries do not have`);
    else if (!schema.items?.required?.includes(key) && property.default === undefined)
      say(`is keyed by ${key}, which is neither required nor defaulted`);
  }
}

const allowed = new Set([
  'additionalProperties',
  'anyOf',
  'default',
  'description',
  'enum',
  'format',
  'items',
  'maxItems',
  'maxLength',
  'maxProperties',
  'maximum',
  'minItems',
  'minLength',
  'minimum',
  'pattern',
  'properties',
  'required',
  'type',
  'x-kubernetes-int-or-string',
  'x-kubernetes-list-map-keys',
  'x-kubernetes-list-type',
  'x-kubernetes-map-type',
  'x-kubernetes-preserve-unknown-fields',
  'x-kubernetes-validations',
]);
