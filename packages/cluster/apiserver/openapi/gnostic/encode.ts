/** An OpenAPI v2 document in protobuf, as client-go asks for it. */
import type { Json, JsonObject } from '../../schema/structural.ts';
import { type FieldType, messages } from './messages.ts';
import { boolField, bytesField, countField, doubleField, textField } from './writer.ts';

export const encodeDocument = (document: JsonObject): Buffer => message('Document', document);

function message(name: string, value: JsonObject): Buffer {
  const known = messages[name];
  if (!known) throw new Error(`nothing is known about the OpenAPI message ${name}`);
  const { fields, extensions, others } = known;
  const parts: Buffer[] = [];
  for (const [key, one] of Object.entries(value)) {
    const entry = Object.hasOwn(fields, key) ? fields[key] : undefined;
    if (entry) parts.push(...field(entry[0], entry[1], one));
    else if (extensions !== undefined && key.startsWith('x-'))
      parts.push(...bytesField(extensions, named(key, any(one))));
    else if (others) parts.push(...bytesField(others[0], named(key, single(others[1], one))));
    // A keyword that cannot be said in v2 must not get here.
    else throw new Error(`the OpenAPI message ${name} has no ${key}`);
  }
  return Buffer.concat(parts);
}

function field(number: number, type: FieldType, value: Json): Buffer[] {
  if (type.startsWith('list:')) {
    const of = type.slice('list:'.length);
    return (value as Json[]).flatMap((item) =>
      of === 'string' ? bytesField(number, Buffer.from(String(item))) : bytesField(number, single(of, item)),
    );
  }
  switch (type) {
    case 'string':
      return textField(number, String(value));
    case 'bool':
      return boolField(number, value === true);
    case 'double':
      return doubleField(number, Number(value));
    case 'int64':
      return countField(number, Number(value));
    default:
      return bytesField(number, single(type, value));
  }
}

/** One message, whatever its form in JSON. */
function single(type: FieldType, value: Json): Buffer {
  const object = value as JsonObject;
  switch (type) {
    case 'any':
      return any(value);
    case 'StringItem':
    case 'StringArray':
      return Buffer.concat([value].flat().flatMap((item) => bytesField(1, Buffer.from(String(item)))));
    case 'Items':
      return union(1, message('Schema', object));
    case 'AdditionalProperties':
      return typeof value === 'boolean' ? Buffer.concat(boolField(2, value)) : union(1, message('Schema', object));
    case 'SchemaItem':
      return union(1, message('Schema', object));
    case 'ResponseValue':
      return union(1, message('Response', object));
    case 'SecurityDefinitionsItem':
      return union(2, message('ApiKeySecurity', object));
    case 'ParametersItem':
      return '$ref' in object ? union(2, message('JsonReference', object)) : union(1, parameter(object));
    case 'Parameter':
      return parameter(object);
    default:
      return message(type, object);
  }
}

function parameter(object: JsonObject): Buffer {
  switch (object['in']) {
    case 'body':
      return union(1, message('BodyParameter', object));
    case 'query':
      return union(2, union(3, message('QueryParameter', object)));
    case 'path':
      return union(2, union(4, message('PathParameter', object)));
    default:
      return union(2, union(1, message('HeaderParameter', object)));
  }
}

const union = (number: number, inner: Buffer) => Buffer.concat(bytesField(number, inner));
const named = (name: string, value: Buffer) => Buffer.concat([...textField(1, name), ...bytesField(2, value)]);
/** Values of no fixed type are YAML, of which JSON is a part. */
const any = (value: Json) => Buffer.concat(textField(2, JSON.stringify(value)));
