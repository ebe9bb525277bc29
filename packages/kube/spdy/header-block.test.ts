import { deflateSync } from 'node:zlib';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { dictionary, dictionaryId } from './dictionary.ts';
import type { SpdyHeaders } from './header-block.ts';
import { HeaderCompressor, HeaderDecompressor } from './header-block.ts';

const name = fc.string({ minLength: 1, maxLength: 30 }).map((text) => text.toLowerCase());
const anyHeaders: fc.Arbitrary<SpdyHeaders> = fc.dictionary(name, fc.string({ unit: 'binary', maxLength: 200 }), {
  maxKeys: 12,
});

test('the dictionary is the one that zlib knows by its checksum', () => {
  const stream = deflateSync(Buffer.from('x'), { dictionary });
  expect(stream.readUInt32BE(2)).toBe(dictionaryId);
  expect(dictionary).toHaveLength(1423);
});

test('any sequence of header blocks comes out as it went in', () => {
  fc.assert(
    fc.property(fc.array(anyHeaders, { maxLength: 20 }), (blocks) => {
      const compressor = new HeaderCompressor();
      const decompressor = new HeaderDecompressor();
      for (const block of blocks) {
        expect({ ...decompressor.decompress(compressor.compress(block)) }).toEqual(lowered(block));
      }
    }),
  );
});

test('state is kept beyond the 32 KiB that deflate remembers', () => {
  const compressor = new HeaderCompressor();
  const decompressor = new HeaderDecompressor();
  for (let round = 0; round < 200; round += 1) {
    const block = { streamtype: 'data', port: '8080', requestid: String(round), filler: String(round % 7).repeat(900) };
    expect({ ...decompressor.decompress(compressor.compress(block)) }).toEqual(block);
  }
});

test('repeated headers get small: the second block refers to the first', () => {
  const compressor = new HeaderCompressor();
  const block = { streamtype: 'error', port: '31337', requestid: '0' };
  const [first, second] = [compressor.compress(block), compressor.compress(block)];
  expect(second.length).toBeLessThan(first.length / 2);
});

test.each([
  ['no zlib header', Buffer.from('0000', 'hex'), /dictionary of SPDY/],
  ['another dictionary', Buffer.from('78bb00000001', 'hex'), /dictionary of SPDY/],
  ['garbage', Buffer.from('78bbe3c6a7c2ffffffffff', 'hex'), /cannot be decompressed/],
])('refuses %s', (_, bytes, message) => {
  expect(() => new HeaderDecompressor().decompress(bytes)).toThrow(message);
});

test('refuses a bomb', () => {
  const compressor = new HeaderCompressor();
  const bomb = compressor.compress({ a: 'x'.repeat(10_000_000) });
  expect(() => new HeaderDecompressor().decompress(bomb)).toThrow(/cannot be decompressed/);
});

function lowered(block: SpdyHeaders): SpdyHeaders {
  return Object.fromEntries(Object.entries(block).map(([key, value]) => [key.toLowerCase(), value]));
}
