/** The rules about metadata that hold for every kind: what callers may set, and what only the server does. */
import { randomUUID } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import type { Resource } from '../registry/resource.ts';
import type { FieldError, JsonObject } from '../schema/structural.ts';
import { metadataOf, stringsOf, textOf, timestamp } from './stored-object.ts';

const SUFFIX_ALPHABET = 'bcdfghjklmnpqrstvwxz2456789';
const MAX_GENERATED_BASE = 58;

/** `base` + five characters, as generateName promises. */
export function generatedName(base: string, random: () => number): string {
  let suffix = '';
  for (let i = 0; i < 5; i++) suffix += SUFFIX_ALPHABET[Math.floor(random() * SUFFIX_ALPHABET.length)];
  return base.slice(0, MAX_GENERATED_BASE) + suffix;
}

/** Server-set fields of a new object. Whatever the caller put there is gone. */
export function stampNew(object: JsonObject, resource: Resource, now: Date): void {
  const metadata = { ...metadataOf(object) };
  for (const field of ['deletionTimestamp', 'deletionGracePeriodSeconds', 'selfLink', 'generation', 'resourceVersion'])
    delete metadata[field];
  metadata['uid'] = randomUUID();
  metadata['creationTimestamp'] = timestamp(now);
  if (resource.hasGeneration) metadata['generation'] = 1;
  object['metadata'] = metadata;
}

/** Server-set fields of a changed object: they are those of the stored one, whatever the caller sent. */
export function stampChanged(object: JsonObject, old: JsonObject): void {
  const metadata = { ...metadataOf(object) };
  const before = metadataOf(old);
  for (const field of [
    'uid',
    'creationTimestamp',
    'deletionTimestamp',
    'deletionGracePeriodSeconds',
    'generation',
    'selfLink',
    'resourceVersion',
  ]) {
    if (before[field] === undefined) delete metadata[field];
    else metadata[field] = before[field];
  }
  object['metadata'] = metadata;
}

/** The generation grows when anything but metadata and status changed. */
export function bumpGeneration(object: JsonObject, old: JsonObject): void {
  const desired = ({ metadata: _metadata, status: _status, ...rest }: JsonObject) => rest;
  const before = metadataOf(old)['generation'];
  const generation = typeof before === 'number' ? before : 0;
  const changed = !isDeepStrictEqual(desired(object), desired(old));
  object['metadata'] = { ...metadataOf(object), generation: changed ? generation + 1 : generation };
}

const SUBDOMAIN = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/;
const LABEL = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?$/;
const QUALIFIED_NAME = /^([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]$/;
const LABEL_VALUE = /^(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?$/;
const MAX_ANNOTATIONS_BYTES = 262_144;

const SUBDOMAIN_MESSAGE =
  "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')";
const LABEL_MESSAGE =
  "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric character (e.g. 'my-name',  or '123-abc', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?')";
const NAME_PART_MESSAGE =
  "name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')";
const LABEL_VALUE_MESSAGE =
  "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', regex used for validation is '(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')";

const badValue = (field: string, value: unknown, why: string): FieldError => ({
  field,
  reason: 'FieldValueInvalid',
  message: `Invalid value: ${JSON.stringify(value)}: ${why}`,
});

/** Kinds whose names are labels (they become DNS labels), and kinds whose names may be almost anything. */
const LABEL_NAMED = new Set(['namespaces', 'services']);
const PATH_NAMED = new Set([
  'rbac.authorization.k8s.io/roles',
  'rbac.authorization.k8s.io/rolebindings',
  'rbac.authorization.k8s.io/clusterroles',
  'rbac.authorization.k8s.io/clusterrolebindings',
  'apiregistration.k8s.io/apiservices',
]);

export function validateMetadata(object: JsonObject, resource: Resource): FieldError[] {
  const errors: FieldError[] = [];
  const name = textOf(object, 'name');
  if (name === '')
    errors.push({
      field: 'metadata.name',
      reason: 'FieldValueRequired',
      message: 'Required value: name or generateName is required',
    });
  else errors.push(...nameErrors(name, resource));
  errors.push(...labelErrors(metadataOf(object)['labels'], 'metadata.labels'));
  errors.push(...annotationErrors(metadataOf(object)['annotations']));
  for (const [index, finalizer] of stringsOf(object, 'finalizers').entries()) {
    const isCore = ['orphan', 'foregroundDeletion', 'kubernetes'].includes(finalizer);
    if (!isCore && !qualified(finalizer))
      errors.push(badValue(`metadata.finalizers[${index}]`, finalizer, NAME_PART_MESSAGE));
  }
  return errors;
}

function nameErrors(name: string, resource: Resource): FieldError[] {
  const field = 'metadata.name';
  if (PATH_NAMED.has(`${resource.group}/${resource.plural}`)) {
    if (name === '.' || name === '..') return [badValue(field, name, `may not be '${name}'`)];
    return /[/%]/.test(name) ? [badValue(field, name, "may not contain '/' or '%'")] : [];
  }
  const isLabel = LABEL_NAMED.has(resource.plural) && resource.group === '';
  const limit = isLabel ? 63 : 253;
  if (name.length > limit) return [badValue(field, name, `must be no more than ${limit} characters`)];
  if (!(isLabel ? LABEL : SUBDOMAIN).test(name)) return [badValue(field, name, labelComplaint(name, isLabel))];
  return [];
}

const labelComplaint = (name: string, isLabel: boolean) => {
  if (!isLabel) return SUBDOMAIN_MESSAGE;
  return name.includes('.') ? 'must not contain dots' : LABEL_MESSAGE;
};

function qualified(key: string): boolean {
  const [prefix, name, extra] = key.includes('/') ? key.split('/') : [undefined, key];
  if (extra !== undefined || name === undefined || name.length > 63 || !QUALIFIED_NAME.test(name)) return false;
  return prefix === undefined || (prefix.length <= 253 && SUBDOMAIN.test(prefix));
}

function labelErrors(labels: unknown, field: string): FieldError[] {
  const errors: FieldError[] = [];
  for (const [key, value] of Object.entries((labels ?? {}) as Record<string, unknown>)) {
    if (!qualified(key)) errors.push(badValue(field, key, NAME_PART_MESSAGE));
    if (typeof value !== 'string') continue;
    if (value.length > 63)
      errors.push({
        field,
        reason: 'FieldValueInvalid',
        message: `Invalid value: ${JSON.stringify(value)}: must be no more than 63 bytes`,
      });
    else if (!LABEL_VALUE.test(value)) errors.push(badValue(field, value, LABEL_VALUE_MESSAGE));
  }
  return errors;
}

function annotationErrors(annotations: unknown): FieldError[] {
  const errors: FieldError[] = [];
  let total = 0;
  for (const [key, value] of Object.entries((annotations ?? {}) as Record<string, unknown>)) {
    if (!qualified(key.toLowerCase())) errors.push(badValue('metadata.annotations', key, NAME_PART_MESSAGE));
    total += Buffer.byteLength(key) + (typeof value === 'string' ? Buffer.byteLength(value) : 0);
  }
  if (total > MAX_ANNOTATIONS_BYTES) {
    errors.push({
      field: 'metadata.annotations',
      reason: 'FieldValueTooLong',
      message: `Too long: may not be more than ${MAX_ANNOTATIONS_BYTES} bytes`,
    });
  }
  return errors;
}

/** Fields of metadata that no update may change. */
export function validateMetadataUpdate(object: JsonObject, old: JsonObject): FieldError[] {
  const errors: FieldError[] = [];
  for (const field of ['name', 'namespace', 'uid', 'creationTimestamp']) {
    const [now, before] = [textOf(object, field), textOf(old, field)];
    if (now !== before) errors.push(badValue(`metadata.${field}`, now, 'field is immutable'));
  }
  const added = stringsOf(object, 'finalizers').filter(
    (finalizer) => !stringsOf(old, 'finalizers').includes(finalizer),
  );
  if (textOf(old, 'deletionTimestamp') !== '' && added.length > 0) {
    errors.push({
      field: 'metadata.finalizers',
      reason: 'FieldValueForbidden',
      message: `Forbidden: no new finalizers can be added if the object is being deleted, found new finalizers []string{${added.map((name) => JSON.stringify(name)).join(', ')}}`,
    });
  }
  return errors;
}
