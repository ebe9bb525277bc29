/** Whether a CRD may be stored, and changed so: names, versions, and the schema of each. */
import { isDeepStrictEqual } from 'node:util';
import { fieldPathOf } from '../schema/cel/field-path.ts';
import { checkStructural } from '../schema/check-structural.ts';
import { duplicate, invalid, notSupported, required, tooMany } from '../schema/field-errors.ts';
import type { FieldError, Json, JsonObject, Structural } from '../schema/structural.ts';
import { jsonPathProblem } from './json-path.ts';
import { asCrd, type Crd, type CrdNames, type CrdVersion, type PrinterColumn, type ScalePaths } from './model.ts';

const LABEL = /^[a-z]([-a-z0-9]*[a-z0-9])?$/;
const LABEL_MESSAGE =
  "a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic character, and end with an alphanumeric character (e.g. 'my-name',  or 'abc-123', regex used for validation is '[a-z]([-a-z0-9]*[a-z0-9])?')";
const SUBDOMAIN = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/;
const SUBDOMAIN_MESSAGE =
  "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')";
const MAX_SELECTABLE_FIELDS = 8;

export function validateCrd(object: JsonObject, oldObject?: JsonObject): FieldError[] {
  const crd = asCrd(object);
  const old = oldObject && asCrd(oldObject);
  const { spec } = crd;
  const errors: FieldError[] = [];
  const wanted = `${spec.names.plural}.${spec.group}`;
  if (crd.metadata.name !== wanted && !old)
    errors.push(invalid('metadata.name', crd.metadata.name, 'must be spec.names.plural+"."+spec.group'));
  errors.push(...groupErrors(spec.group));
  if (!['Cluster', 'Namespaced'].includes(spec.scope))
    errors.push(
      spec.scope ? notSupported('spec.scope', spec.scope, ['Cluster', 'Namespaced']) : required('spec.scope'),
    );
  errors.push(...versionErrors(crd));
  for (const name of ['plural', 'singular', 'kind', 'listKind'] as const)
    if (!spec.names[name]) errors.push(required(`spec.names.${name}`));
  errors.push(...nameErrors(spec.names, 'spec.names'));
  if (spec.preserveUnknownFields)
    errors.push(
      invalid(
        'spec.preserveUnknownFields',
        true,
        'cannot set to true, set x-kubernetes-preserve-unknown-fields to true in spec.versions[*].schema instead',
      ),
    );
  errors.push(...conversionErrors(crd));
  if (old) errors.push(...immutableErrors(crd, old));
  errors.push(...storedVersionErrors(crd));
  return errors;
}

function labelErrors(field: string, value: string, intro = ''): FieldError[] {
  const problems = [
    ...(value.length > 63 ? ['must be no more than 63 characters'] : []),
    ...(LABEL.test(intro === '' ? value : value.toLowerCase()) ? [] : [LABEL_MESSAGE]),
  ];
  return problems.length === 0 ? [] : [invalid(field, value, intro + problems.join(','))];
}

function groupErrors(group: string): FieldError[] {
  if (!group) return [required('spec.group')];
  if (group.length > 253) return [invalid('spec.group', group, 'must be no more than 253 characters')];
  if (!SUBDOMAIN.test(group)) return [invalid('spec.group', group, SUBDOMAIN_MESSAGE)];
  return group.includes('.') ? [] : [invalid('spec.group', group, 'should be a domain with at least one dot')];
}

function nameErrors(names: CrdNames, path: string): FieldError[] {
  const { plural, singular = '', kind, listKind = '', shortNames = [], categories = [] } = names;
  const mixed = 'may have mixed case, but should otherwise match: ';
  return [
    ...(plural ? labelErrors(`${path}.plural`, plural) : []),
    ...(singular ? labelErrors(`${path}.singular`, singular) : []),
    ...(kind ? labelErrors(`${path}.kind`, kind, mixed) : []),
    ...(listKind ? labelErrors(`${path}.listKind`, listKind, mixed) : []),
    ...shortNames.flatMap((name, index) => labelErrors(`${path}.shortNames[${index}]`, name)),
    ...(kind && kind === listKind
      ? [invalid(`${path}.listKind`, listKind, 'kind and listKind may not be the same')]
      : []),
    ...categories.flatMap((name, index) => labelErrors(`${path}.categories[${index}]`, name)),
  ];
}

/** What all versions have alike, the real server keeps, and names in its errors, once for all. */
function sharedBy<T>(versions: readonly CrdVersion[], part: (version: CrdVersion) => T): boolean {
  const [first] = versions;
  return (
    first !== undefined &&
    part(first) !== undefined &&
    versions.every((one) => isDeepStrictEqual(part(one), part(first)))
  );
}

function versionErrors({ spec }: Crd): FieldError[] {
  const { versions } = spec;
  const errors: FieldError[] = [];
  for (const [index, { name }] of versions.entries()) errors.push(...labelErrors(`spec.versions[${index}].name`, name));
  // The real server keeps the first version's name in a second place, and complains there too.
  if (versions[0]) errors.push(...labelErrors('spec.version', versions[0].name));
  if (new Set(versions.map(({ name }) => name)).size < versions.length)
    errors.push(invalid('spec.versions', asInternal(versions), 'must contain unique version names'));
  if (versions.filter(({ storage }) => storage).length !== 1)
    errors.push(
      invalid('spec.versions', asInternal(versions), 'must have exactly one version marked as storage version'),
    );
  const each = <T>(
    part: (version: CrdVersion) => T,
    once: string,
    perVersion: string,
    check: (value: NonNullable<T>, path: string, version: CrdVersion) => FieldError[],
  ) => {
    const isShared = sharedBy(versions, part);
    const checked = isShared ? versions.slice(0, 1) : versions;
    for (const [index, version] of checked.entries()) {
      const value = part(version);
      if (value === undefined || value === null) continue;
      errors.push(...check(value, isShared ? `spec.${once}` : `spec.versions[${index}].${perVersion}`, version));
    }
  };
  for (const [index, { schema }] of versions.entries())
    if (!schema?.openAPIV3Schema) errors.push(required(`spec.versions[${index}].schema.openAPIV3Schema`));
  each(
    ({ schema }) => schema,
    'validation',
    'schema',
    ({ openAPIV3Schema }, path, version) =>
      openAPIV3Schema ? schemaErrors(openAPIV3Schema, version, `${path}.openAPIV3Schema`) : [],
  );
  each(
    ({ subresources }) => subresources,
    'subresources',
    'subresources',
    ({ scale }, path) => (scale ? scaleErrors(scale, `${path}.scale`) : []),
  );
  each(
    ({ additionalPrinterColumns }) => additionalPrinterColumns,
    'additionalPrinterColumns',
    'additionalPrinterColumns',
    (columns, path) => columns.flatMap((column, index) => columnErrors(column, `${path}[${index}]`)),
  );
  each(
    ({ selectableFields }) => selectableFields,
    'selectableFields',
    'selectableFields',
    (fields, path, { schema }) => selectableErrors(fields, schema?.openAPIV3Schema, path),
  );
  for (const [index, version] of versions.entries()) {
    const { deprecated, deprecationWarning } = version;
    if (deprecationWarning === undefined) continue;
    const field = `spec.versions[${index}].deprecationWarning`;
    if (!deprecated) errors.push(invalid(field, deprecationWarning, 'can only be set for deprecated versions'));
  }
  return errors;
}

/** As the real server prints the versions it complains about. */
function asInternal(versions: readonly CrdVersion[]): Json {
  return versions.map(({ name, served, storage, deprecated = false, deprecationWarning = null }) => ({
    Name: name,
    Served: served,
    Storage: storage,
    Deprecated: deprecated,
    DeprecationWarning: deprecationWarning,
    Schema: null,
    Subresources: null,
    AdditionalPrinterColumns: null,
    SelectableFields: null,
  }));
}

function schemaErrors(schema: Structural, { subresources }: CrdVersion, path: string): FieldError[] {
  const errors: FieldError[] = [];
  if (subresources?.status && schema.type !== 'object')
    errors.push(
      invalid(
        `${path}.type`,
        schema.type ?? '',
        'only "object" is allowed as the type at the root of the schema if the status subresource is enabled',
      ),
    );
  if (schema.nullable)
    errors.push({
      field: `${path}.nullable`,
      reason: 'FieldValueForbidden',
      message: 'Forbidden: nullable cannot be true at the root',
    });
  errors.push(...checkStructural(schema, path));
  return errors;
}

function scaleErrors(
  { specReplicasPath, statusReplicasPath, labelSelectorPath }: ScalePaths,
  path: string,
): FieldError[] {
  const one = (name: string, value: string, roots: readonly string[], where: string): FieldError[] => {
    const field = `${path}.${name}`;
    if (!value) return [required(field)];
    const problem = jsonPathProblem(value);
    if (problem) return [invalid(field, value, problem)];
    return roots.some((root) => value.startsWith(root))
      ? []
      : [invalid(field, value, `should be a json path under ${where}`)];
  };
  return [
    ...one('specReplicasPath', specReplicasPath, ['.spec.'], '.spec'),
    ...one('statusReplicasPath', statusReplicasPath, ['.status.'], '.status'),
    ...(labelSelectorPath
      ? one('labelSelectorPath', labelSelectorPath, ['.spec.', '.status.'], 'either .spec or .status')
      : []),
  ];
}

const COLUMN_TYPES = ['boolean', 'date', 'integer', 'number', 'string'];
const COLUMN_FORMATS = ['byte', 'date', 'date-time', 'double', 'float', 'int32', 'int64', 'password'];

function columnErrors({ name, type, format, jsonPath }: PrinterColumn, path: string): FieldError[] {
  const errors: FieldError[] = [];
  const oneOf = (allowed: readonly string[]) => `must be one of ${allowed.join(',')}`;
  if (!name) errors.push(required(`${path}.name`));
  if (!type) errors.push(required(`${path}.type`, oneOf(COLUMN_TYPES)));
  else if (!COLUMN_TYPES.includes(type)) errors.push(invalid(`${path}.type`, type, oneOf(COLUMN_TYPES)));
  if (format && !COLUMN_FORMATS.includes(format)) errors.push(invalid(`${path}.format`, format, oneOf(COLUMN_FORMATS)));
  if (!jsonPath) errors.push(required(`${path}.JSONPath`));
  else if (!jsonPath.startsWith('.'))
    errors.push(invalid(`${path}.JSONPath`, jsonPath, 'must be a simple json path starting with .'));
  return errors;
}

function selectableErrors(
  fields: readonly { readonly jsonPath: string }[],
  schema: Structural | undefined,
  path: string,
): FieldError[] {
  const seen = new Set<string>();
  const errors = fields.flatMap(({ jsonPath }, index): FieldError[] => {
    const field = `${path}[${index}].jsonPath`;
    if (!jsonPath) return [required(field)];
    const found = fieldPathOf(jsonPath, schema ?? {}, false);
    if (found.problem !== undefined) return [invalid(field, jsonPath, `is an invalid path: ${found.problem}`)];
    const own: FieldError[] = [];
    if (found.path.startsWith('.metadata')) own.push(invalid(field, jsonPath, 'must not point to fields in metadata'));
    if (!['string', 'boolean', 'integer'].includes(found.schema.type ?? ''))
      own.push(
        invalid(
          field,
          jsonPath,
          'must point to a field of type string, boolean or integer. Enum string fields and strings with formats are allowed.',
        ),
      );
    if (seen.has(found.path)) own.push(duplicate(field, jsonPath));
    seen.add(found.path);
    return own;
  });
  if (seen.size > MAX_SELECTABLE_FIELDS) errors.push(tooMany(path, seen.size, MAX_SELECTABLE_FIELDS));
  return errors;
}

function conversionErrors({ spec }: Crd): FieldError[] {
  const strategy = spec.conversion?.strategy ?? 'None';
  if (strategy === 'None') return [];
  if (strategy !== 'Webhook') return [notSupported('spec.conversion.strategy', strategy, ['None', 'Webhook'])];
  return [
    invalid(
      'spec.conversion.strategy',
      strategy,
      'conversion webhooks are not supported by the embedded cluster; use None',
    ),
  ];
}

/** Once it is served, a kind keeps its name and its scope. */
function immutableErrors({ spec }: Crd, { spec: old, status }: Crd): FieldError[] {
  const isEstablished = status?.conditions?.some(({ type, status: is }) => type === 'Established' && is === 'True');
  const why = 'field is immutable';
  const errors: FieldError[] = [];
  if (isEstablished) {
    if (spec.scope !== old.scope) errors.push(invalid('spec.scope', spec.scope, why));
    if (spec.names.kind !== old.names.kind) errors.push(invalid('spec.names.kind', spec.names.kind, why));
  }
  if (spec.group !== old.group) errors.push(invalid('spec.group', spec.group, why));
  if (spec.names.plural !== old.names.plural) errors.push(invalid('spec.names.plural', spec.names.plural, why));
  return errors;
}

function storedVersionErrors({ spec, status }: Crd): FieldError[] {
  const stored = [...(status?.storedVersions ?? [])];
  const field = 'status.storedVersions';
  if (stored.length === 0) return [invalid(field, stored, 'must have at least one stored version')];
  const unstored = spec.versions.filter(({ storage, name }) => storage && !stored.includes(name));
  return [
    ...unstored.map(({ name }) => invalid(field, stored, `must have the storage version ${name}`)),
    ...stored.flatMap((name, index) =>
      spec.versions.some((version) => version.name === name)
        ? []
        : [
            invalid(
              `${field}[${index}]`,
              name,
              `missing from spec.versions; ${name} was previously a storage version, and must remain in spec.versions until a storage migration ensures no data remains persisted in ${name} and removes ${name} from status.storedVersions`,
            ),
          ],
    ),
  ];
}
