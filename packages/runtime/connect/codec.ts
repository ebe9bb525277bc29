/** The two message formats, JSON and binary, by the protobuf library. Only the hot path of process output goes around it. */
import {
  type DescMessage,
  fromBinary,
  fromJson,
  type JsonValue,
  type Message,
  type MessageShape,
  toBinary,
  toJson,
} from '@bufbuild/protobuf';
import { RuntimeError } from '../server/errors.ts';

export type Format = 'json' | 'proto';

export function decode<Desc extends DescMessage>(desc: Desc, format: Format, bytes: Buffer): MessageShape<Desc> {
  try {
    if (format === 'proto') return fromBinary(desc, bytes);
    if (bytes.byteLength === 0) throw new Error('zero-length payload is not a valid JSON object');
    return fromJson(desc, parseJson(bytes), { ignoreUnknownFields: true });
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new RuntimeError('invalid_argument', `unmarshal message: ${desc.typeName}: ${reason}`, { cause });
  }
}

export function encode<Desc extends DescMessage>(desc: Desc, format: Format, message: MessageShape<Desc>): Buffer {
  if (format === 'json') return Buffer.from(JSON.stringify(toJson<DescMessage>(desc, message as Message)), 'utf8');
  const bytes = toBinary<DescMessage>(desc, message as Message);
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}

const utf8 = new TextDecoder('utf-8', { fatal: true });

function parseJson(bytes: Buffer): JsonValue {
  return JSON.parse(utf8.decode(bytes)) as JsonValue;
}
