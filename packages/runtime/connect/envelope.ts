/** Connect's framing of streams: one byte of flags, four bytes of length (big endian), the message. e2b 3.2 */
import { RuntimeError } from '../server/errors.ts';

export const flagCompressed = 0x01;
export const flagEnd = 0x02;
export const envelopeHeader = 5;

/** Larger messages are refused before they are read, so that one request can't take the sandbox's memory. */
export const maxMessageBytes = 64 * 1024 * 1024;

export function envelope(flags: number, payload: Uint8Array): Buffer {
  const out = Buffer.allocUnsafe(envelopeHeader + payload.byteLength);
  out[0] = flags;
  out.writeUInt32BE(payload.byteLength, 1);
  out.set(payload, envelopeHeader);
  return out;
}

export interface Envelope {
  readonly flags: number;
  readonly payload: Buffer;
}

/** Splits the bytes of a request into envelopes. What is cut off or too large is an error, as recorded. */
export async function* readEnvelopes(body: AsyncIterable<Buffer>): AsyncGenerator<Envelope> {
  let chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of body) {
    chunks.push(chunk);
    size += chunk.byteLength;
    for (;;) {
      if (size < envelopeHeader) break;
      if ((chunks[0]?.byteLength ?? 0) < envelopeHeader) chunks = [Buffer.concat(chunks)];
      const head = chunks[0] ?? Buffer.alloc(0);
      const length = head.readUInt32BE(1);
      if (length > maxMessageBytes) throw tooLarge(length);
      if (size < envelopeHeader + length) break;
      const all = chunks.length === 1 ? head : Buffer.concat(chunks);
      const end = envelopeHeader + length;
      yield checked({ flags: all[0] ?? 0, payload: all.subarray(envelopeHeader, end) });
      chunks = end === all.byteLength ? [] : [all.subarray(end)];
      size = all.byteLength - end;
    }
  }
  if (size === 0) return;
  if (size < envelopeHeader) {
    throw new RuntimeError('invalid_argument', `protocol error: incomplete envelope: ${size} of 5 header bytes`);
  }
  const all = Buffer.concat(chunks);
  throw new RuntimeError(
    'invalid_argument',
    `protocol error: promised ${all.readUInt32BE(1)} bytes in enveloped message, got ${size - envelopeHeader} bytes`,
  );
}

function checked(read: Envelope): Envelope {
  if ((read.flags & flagCompressed) !== 0) {
    throw new RuntimeError('internal', 'protocol error: sent compressed message without compression support');
  }
  if (read.flags !== 0) {
    throw new RuntimeError('invalid_argument', `protocol error: invalid envelope flags ${read.flags}`);
  }
  return read;
}

export function tooLarge(length: number): RuntimeError {
  return new RuntimeError(
    'resource_exhausted',
    `message of ${length} bytes is larger than the limit of ${maxMessageBytes}; send it in parts`,
  );
}
