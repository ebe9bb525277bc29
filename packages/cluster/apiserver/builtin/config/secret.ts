import { badRequest } from '../../http/api-error.ts';
import type { Strategy } from '../../registry/resource.ts';
import type { FieldError, JsonObject } from '../../schema/structural.ts';
import { invalidValue, required, tooLong, unchanged } from '../field-errors.ts';
import { ensureObject, fillText, isObject, metadataAt, objectAt, textAt } from '../fields.ts';
import { configKey, named } from '../names.ts';
import { frozenFields } from './config-map.ts';

const MAX_BYTES = 1024 * 1024;
const BASE64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;
const REDACTED = '<secret contents redacted>';

/** What each type needs to be of use; the first list all, the second at least one. */
const NEEDED: Readonly<Record<string, readonly string[]>> = {
  'kubernetes.io/tls': ['tls.crt', 'tls.key'],
  'kubernetes.io/dockercfg': ['.dockercfg'],
  'kubernetes.io/dockerconfigjson': ['.dockerconfigjson'],
  'kubernetes.io/ssh-auth': ['ssh-privatekey'],
};

export const secretStrategy: Strategy = {
  applyDefaults(secret) {
    fillText(secret, 'type', 'Opaque');
    const plain = secret['stringData'];
    if (isObject(plain)) {
      const data = ensureObject(secret, 'data');
      for (const [key, value] of Object.entries(plain)) data[key] = Buffer.from(String(value)).toString('base64');
    }
    delete secret['stringData'];
    for (const value of Object.values(objectAt(secret, 'data'))) refuseBadBase64(String(value));
  },
  selectableFields: ['type'],
  validateCreate: validateSecret,
  validateUpdate(secret, old) {
    return [
      ...unchanged('type', secret['type'], old['type']),
      ...frozenFields(secret, old, ['data']),
      ...validateSecret(secret),
    ];
  },
};

function refuseBadBase64(text: string): void {
  if (BASE64.test(text)) return;
  const at = Math.max(text.search(/[^A-Za-z0-9+/]/), 0);
  throw badRequest(`Secret in version "v1" cannot be handled as a Secret: illegal base64 data at input byte ${at}`);
}

function validateSecret(secret: JsonObject): FieldError[] {
  const data = objectAt(secret, 'data');
  const errors = Object.keys(data).flatMap((key) => named(`data[${key}]`, key, configKey));
  const bytes = Object.values(data).reduce<number>(
    (sum, value) => sum + Buffer.from(String(value), 'base64').length,
    0,
  );
  if (bytes > MAX_BYTES) errors.push(tooLong('data', MAX_BYTES));
  return [...errors, ...validateType(textAt(secret, 'type'), data, secret)];
}

function validateType(type: string, data: JsonObject, secret: JsonObject): FieldError[] {
  if (type === 'kubernetes.io/basic-auth') {
    const has = data['username'] !== undefined || data['password'] !== undefined;
    return has ? [] : [required('data[username]'), required('data[password]')];
  }
  if (type === 'kubernetes.io/service-account-token') {
    const account = textAt(objectAt(metadataAt(secret), 'annotations'), 'kubernetes.io/service-account.name');
    return account === '' ? [required('metadata.annotations[kubernetes.io/service-account.name]')] : [];
  }
  const missing = (NEEDED[type] ?? []).filter((key) => data[key] === undefined);
  if (missing.length > 0) return missing.map((key) => required(`data[${key}]`));
  const json = { 'kubernetes.io/dockercfg': '.dockercfg', 'kubernetes.io/dockerconfigjson': '.dockerconfigjson' }[type];
  if (json === undefined) return [];
  const text = Buffer.from(String(data[json]), 'base64').toString();
  try {
    JSON.parse(text);
    return [];
  } catch {
    const first = text.trimStart().charAt(0);
    const why =
      first === '' ? 'unexpected end of JSON input' : `invalid character '${first}' looking for beginning of value`;
    return [invalidValue(`data[${json}]`, REDACTED, why)];
  }
}
