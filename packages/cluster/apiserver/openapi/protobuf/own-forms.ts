/** Messages whose JSON is not an object with their fields: times, quantities, embedded JSON. */
import type { Json } from '../../schema/structural.ts';
import { allBytes, lastBytes, lastNumber, readFields, type WireFields } from './wire.ts';

/** What the message is in JSON. An empty message is the zero value. */
type Form = (fields: WireFields, nested: (message: string, bytes: Buffer) => Json) => Json;

const SCHEMA = 'apiextensions.v1.JSONSchemaProps';

const ownForms: Readonly<Record<string, Form>> = {
  'api.resource.Quantity': (fields) => text(fields, 1) || '0',
  'util.intstr.IntOrString': (fields) => (int(fields, 1) === 0 ? int(fields, 2) : text(fields, 3)),
  'meta.v1.Time': (fields) => time(fields, (iso) => iso.replace(/\.\d+Z$/, 'Z')),
  'meta.v1.MicroTime': (fields) =>
    time(fields, (iso) => {
      const micros = Math.trunc(int(fields, 2) / 1000);
      return iso.replace(/\.\d+Z$/, `.${String(micros).padStart(6, '0')}Z`);
    }),
  'meta.v1.FieldsV1': (fields) => rawJson(fields),
  'runtime.RawExtension': (fields) => rawJson(fields),
  'apiextensions.v1.JSON': (fields) => rawJson(fields),
  'apiextensions.v1.JSONSchemaPropsOrArray': (fields, nested) => {
    const list = fields.get(2);
    if (list) return allBytes(list).map((one) => nested(SCHEMA, one));
    const schema = lastBytes(fields.get(1));
    return schema ? nested(SCHEMA, schema) : null;
  },
  'apiextensions.v1.JSONSchemaPropsOrBool': (fields, nested) => {
    const schema = lastBytes(fields.get(2));
    return schema ? nested(SCHEMA, schema) : int(fields, 1) !== 0;
  },
  'apiextensions.v1.JSONSchemaPropsOrStringArray': (fields, nested) => {
    const list = fields.get(2);
    if (list) return allBytes(list).map((one) => one.toString('utf8'));
    const schema = lastBytes(fields.get(1));
    return schema ? nested(SCHEMA, schema) : null;
  },
};

const text = (fields: WireFields, number: number) => lastBytes(fields.get(number))?.toString('utf8') ?? '';
const int = (fields: WireFields, number: number) => Number(BigInt.asIntN(64, lastNumber(fields.get(number)) ?? 0n));

/** The zero time is sent as an empty message, and is null in JSON. */
function time(fields: WireFields, form: (iso: string) => string): Json {
  if (fields.size === 0) return null;
  const date = new Date(int(fields, 1) * 1000);
  return Number.isNaN(date.getTime()) ? null : form(date.toISOString());
}

function rawJson(fields: WireFields): Json {
  const raw = lastBytes(fields.get(1));
  if (!raw || raw.length === 0) return null;
  return JSON.parse(raw.toString('utf8')) as Json;
}

export const isOwnForm = (message: string) => Object.hasOwn(ownForms, message);

export function decodeOwnForm(message: string, bytes: Buffer, nested: (message: string, bytes: Buffer) => Json): Json {
  return ownForms[message]?.(readFields(bytes), nested) ?? null;
}
