/** Whether a schema in a CRD may be one: complete, unambiguous, and of nothing but what custom kinds support. */
import { fieldPathOf } from './cel/field-path.ts';
import { compileRules } from './cel/rules.ts';
import { isSame } from './correlation.ts';
import { applyDefaults } from './defaults.ts';
import { forbidden, invalid, notSupported, required } from './field-errors.ts';
import { prune } from './prune.ts';
import { patternProblem } from './regular-expression.ts';
import type { FieldError, Json, JsonObject, Structural, ValidationRule } from './structural.ts';
import { validateValues } from './value-validation.ts';

type Raw = Structural & { readonly [key: string]: unknown };
type Level = 'root' | 'item' | 'field';

const TYPES = ['array', 'boolean', 'integer', 'number', 'object', 'string'];
const ALTERNATIVES = ['allOf', 'anyOf', 'oneOf'] as const;

export function checkStructural(schema: Structural, path = ''): FieldError[] {
  const shape = [...checkSupported(schema as Raw, path), ...checkSpine(schema, 'root', path)];
  if (shape.length > 0) return shape;
  const errors = [...checkComplete(schema, path), ...checkDefaults(schema, path)];
  return errors.length > 0 ? errors : checkRules(schema, path);
}

/** Parts of JSON schema that Kubernetes leaves out, and what its own extensions ask for. */
function checkSupported(schema: Raw, path: string): FieldError[] {
  const at = (name: string) => `${path}.${name}`;
  const errors: FieldError[] = [];
  const { type, properties, additionalProperties, items } = schema;
  if (type === ('null' as never))
    errors.push(forbidden(at('type'), 'type cannot be set to null, use nullable as an alternative'));
  else if (type !== undefined && !TYPES.includes(type)) errors.push(notSupported(at('type'), type, TYPES));
  if (schema.uniqueItems)
    errors.push(
      forbidden(at('uniqueItems'), 'uniqueItems cannot be set to true since the runtime complexity becomes quadratic'),
    );
  if (
    properties &&
    Object.keys(properties).length > 0 &&
    additionalProperties !== undefined &&
    additionalProperties !== true
  )
    errors.push(forbidden(at('additionalProperties'), 'additionalProperties and properties are mutual exclusive'));
  for (const name of ['id', 'additionalItems', 'patternProperties', 'definitions', 'dependencies', '$ref'])
    if (schema[name] !== undefined) errors.push(forbidden(at(name), `${name} is not supported`));
  if (Array.isArray(items))
    return [...errors, forbidden(at('items'), 'items must be a schema object and not an array')];
  if (schema['x-kubernetes-preserve-unknown-fields'] === false)
    errors.push(invalid(at('x-kubernetes-preserve-unknown-fields'), false, 'must be true or undefined'));
  errors.push(...checkMapType(schema, path), ...checkListType(schema, path));
  for (const [index, rule] of (schema['x-kubernetes-validations'] ?? []).entries())
    errors.push(...checkRuleText(rule, schema, `${path}.x-kubernetes-validations[${index}]`));
  for (const [name, property] of Object.entries(properties ?? {}))
    errors.push(...checkSupported(property as Raw, `${path}.properties[${name}]`));
  for (const kind of ALTERNATIVES)
    for (const [index, one] of (schema[kind] ?? []).entries())
      errors.push(...checkSupported(one as Raw, `${path}.${kind}[${index}]`));
  for (const [name, one] of Object.entries({ items, additionalProperties, not: schema.not }))
    if (typeof one === 'object') errors.push(...checkSupported(one as Raw, at(name)));
  return errors;
}

function wrongType(path: string, actual: string | undefined, why: string): FieldError {
  return actual === undefined ? required(`${path}.type`, why) : invalid(`${path}.type`, actual, why);
}

function checkMapType({ type, 'x-kubernetes-map-type': mapType }: Raw, path: string): FieldError[] {
  if (mapType === undefined) return [];
  return [
    ...(type === 'object' ? [] : [wrongType(path, type, 'must be object if x-kubernetes-map-type is specified')]),
    ...(['atomic', 'granular'].includes(mapType)
      ? []
      : [notSupported(`${path}.x-kubernetes-map-type`, mapType, ['atomic', 'granular'])]),
  ];
}

function checkListType(schema: Raw, path: string): FieldError[] {
  const { type, items, 'x-kubernetes-list-type': listType, 'x-kubernetes-list-map-keys': keys = [] } = schema;
  const errors: FieldError[] = [];
  if (listType !== undefined && type !== 'array')
    errors.push(wrongType(path, type, 'must be array if x-kubernetes-list-type is specified'));
  else if (listType === 'set' && items?.type === 'object' && items['x-kubernetes-map-type'] !== 'atomic')
    errors.push(
      invalid(
        `${path}.items.x-kubernetes-map-type`,
        null,
        'must be atomic as item of a list with x-kubernetes-list-type=set',
      ),
    );
  if (listType !== undefined && !['atomic', 'set', 'map'].includes(listType))
    errors.push(notSupported(`${path}.x-kubernetes-list-type`, listType, ['atomic', 'set', 'map']));
  if (keys.length > 0 && listType !== 'map') {
    const why = 'must be map if x-kubernetes-list-map-keys is non-empty';
    const field = `${path}.x-kubernetes-list-type`;
    errors.push(listType === undefined ? required(field, why) : invalid(field, listType, why));
  }
  if (listType === 'map') errors.push(...checkKeys(schema, keys, path));
  if ((listType === 'map' || listType === 'set') && items?.nullable)
    errors.push(forbidden(`${path}.items.nullable`, `cannot be nullable when x-kubernetes-list-type is ${listType}`));
  return errors;
}

function checkKeys({ items }: Raw, keys: readonly string[], path: string): FieldError[] {
  const field = `${path}.x-kubernetes-list-map-keys`;
  if (keys.length === 0) return [required(field, 'must not be empty if x-kubernetes-list-type is map')];
  if (!items) return [];
  if (items.type !== 'object')
    return [
      invalid(`${path}.items.type`, items.type ?? '', "must be object if parent array's x-kubernetes-list-type is map"),
    ];
  return keys.flatMap((key, index) => {
    const property = items.properties?.[key];
    const at = `${path}.items.properties[${key}]`;
    if (!property) return [invalid(field, [...keys], 'entries must all be names of item properties')];
    const errors: FieldError[] = [];
    if (property.type === 'array' || property.type === 'object')
      errors.push(
        invalid(
          `${at}.type`,
          items.type ?? '',
          "must be a scalar type if parent array's x-kubernetes-list-type is map",
        ),
      );
    if (keys.indexOf(key) < index) errors.push(invalid(field, [...keys], 'must not contain duplicate entries'));
    if (!items.required?.includes(key) && property.default === undefined)
      errors.push(
        required(
          `${at}.default`,
          'this property is in x-kubernetes-list-map-keys, so it must have a default or be a required property',
        ),
      );
    if (property.nullable)
      errors.push(
        forbidden(`${at}.nullable`, 'this property is in x-kubernetes-list-map-keys, so it cannot be nullable'),
      );
    return errors;
  });
}

const REASONS = ['FieldValueDuplicate', 'FieldValueForbidden', 'FieldValueInvalid', 'FieldValueRequired'];

function checkRuleText(rule: ValidationRule, schema: Structural, path: string): FieldError[] {
  const errors: FieldError[] = [];
  const { message = '', messageExpression = '', fieldPath = '', reason } = rule;
  if (rule.rule.trim() === '') errors.push(required(`${path}.rule`, 'rule is not specified'));
  else if (message !== '' && message.trim() === '')
    errors.push(invalid(`${path}.message`, message, 'must be non-empty if specified'));
  else if (message.trim().includes('\n'))
    errors.push(invalid(`${path}.message`, message, 'must not contain line breaks'));
  else if (rule.rule.trim().includes('\n') && message.trim() === '')
    errors.push(required(`${path}.message`, 'message must be specified if rule contains line breaks'));
  if (messageExpression !== '' && messageExpression.trim() === '')
    errors.push(required(`${path}.messageExpression`, 'messageExpression must be non-empty if specified'));
  if (reason !== undefined && !REASONS.includes(reason)) errors.push(notSupported(`${path}.reason`, reason, REASONS));
  if (fieldPath !== '' && fieldPathOf(fieldPath, schema).problem !== undefined)
    errors.push(invalid(`${path}.fieldPath`, fieldPath, 'must be a valid path'));
  return errors;
}

/** Every field has a type, and only one. */
function checkSpine(schema: Structural, level: Level, path: string): FieldError[] {
  const errors: FieldError[] = [];
  const { type, items, properties = {}, additionalProperties } = schema;
  const isEmbedded = schema['x-kubernetes-embedded-resource'] === true;
  const keeps = schema['x-kubernetes-preserve-unknown-fields'] === true;
  const isIntOrString = schema['x-kubernetes-int-or-string'] === true;
  if (type === 'array' && !items) errors.push(required(`${path}.items`, 'must be specified'));
  if (items) errors.push(...checkSpine(items, 'item', `${path}.items`));
  for (const [name, property] of Object.entries(properties))
    errors.push(...checkSpine(property, 'field', `${path}.properties[${name}]`));
  if (additionalProperties !== undefined && level === 'root')
    errors.push(forbidden(`${path}.additionalProperties`, 'must not be used at the root'));
  if (typeof additionalProperties === 'object')
    errors.push(...checkSpine(additionalProperties, 'field', `${path}.additionalProperties`));
  if (isIntOrString && keeps)
    errors.push(
      invalid(
        `${path}.x-kubernetes-preserve-unknown-fields`,
        true,
        'must be false if x-kubernetes-int-or-string is true',
      ),
    );
  if (isIntOrString && isEmbedded)
    errors.push(
      invalid(`${path}.x-kubernetes-embedded-resource`, true, 'must be false if x-kubernetes-int-or-string is true'),
    );
  errors.push(...checkValidation(schema, isIntOrString, path));
  if (isEmbedded && type !== 'object')
    errors.push(wrongType(path, type, 'must be object if x-kubernetes-embedded-resource is true'));
  else if (type === undefined && !isIntOrString && !keeps) {
    const where = { root: 'at the root', item: 'for specified array items', field: 'for specified object fields' }[
      level
    ];
    errors.push(required(`${path}.type`, `must not be empty ${where}`));
  }
  if (isEmbedded && additionalProperties !== undefined)
    errors.push(forbidden(`${path}.additionalProperties`, 'must not be used if x-kubernetes-embedded-resource is set'));
  if (level === 'root' && type !== undefined && type !== 'object')
    errors.push(invalid(`${path}.type`, type, 'must be object at the root'));
  if (level === 'root' || isEmbedded) errors.push(...checkResource(properties, level, path));
  if (isEmbedded && !keeps && Object.keys(properties).length === 0)
    errors.push(
      required(
        `${path}.properties`,
        'must not be empty if x-kubernetes-embedded-resource is true without x-kubernetes-preserve-unknown-fields',
      ),
    );
  return errors;
}

function checkResource(properties: Readonly<Record<string, Structural>>, level: Level, path: string): FieldError[] {
  const errors: FieldError[] = [];
  const { kind, apiVersion, metadata } = properties;
  if (kind && kind.type !== 'string')
    errors.push(invalid(`${path}.properties[kind].type`, kind.type ?? '', 'must be string'));
  if (apiVersion && apiVersion.type !== 'string')
    errors.push(invalid(`${path}.properties[apiVersion].type`, apiVersion.type ?? '', 'must be string'));
  if (!metadata) return errors;
  const at = `${path}.properties[metadata]`;
  if (metadata.type !== 'object') errors.push(invalid(`${at}.type`, metadata.type ?? '', 'must be object'));
  if (level !== 'root') return errors;
  const { type: _type, description: _description, properties: names = {}, ...more } = metadata;
  const hasMore = Object.keys(more).some(
    (key) => key !== 'required' && key !== 'title' && key !== 'x-kubernetes-validations',
  );
  if (hasMore || Object.keys(names).some((name) => name !== 'name' && name !== 'generateName'))
    errors.push(
      forbidden(at, 'must not specify anything other than name and generateName, but metadata is implicitly specified'),
    );
  return errors;
}

/** Bounds and alternatives. Of an int-or-string, one form of `anyOf` says what it is and is let through. */
function checkValidation(schema: Structural, isIntOrString: boolean, path: string): FieldError[] {
  const errors: FieldError[] = [];
  const problem = schema.pattern ? patternProblem(schema.pattern) : undefined;
  if (problem !== undefined && schema.pattern)
    errors.push(
      invalid(`${path}.pattern`, schema.pattern, `must be a valid regular expression, but isn't: ${problem}`),
    );
  const saysBoth = (anyOf: readonly Structural[] | undefined) =>
    isIntOrString && anyOf?.length === 2 && anyOf[0]?.type === 'integer' && anyOf[1]?.type === 'string';
  for (const kind of ALTERNATIVES) {
    if (kind === 'anyOf' && saysBoth(schema.anyOf)) continue;
    for (const [index, one] of (schema[kind] ?? []).entries()) {
      if (kind === 'allOf' && index === 0 && saysBoth(one.anyOf)) continue;
      errors.push(...checkNested(one, `${path}.${kind}[${index}]`));
    }
  }
  if (schema.not) errors.push(...checkNested(schema.not, `${path}.not`));
  return errors;
}

/** Inside alternatives there are only bounds: what a field is, is said once, outside. */
function checkNested(schema: Structural, path: string): FieldError[] {
  const errors = checkValidation(schema, false, path);
  if (schema.items) errors.push(...checkNested(schema.items, `${path}.items`));
  for (const [name, property] of Object.entries(schema.properties ?? {}))
    errors.push(...checkNested(property, `${path}.properties[${name}]`));
  const refuse = (name: keyof Structural & string, how: string) => {
    if (schema[name] !== undefined && schema[name] !== false && schema[name] !== '')
      errors.push(forbidden(`${path}.${name}`, `must be ${how} to be structural`));
  };
  refuse('type', 'empty');
  refuse('additionalProperties', 'undefined');
  refuse('default', 'undefined');
  refuse('description', 'empty');
  refuse('nullable', 'false');
  refuse('x-kubernetes-preserve-unknown-fields', 'false');
  refuse('x-kubernetes-embedded-resource', 'false');
  refuse('x-kubernetes-int-or-string', 'false');
  refuse('x-kubernetes-list-map-keys', 'empty');
  refuse('x-kubernetes-list-type', 'undefined');
  refuse('x-kubernetes-map-type', 'undefined');
  refuse('x-kubernetes-validations', 'empty');
  if (schema.properties?.['metadata'])
    errors.push(forbidden(`${path}.properties[metadata]`, 'must not be specified in a nested context'));
  return errors;
}

/** What an alternative mentions must exist outside of it. The real server looks for this at the root alone. */
function checkComplete(schema: Structural, path: string): FieldError[] {
  const errors: FieldError[] = [];
  for (const kind of ALTERNATIVES)
    for (const [index, one] of (schema[kind] ?? []).entries())
      errors.push(...missing(one, schema, `${path}.${kind}[${index}]`, path));
  if (schema.not) errors.push(...missing(schema.not, schema, `${path}.not`, path));
  return errors;
}

function missing(nested: Structural, spine: Structural | undefined, at: string, spinePath: string): FieldError[] {
  if (!spine) return [required(spinePath, `because it is defined in ${at}`)];
  const errors = Object.entries(nested.properties ?? {}).flatMap(([name, one]) =>
    missing(one, spine.properties?.[name], `${at}.properties[${name}]`, `${spinePath}.properties[${name}]`),
  );
  if (nested.items) errors.push(...missing(nested.items, spine.items, `${at}.items`, `${spinePath}.items`));
  for (const kind of ALTERNATIVES)
    for (const [index, one] of (nested[kind] ?? []).entries())
      errors.push(...missing(one, spine, `${at}.${kind}[${index}]`, spinePath));
  if (nested.not) errors.push(...missing(nested.not, spine, `${at}.not`, spinePath));
  return errors;
}

/** Defaults are values like any other. */
function checkDefaults(schema: Structural, path: string): FieldError[] {
  const errors: FieldError[] = [];
  if (schema.default !== undefined && schema.default !== null) {
    const field = `${path}.default`;
    const wrapped: Structural = { type: 'object', properties: { value: schema } };
    const given: JsonObject = { value: schema.default as Json };
    const { value: pruned } = prune(given, wrapped);
    if (!isSame(pruned, given)) errors.push(invalid(field, given['value'] ?? null, 'must not have unknown fields'));
    const settled = applyDefaults(pruned, wrapped)['value'] ?? null;
    errors.push(
      ...validateValues(settled, schema, undefined).map((error) => ({
        ...error,
        field: error.field === '' ? field : error.field === '<nil>' ? field : `${field}.${error.field}`,
      })),
    );
  }
  for (const [name, property] of Object.entries(schema.properties ?? {}))
    errors.push(...checkDefaults(property, `${path}.properties[${name}]`));
  if (schema.items) errors.push(...checkDefaults(schema.items, `${path}.items`));
  if (typeof schema.additionalProperties === 'object')
    errors.push(...checkDefaults(schema.additionalProperties, `${path}.additionalProperties`));
  return errors;
}

function checkRules(schema: Structural, path: string): FieldError[] {
  return compileRules(schema).errors.map((error) => ({ ...error, field: path + error.field }));
}
