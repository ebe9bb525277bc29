/** From what a caller sent to what may be stored: unknown fields, defaults, validation. The same for every write. */
import { badRequest, invalid } from '../http/api-error.ts';
import type { Resource } from '../registry/resource.ts';
import { applyDefaults } from '../schema/defaults.ts';
import { prune } from '../schema/prune.ts';
import type { FieldError, JsonObject } from '../schema/structural.ts';
import { validateSchema } from '../schema/validate.ts';
import { apiVersionOf, type Target, type WriteCall } from './engine.ts';
import { validateMetadata, validateMetadataUpdate } from './metadata.ts';
import { metadataOf, textOf } from './stored-object.ts';

/** Drops unknown fields and fills defaults. What was unknown is an error, a warning or nothing, as the caller asked. */
export function settle(
  object: JsonObject,
  resource: Resource,
  call: WriteCall,
  duplicates: readonly string[] = [],
): JsonObject {
  const { value, unknown } = prune(object, resource.schema);
  const complaints = [
    ...unknown.map((path) => `unknown field "${path}"`),
    ...duplicates.map((path) => `duplicate field "${path}"`),
  ];
  if (complaints.length > 0 && call.fieldValidation === 'Strict') {
    throw badRequest(
      `${resource.kind} in version "${resource.version}" cannot be handled as a ${resource.kind}: strict decoding error: ${complaints.join(', ')}`,
    );
  }
  if (call.fieldValidation === 'Warn') for (const complaint of complaints) call.context.warn(complaint);
  const settled = { ...applyDefaults(value, resource.schema) };
  resource.strategy.applyDefaults?.(settled);
  return settled;
}

/** apiVersion and kind must be the endpoint's, where they are given; an object without them gets them. */
export function withType(object: JsonObject, resource: Resource): JsonObject {
  const apiVersion = apiVersionOf(resource);
  if (object['kind'] !== undefined && object['kind'] !== '' && object['kind'] !== resource.kind) {
    throw badRequest(
      `${resource.kind} in version "${resource.version}" cannot be handled as a ${resource.kind}: the object provided is a ${JSON.stringify(object['kind'])}`,
    );
  }
  if (object['apiVersion'] !== undefined && object['apiVersion'] !== '' && object['apiVersion'] !== apiVersion) {
    throw badRequest(
      `the API version in the data (${String(object['apiVersion'])}) does not match the expected API version (${apiVersion})`,
    );
  }
  return { ...object, apiVersion, kind: resource.kind };
}

/** The namespace of the path rules; a different one in the body is a mistake that must not be guessed at. */
export function withNamespace(object: JsonObject, { resource, namespace }: Target): JsonObject {
  const given = textOf(object, 'namespace');
  if (!resource.namespaced) {
    if (given !== '') {
      const { namespace: _, ...metadata } = metadataOf(object);
      return { ...object, metadata };
    }
    return object;
  }
  if (given !== '' && given !== namespace) {
    throw badRequest(`the namespace of the provided object does not match the namespace sent on the request`);
  }
  return { ...object, metadata: { ...metadataOf(object), namespace: namespace ?? '' } };
}

export function refuseInvalid(object: JsonObject, old: JsonObject | undefined, resource: Resource): void {
  // A review is answered and forgotten: it needs no name, and checks its metadata itself.
  const errors: FieldError[] = resource.virtual ? [] : [...validateMetadata(object, resource)];
  if (old) errors.push(...validateMetadataUpdate(object, old));
  // The real server judges built-in kinds by rules of their own, never by their published schema.
  if (!resource.builtin) errors.push(...validateSchema(object, resource.schema, old));
  errors.push(
    ...((old ? resource.strategy.validateUpdate?.(object, old) : resource.strategy.validateCreate?.(object)) ?? []),
  );
  if (errors.length > 0) throw invalid(resource, textOf(object, 'name'), errors);
}
