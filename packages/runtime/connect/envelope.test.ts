import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { envelope, maxMessageBytes, readEnvelopes } from './envelope.ts';

async function collect(chunks: readonly Buffer[]): Promise<string[]> {
  const texts: string[] = [];
  for await (const { payload } of readEnvelopes(feed(chunks))) texts.push(payload.toString('utf8'));
  return texts;
}

async function* feed(chunks: readonly Buffer[]): AsyncGenerator<Buffer> {
  yield* chunks;
}

describe('readEnvelopes', () => {
  it('gives the same messages however the bytes are cut', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.string()), fc.array(fc.integer({ min: 1, max: 9 })), async (texts, cuts) => {
        const bytes = Buffer.concat(texts.map((text) => envelope(0, Buffer.from(text))));
        const chunks: Buffer[] = [];
        for (let at = 0, turn = 0; at < bytes.byteLength; turn += 1) {
          const size = cuts[turn % Math.max(1, cuts.length)] ?? bytes.byteLength;
          chunks.push(bytes.subarray(at, at + size));
          at += size;
        }
        expect(await collect(chunks)).toEqual(texts.map((text) => Buffer.from(text).toString('utf8')));
      }),
    );
  });

  it.each([
    ['a header that is cut off', Buffer.from([0, 0])],
    ['a message that is cut off', envelope(0, Buffer.from('abc')).subarray(0, 6)],
    ['flags that mean nothing', envelope(8, Buffer.from('abc'))],
  ])('refuses %s', async (_, bytes) => {
    await expect(collect([bytes])).rejects.toMatchObject({ code: 'invalid_argument' });
  });

  it('refuses a compressed message, because compression is off', async () => {
    await expect(collect([envelope(1, Buffer.from('abc'))])).rejects.toMatchObject({ code: 'internal' });
  });

  it('refuses a message above the limit before its bytes have come', async () => {
    const head = Buffer.alloc(5);
    head.writeUInt32BE(maxMessageBytes + 1, 1);
    await expect(collect([head])).rejects.toMatchObject({ code: 'resource_exhausted' });
  });
});
