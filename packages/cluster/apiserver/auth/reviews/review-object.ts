/** What reviews have in common: they are questions, so what the server stamps on new objects does not belong on them. */
import { ApiError } from '../../http/api-error.ts';
import type { User } from '../../registry/resource.ts';
import type { FieldError, Json, JsonObject } from '../../schema/structural.ts';
import { metadataOf } from '../../verbs/stored-object.ts';

const STAMPED = new Set(['uid', 'creationTimestamp', 'generation', 'managedFields']);

/** Owners of fields stay, everything else that the server set goes. */
export function answered(review: JsonObject, status: JsonObject): JsonObject {
  const { managedFields, namespace } = metadataOf(review);
  return {
    kind: review['kind'] ?? '',
    apiVersion: review['apiVersion'] ?? '',
    metadata: {
      ...(namespace === undefined ? {} : { namespace }),
      ...(managedFields === undefined ? {} : { managedFields }),
    },
    spec: review['spec'] ?? {},
    status,
  };
}

/** A question has no name and no labels. */
export function metadataErrors(review: JsonObject, namespaced: boolean): FieldError[] {
  const metadata = metadataOf(review);
  const given = Object.entries(metadata).filter(([field, value]) => {
    if (STAMPED.has(field) || (namespaced && field === 'namespace')) return false;
    return value !== '' && value !== null && !(typeof value === 'object' && Object.keys(value).length === 0);
  });
  if (given.length === 0) return [];
  const { managedFields } = metadata;
  const shown = { ...Object.fromEntries(given), ...(managedFields === undefined ? {} : { managedFields }) };
  return [fieldInvalid('metadata', shown as JsonObject, 'must be empty')];
}

export const fieldInvalid = (field: string, value: Json, why: string): FieldError => ({
  field,
  reason: 'FieldValueInvalid',
  message: `Invalid value: ${JSON.stringify(value)}: ${why}`,
});

/** Errors about a review name neither a kind nor an object, only the group. */
export function refuse(group: string, errors: readonly FieldError[]): void {
  if (errors.length === 0) return;
  const texts = errors.map(({ field, message }) => `${field}: ${message}`);
  const list = texts.length === 1 ? texts[0] : `[${texts.join(', ')}]`;
  const causes = errors.map(({ field, reason, message }) => ({ reason, message, field }));
  throw new ApiError(422, 'Invalid', `.${group} "" is invalid: ${list}`, { group, causes });
}

export function userInfo({ name, uid, groups, extra }: User): JsonObject {
  return {
    username: name,
    ...(uid ? { uid } : {}),
    ...(groups.length > 0 ? { groups: [...groups] } : {}),
    ...(extra && Object.keys(extra).length > 0
      ? { extra: Object.fromEntries(Object.entries(extra).map(([key, values]) => [key, [...values]])) }
      : {}),
  };
}

export const withAuthenticated = (user: User): User =>
  user.groups.includes('system:authenticated') ? user : { ...user, groups: [...user.groups, 'system:authenticated'] };
