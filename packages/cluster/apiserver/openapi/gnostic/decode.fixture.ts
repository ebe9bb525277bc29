/** Reads what `encode.ts` writes by the same table, so that a wrong number shows on the real server's document. */
import { parse } from 'yaml';
import type { Json, JsonObject } from '../../schema/structural.ts';
import { allBytes, lastBytes, lastNumber, readFields, type WireFields, type WireValue } from '../protobuf/wire.ts';
import { type FieldType, messages } from './messages.ts';

export function decodeMessage(name: string, bytes: Buffer): JsonObject {
  const known = messages[name];
  if (!known) throw new Error(`nothing is known about the OpenAPI message ${name}`);
  const object: JsonObject = {};
  for (const [number, values] of readFields(bytes)) {
    const [key, type] =
      Object.entries(known.fields).flatMap(([key, [one, type]]) => (one === number ? [[key, type] as const] : []))[0] ??
      [];
    if (key !== undefined && type !== undefined) object[key] = field(type, values);
    else if (number === known.extensions || number === known.others?.[0]) {
      for (const entry of allBytes(values).map(readFields)) {
        const of = number === known.extensions ? 'any' : (known.others?.[1] ?? '');
        object[utf8(lastBytes(entry.get(1)))] = single(of, lastBytes(entry.get(2)) ?? Buffer.alloc(0));
      }
    } else throw new Error(`${name} has a field ${number}, which the table does not have`);
  }
  return object;
}

function field(type: FieldType, values: readonly WireValue[]): Json {
  if (type.startsWith('list:')) {
    const of = type.slice('list:'.length);
    return allBytes(values).map((bytes) => (of === 'string' ? utf8(bytes) : single(of, bytes)));
  }
  switch (type) {
    case 'string':
      return utf8(lastBytes(values));
    case 'bool':
      return lastNumber(values) === 1n;
    case 'int64':
      return Number(lastNumber(values));
    case 'double': {
      const bits = Buffer.alloc(8);
      bits.writeBigUInt64LE(lastNumber(values) ?? 0n);
      return bits.readDoubleLE();
    }
    default:
      return single(type, lastBytes(values) ?? Buffer.alloc(0));
  }
}

function single(type: FieldType, bytes: Buffer): Json {
  const fields = readFields(bytes);
  const texts = () => allBytes(fields.get(1)).map(utf8);
  switch (type) {
    case 'any':
      return parse(utf8(lastBytes(fields.get(2)))) as Json;
    case 'StringArray':
      return texts();
    case 'StringItem':
      return texts()[0] ?? '';
    case 'AdditionalProperties':
      return fields.has(2) ? true : chosen(fields, { 1: 'Schema' });
    case 'Items':
    case 'SchemaItem':
      return chosen(fields, { 1: 'Schema' });
    case 'ResponseValue':
      return chosen(fields, { 1: 'Response' });
    case 'SecurityDefinitionsItem':
      return chosen(fields, { 2: 'ApiKeySecurity' });
    case 'ParametersItem':
      return chosen(fields, { 1: 'Parameter', 2: 'JsonReference' });
    case 'Parameter':
      return chosen(fields, { 1: 'BodyParameter', 2: 'NonBody' });
    case 'NonBody':
      return chosen(fields, { 1: 'HeaderParameter', 3: 'QueryParameter', 4: 'PathParameter' });
    default:
      return decodeMessage(type, bytes);
  }
}

function chosen(fields: WireFields, types: Readonly<Record<number, FieldType>>): Json {
  for (const [number, values] of fields) {
    const type = types[number];
    if (type !== undefined) return single(type, lastBytes(values) ?? Buffer.alloc(0));
  }
  throw new Error(`none of ${Object.values(types).join(', ')} was sent`);
}

const utf8 = (bytes: Buffer | undefined) => bytes?.toString('utf8') ?? '';
