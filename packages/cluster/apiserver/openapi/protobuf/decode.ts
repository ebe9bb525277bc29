/**
 * Request bodies in `application/vnd.kubernetes.protobuf`, which Go clients send for the built-in kinds without being asked
 * and do not take back. They become the JSON that the same client would have sent, zero values and all.
 */
import { type ApiError, badRequest } from '../../http/api-error.ts';
import type { Json, JsonObject } from '../../schema/structural.ts';
import { type Field, type FieldType, messageNamed, messageOfKind } from './messages.ts';
import { decodeOwnForm, isOwnForm } from './own-forms.ts';
import { allBytes, lastBytes, lastNumber, numbers, readFields, WireError, type WireValue } from './wire.ts';

const MAGIC = Buffer.from('k8s\0', 'latin1');
/** Schemas of custom kinds contain schemas; nobody's go this deep. */
const MAX_DEPTH = 200;
const SHOWN_BYTES = 30;
const NOTHING = Buffer.alloc(0);

/** What the endpoint takes: a body that does not name its kind is of this one. */
export interface Expected {
  readonly apiVersion: string;
  readonly kind: string;
}

export function decodeProtobuf(body: Buffer, expected?: Expected): JsonObject {
  let type = expected;
  try {
    const fields = readFields(envelope(body));
    const named = readFields(lastBytes(fields.get(1)) ?? NOTHING);
    type = typeOf(utf8(lastBytes(named.get(1))), utf8(lastBytes(named.get(2))), expected);
    const raw = lastBytes(fields.get(2)) ?? NOTHING;
    const message = messageOfKind(type.apiVersion, type.kind);
    if (message === undefined)
      throw new WireError(`no kind "${type.kind}" is registered for version "${type.apiVersion}"`);
    return { kind: type.kind, apiVersion: type.apiVersion, ...(decodeMessage(message, raw, 0) as JsonObject) };
  } catch (error) {
    if (!(error instanceof WireError || error instanceof SyntaxError)) throw error;
    throw refusal(error.message, body, type === expected ? undefined : type, expected);
  }
}

/** Every object starts with four bytes that say so; its kind and its own bytes are in what follows. */
function envelope(body: Buffer): Buffer {
  if (body.length === 0) throw new WireError('empty data');
  if (!body.subarray(0, MAGIC.length).equals(MAGIC)) {
    const prefix = [...MAGIC].join(' ');
    throw new WireError(`provided data does not appear to be a protobuf message, expected prefix [${prefix}]`);
  }
  if (body.length === MAGIC.length) throw new WireError('empty body');
  return body.subarray(MAGIC.length);
}

function typeOf(apiVersion: string, kind: string, expected: Expected | undefined): Expected {
  if (expected === undefined && (kind === '' || apiVersion === ''))
    throw new WireError(`Object '${kind === '' ? 'Kind' : 'apiVersion'}' is missing`);
  return { apiVersion: apiVersion || (expected?.apiVersion ?? ''), kind: kind || (expected?.kind ?? '') };
}

/** In the words of the real server, as far as it is known what was expected. */
function refusal(why: string, body: Buffer, named: Expected | undefined, expected: Expected | undefined): ApiError {
  if (named) {
    const version = named.apiVersion.split('/').at(-1);
    const wanted = expected?.kind ?? named.kind;
    return badRequest(`${named.kind} in version "${version}" cannot be handled as a ${wanted}: ${why}`);
  }
  const wanted = expected ? ` (must be of type ${expected.kind})` : '';
  const shown = body.toString(body[0] === 0x7b ? 'utf8' : 'hex', 0, SHOWN_BYTES) || '<empty>';
  const more = body.length > SHOWN_BYTES ? ' ...' : '';
  return badRequest(`the object provided is unrecognized${wanted}: ${why} (${shown}${more})`);
}

function decodeMessage(name: string, bytes: Buffer, depth: number): Json {
  if (depth > MAX_DEPTH) throw new WireError(`messages are nested deeper than ${MAX_DEPTH}`);
  if (isOwnForm(name)) return decodeOwnForm(name, bytes, (inner, inside) => decodeMessage(inner, inside, depth + 1));
  const message = messageNamed(name);
  const sent = readFields(bytes);
  if ('list' in message) return collection(message.list, sent.get(1) ?? [], depth);
  const object: JsonObject = {};
  // By what is known and not by what was sent: fields that were not sent can still show.
  for (const field of message.fields) {
    const values = sent.get(field.number);
    if (field.shows === 'inline') Object.assign(object, decodeMessage(field.type.of, merged(values), depth + 1));
    else {
      const value = fieldValue(field, values, depth);
      if (value !== undefined) object[field.name] = value;
    }
  }
  return object;
}

function fieldValue({ shows, type }: Field, values: readonly WireValue[] | undefined, depth: number): Json | undefined {
  if (values === undefined) {
    if (shows === 'always') return zeroOf(type, depth);
    return shows === 'nullable' ? null : undefined;
  }
  const value = type.collection === 'none' ? single(type.of, values, depth) : collection(type, values, depth);
  return shows === 'nonzero' && isZero(value) ? undefined : value;
}

function single(type: string, values: readonly WireValue[], depth: number): Json {
  switch (type) {
    case 'string':
      return utf8(lastBytes(values));
    case 'bytes':
      return (lastBytes(values) ?? NOTHING).toString('base64');
    case 'bool':
    case 'int32':
    case 'int64':
    case 'double':
      return number(type, lastNumber(values) ?? 0n);
    default:
      return decodeMessage(type, merged(values), depth + 1);
  }
}

/** A message that is sent in pieces is the pieces one after the other. */
function merged(values: readonly WireValue[] = []): Buffer {
  if (values.length <= 1) return lastBytes(values) ?? NOTHING;
  return Buffer.concat(allBytes(values));
}

function collection({ collection: kind, of }: FieldType, values: readonly WireValue[], depth: number): Json {
  if (values.length === 0) return null;
  if (kind === 'map') {
    const entries = allBytes(values).map((bytes): [string, Json] => {
      const entry = readFields(bytes);
      const item = entry.get(2);
      return [utf8(lastBytes(entry.get(1))), item ? single(of, item, depth) : zeroItem(of, depth)];
    });
    return Object.fromEntries(entries);
  }
  if (of === 'bool' || of === 'int32' || of === 'int64') return numbers(values).map((value) => number(of, value));
  return values.map((value) => single(of, [value], depth));
}

function number(type: 'bool' | 'int32' | 'int64' | 'double', value: bigint): Json {
  if (type === 'bool') return value !== 0n;
  if (type === 'int32') return Number(BigInt.asIntN(32, value));
  if (type === 'int64') return Number(BigInt.asIntN(64, value));
  const bits = Buffer.alloc(8);
  bits.writeBigUInt64LE(value);
  return bits.readDoubleLE();
}

/** What Go's encoder writes for a value that nobody set. */
function zeroOf({ collection: kind, of }: FieldType, depth: number): Json {
  return kind === 'none' && of !== 'bytes' ? zeroItem(of, depth) : null;
}

function zeroItem(of: string, depth: number): Json {
  if (of === 'string' || of === 'bytes') return '';
  if (of === 'bool') return false;
  if (of === 'int32' || of === 'int64' || of === 'double') return 0;
  return decodeMessage(of, NOTHING, depth + 1);
}

const isZero = (value: Json) => value === null || value === '' || value === 0 || value === false;
const utf8 = (bytes: Buffer | undefined) => bytes?.toString('utf8') ?? '';
