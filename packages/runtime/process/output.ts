/** Output of a process on its way to clients: which stream, how large a message may be, and its bytes on the wire. */
import type { Format } from '../connect/codec.ts';
import { envelopeHeader } from '../connect/envelope.ts';

export type OutputKind = 'stdout' | 'stderr' | 'pty';

/** Largest number of bytes in one data event. e2b 3.3 */
export const maxChunk: Readonly<Record<OutputKind, number>> = { stdout: 32 * 1024, stderr: 32 * 1024, pty: 16 * 1024 };

const fieldNumber: Readonly<Record<OutputKind, number>> = { stdout: 1, stderr: 2, pty: 3 };
const jsonHead: Readonly<Record<OutputKind, Buffer>> = {
  stdout: Buffer.from('{"event":{"data":{"stdout":"'),
  stderr: Buffer.from('{"event":{"data":{"stderr":"'),
  pty: Buffer.from('{"event":{"data":{"pty":"'),
};
const jsonTail = Buffer.from('"}}}');

/**
 * All data events for these bytes as one buffer of envelopes. The generic codec would copy the bytes three times and walk the
 * message by reflection; this path carries everything that commands print. A test holds it equal to the codec.
 */
export function dataEnvelopes(format: Format, kind: OutputKind, bytes: Buffer): Buffer {
  const limit = maxChunk[kind];
  if (bytes.byteLength <= limit) return format === 'json' ? jsonEnvelope(kind, bytes) : protoEnvelope(kind, bytes);
  const parts: Buffer[] = [];
  for (let at = 0; at < bytes.byteLength; at += limit) {
    parts.push(dataEnvelopes(format, kind, bytes.subarray(at, at + limit)));
  }
  return Buffer.concat(parts);
}

function jsonEnvelope(kind: OutputKind, bytes: Buffer): Buffer {
  const head = jsonHead[kind];
  const encoded = 4 * Math.ceil(bytes.byteLength / 3);
  const length = head.byteLength + encoded + jsonTail.byteLength;
  const out = Buffer.allocUnsafe(envelopeHeader + length);
  out[0] = 0;
  out.writeUInt32BE(length, 1);
  let at = head.copy(out, envelopeHeader) + envelopeHeader;
  at += out.write(bytes.toString('base64'), at, 'latin1');
  jsonTail.copy(out, at);
  return out;
}

/** StartResponse{event = 1: ProcessEvent{data = 2: DataEvent{kind: bytes}}}; ConnectResponse has the same numbers. */
function protoEnvelope(kind: OutputKind, bytes: Buffer): Buffer {
  const output = 1 + varintSize(bytes.byteLength) + bytes.byteLength;
  const data = 1 + varintSize(output) + output;
  const length = 1 + varintSize(data) + data;
  const out = Buffer.allocUnsafe(envelopeHeader + length);
  out[0] = 0;
  out.writeUInt32BE(length, 1);
  let at = envelopeHeader;
  at = writeField(out, at, 1, data);
  at = writeField(out, at, 2, output);
  at = writeField(out, at, fieldNumber[kind], bytes.byteLength);
  bytes.copy(out, at);
  return out;
}

function writeField(out: Buffer, start: number, field: number, length: number): number {
  let at = start;
  out[at++] = (field << 3) | 2;
  let rest = length;
  while (rest > 0x7f) {
    out[at++] = (rest & 0x7f) | 0x80;
    rest >>>= 7;
  }
  out[at++] = rest;
  return at;
}

function varintSize(value: number): number {
  let size = 1;
  for (let rest = value; rest > 0x7f; rest >>>= 7) size += 1;
  return size;
}
