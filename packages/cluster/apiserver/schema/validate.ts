/** What is wrong with an object, in the real server's words and order. */
import { compiledRules } from './cel/rules.ts';
import { validateEmbeddedResources } from './embedded-resources.ts';
import { invalid, NO_FIELD } from './field-errors.ts';
import { validateListTypes } from './list-types.ts';
import { CUSTOM, type FieldError, type Json, type Structural } from './structural.ts';
import { validateValues } from './value-validation.ts';

/** Rules are not asked about an object whose shape is wrong: they could not tell. */
const BLOCKING: ReadonlySet<FieldError['reason']> = new Set([
  'FieldValueNotSupported',
  'FieldValueRequired',
  'FieldValueTooLong',
  'FieldValueTooMany',
  'FieldValueTypeInvalid',
]);

/**
 * `old` is what is stored now, on an update: transition rules compare with it, and what was wrong in it and did not change
 * stays allowed. Sets, embedded resources and CEL rules are checked for custom kinds alone: the lists of built-in kinds
 * say `map` for the sake of merging, and their strategies decide about duplicates.
 */
export function validateSchema(value: Json, schema: Structural, old?: Json): FieldError[] {
  const errors = validateValues(value, schema, old);
  if (schema[CUSTOM] !== true) return errors;
  const { hasEmbedded, hasListTypes, hasRules } = contentsOf(schema);
  if (hasEmbedded) errors.push(...validateEmbeddedResources(value, schema));
  if (hasListTypes && (old === undefined || validateListTypes(old, schema).length === 0))
    errors.push(...validateListTypes(value, schema));
  if (!hasRules) return errors;
  if (errors.some(({ reason }) => BLOCKING.has(reason))) {
    const why =
      'some validation rules were not checked because the object was invalid; correct the existing errors to complete validation';
    errors.push(invalid(NO_FIELD, null, why));
    return errors;
  }
  errors.push(...compiledRules(schema).validate(value, old));
  return errors;
}

interface Contents {
  hasEmbedded: boolean;
  hasListTypes: boolean;
  hasRules: boolean;
}
const contents = new WeakMap<Structural, Contents>();

/** Which of the dearer checks a schema asks for at all. */
function contentsOf(root: Structural): Contents {
  const known = contents.get(root);
  if (known) return known;
  const found: Contents = { hasEmbedded: false, hasListTypes: false, hasRules: false };
  const seen = new Set<Structural>();
  const visit = (schema: Structural | boolean | undefined): void => {
    if (typeof schema !== 'object' || seen.has(schema)) return;
    seen.add(schema);
    const listType = schema['x-kubernetes-list-type'];
    if (schema['x-kubernetes-embedded-resource']) found.hasEmbedded = true;
    if (listType === 'set' || listType === 'map') found.hasListTypes = true;
    if (schema['x-kubernetes-validations']?.length) found.hasRules = true;
    for (const child of Object.values(schema.properties ?? {})) visit(child);
    visit(schema.items);
    visit(schema.additionalProperties);
  };
  visit(root);
  contents.set(root, found);
  return found;
}
