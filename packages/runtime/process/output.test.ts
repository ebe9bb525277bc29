import { create } from '@bufbuild/protobuf';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { encode } from '../connect/codec.ts';
import { envelope } from '../connect/envelope.ts';
import { StartResponseSchema } from '../generated/process_pb.js';
import { dataEnvelopes, maxChunk, type OutputKind } from './output.ts';

function byCodec(format: 'json' | 'proto', kind: OutputKind, bytes: Buffer): Buffer {
  const parts: Buffer[] = [];
  for (let at = 0; at < bytes.byteLength; at += maxChunk[kind]) {
    const value = new Uint8Array(bytes.subarray(at, at + maxChunk[kind]));
    const output = { case: kind, value } as { case: 'stdout'; value: Uint8Array };
    const message = create(StartResponseSchema, { event: { event: { case: 'data', value: { output } } } });
    parts.push(envelope(0, encode(StartResponseSchema, format, message)));
  }
  return Buffer.concat(parts);
}

describe('dataEnvelopes', () => {
  const kinds = fc.constantFrom<OutputKind>('stdout', 'stderr', 'pty');
  const formats = fc.constantFrom<'json' | 'proto'>('json', 'proto');

  it('writes what the protobuf library writes', () => {
    fc.assert(
      fc.property(formats, kinds, fc.uint8Array({ minLength: 1, maxLength: 400 }), (format, kind, bytes) => {
        expect(dataEnvelopes(format, kind, Buffer.from(bytes))).toEqual(byCodec(format, kind, Buffer.from(bytes)));
      }),
    );
  });

  it.each(['json', 'proto'] as const)('keeps every message below its limit (%s)', (format) => {
    for (const size of [127, 128, 16_383, 16_384, 32_767, 32_768, 32_769, 100_000]) {
      const bytes = Buffer.alloc(size, 7);
      for (const kind of ['stdout', 'pty'] as const) {
        expect(dataEnvelopes(format, kind, bytes).equals(byCodec(format, kind, bytes))).toBe(true);
      }
    }
  });
});
