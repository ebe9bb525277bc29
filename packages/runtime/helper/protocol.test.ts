import fc from 'fast-check';
import { expect, it } from 'vitest';
import { FrameReader, FrameSplitter, FrameWriter } from './protocol.ts';

it('reads back what was written, however the bytes are cut', () => {
  fc.assert(
    fc.property(
      fc.array(fc.tuple(fc.string({ unit: 'binary' }), fc.nat({ max: 0xffff_ffff }))),
      fc.integer({ min: 1, max: 11 }),
      (frames, size) => {
        const bytes = Buffer.concat(
          frames.map(([text, number]) => new FrameWriter().text(text).u32(number).frame('x', number)),
        );
        const splitter = new FrameSplitter();
        const read: [string, number][] = [];
        for (let at = 0; at < bytes.byteLength; at += size) {
          for (const { type, id, body } of splitter.push(bytes.subarray(at, at + size))) {
            const reader = new FrameReader(body);
            read.push([reader.text(), reader.u32()]);
            expect([type, reader.left]).toEqual(['x', 0]);
            expect(id).toBe(read.at(-1)?.[1]);
          }
        }
        expect(read).toEqual(frames.map(([text, number]) => [Buffer.from(text).toString('utf8'), number]));
      },
    ),
  );
});
