import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { boundaryOf, MultipartError, readParts } from './multipart.ts';

async function* cut(bytes: Buffer, sizes: readonly number[]): AsyncGenerator<Buffer> {
  for (let at = 0, turn = 0; at < bytes.byteLength; turn += 1) {
    const size = sizes[turn % sizes.length] ?? bytes.byteLength;
    yield bytes.subarray(at, at + size);
    at += size;
  }
}

async function collect(source: AsyncIterable<Buffer>): Promise<[string | undefined, string | undefined, string][]> {
  const parts: [string | undefined, string | undefined, string][] = [];
  for await (const part of readParts(source, 'B')) {
    const chunks: Buffer[] = [];
    for await (const chunk of part.body) chunks.push(chunk);
    parts.push([part.name, part.filename, Buffer.concat(chunks).toString('latin1')]);
  }
  return parts;
}

function form(bodies: readonly string[]): Buffer {
  const parts = bodies.map((body, index) => {
    const disposition = `form-data; name="file"; filename="dir/f${index}"`;
    return `--B\r\nContent-Disposition: ${disposition}\r\nContent-Type: text/plain\r\n\r\n${body}\r\n`;
  });
  return Buffer.from(`${parts.join('')}--B--\r\n`, 'latin1');
}

describe('readParts', () => {
  it('gives the same parts however the bytes are cut', async () => {
    // Bodies full of what looks like a delimiter.
    const body = fc
      .array(fc.constantFrom('\r', '\n', '-', '--B', 'B', '\r\n--', 'x', '\0'))
      .map((list) => list.join(''));
    const clean = body.filter((text) => !`\r\n${text}\r\n`.includes('\r\n--B'));
    await fc.assert(
      fc.asyncProperty(
        fc.array(clean),
        fc.array(fc.integer({ min: 1, max: 7 }), { minLength: 1 }),
        async (bodies, sizes) => {
          const expected = bodies.map((text, index) => ['file', `dir/f${index}`, text]);
          expect(await collect(cut(form(bodies), sizes))).toEqual(expected);
        },
      ),
    );
  });

  it('gives what came of a part that is cut off, then fails', async () => {
    const bytes = form(['abcdef']).subarray(0, -14);
    const seen: string[] = [];
    const read = async (): Promise<void> => {
      for await (const part of readParts(cut(bytes, [9]), 'B')) {
        for await (const chunk of part.body) seen.push(chunk.toString());
      }
    };
    await expect(read()).rejects.toThrow(MultipartError);
    expect('abcdef'.startsWith(seen.join('').slice(0, 2))).toBe(true);
  });

  it('skips what its consumer does not read', async () => {
    const names: (string | undefined)[] = [];
    for await (const part of readParts(cut(form(['a', 'b', 'c']), [5]), 'B')) names.push(part.filename);
    expect(names).toEqual(['dir/f0', 'dir/f1', 'dir/f2']);
  });
});

it.each([
  ['multipart/form-data; boundary=abc', 'abc'],
  ['multipart/form-data; boundary="a b"; x=1', 'a b'],
  ['multipart/form-data', undefined],
])('boundary of %s is %s', (header, expected) => {
  expect(boundaryOf(header)).toBe(expected);
});
