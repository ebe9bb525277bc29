import type { Strategy } from '../../registry/resource.ts';
import type { FieldError, JsonObject } from '../../schema/structural.ts';
import { forbiddenField, invalidValue, sameJson, tooLong } from '../field-errors.ts';
import { objectAt } from '../fields.ts';
import { configKey, named } from '../names.ts';

const MAX_BYTES = 1024 * 1024;
export const IMMUTABLE_WHEN_SET = 'field is immutable when `immutable` is set';

export const configMapStrategy: Strategy = {
  validateCreate: validateConfigMap,
  validateUpdate(map, old) {
    return [...frozenFields(map, old, ['data', 'binaryData']), ...validateConfigMap(map)];
  },
};

function validateConfigMap(map: JsonObject): FieldError[] {
  const [data, binary] = [objectAt(map, 'data'), objectAt(map, 'binaryData')];
  const errors: FieldError[] = [];
  let bytes = 0;
  for (const [key, value] of Object.entries(data)) {
    errors.push(...named(`data[${key}]`, key, configKey));
    if (binary[key] !== undefined)
      errors.push(invalidValue(`data[${key}]`, key, 'duplicate of key present in binaryData'));
    bytes += Buffer.byteLength(String(value));
  }
  for (const [key, value] of Object.entries(binary)) {
    errors.push(...named(`binaryData[${key}]`, key, configKey));
    bytes += Buffer.from(String(value), 'base64').length;
  }
  return bytes > MAX_BYTES ? [...errors, tooLong('', MAX_BYTES)] : errors;
}

/** Once immutable, for ever: neither the data nor the promise changes. */
export function frozenFields(object: JsonObject, old: JsonObject, fields: readonly string[]): FieldError[] {
  if (old['immutable'] !== true) return [];
  return [
    ...(object['immutable'] === true ? [] : [forbiddenField('immutable', IMMUTABLE_WHEN_SET)]),
    ...fields
      .filter((field) => !sameJson(object[field] ?? {}, old[field] ?? {}))
      .map((field) => forbiddenField(field, IMMUTABLE_WHEN_SET)),
  ];
}
