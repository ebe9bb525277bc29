import fc from 'fast-check';
import { expect, test } from 'vitest';
import { FrameDecoder } from './decoder.ts';
import { FrameEncoder } from './encoder.ts';
import type { Frame } from './frame.ts';

const id = fc.integer({ min: 1, max: 0x7fffffff });
const word = fc.integer({ min: 0, max: 0xffffffff });
const headers = fc.dictionary(fc.stringMatching(/^[a-z-]{1,20}$/), fc.string({ maxLength: 50 }), { maxKeys: 5 });
const data = fc.uint8Array({ minLength: 1, maxLength: 300 }).map((bytes) => Buffer.from(bytes));
const settings = fc.array(
  fc.record({ id: fc.integer({ min: 0, max: 0xffffff }), value: word, flags: fc.integer({ min: 0, max: 255 }) }),
  { maxLength: 4 },
);

const anyFrame: fc.Arbitrary<Frame> = fc.oneof(
  fc.record({
    type: fc.constant('syn-stream' as const),
    stream: id,
    associated: id,
    priority: fc.integer({ min: 0, max: 7 }),
    fin: fc.boolean(),
    unidirectional: fc.boolean(),
    headers,
  }),
  fc.record({
    type: fc.constantFrom('syn-reply' as const, 'headers' as const),
    stream: id,
    fin: fc.boolean(),
    headers,
  }),
  fc.record({ type: fc.constant('rst-stream' as const), stream: id, status: word }),
  fc.record({ type: fc.constant('settings' as const), clear: fc.boolean(), entries: settings }),
  fc.record({ type: fc.constant('ping' as const), id: word }),
  fc.record({ type: fc.constant('goaway' as const), lastStream: id, status: word }),
  fc.record({ type: fc.constant('window-update' as const), stream: id, delta: id }),
  fc.record({ type: fc.constant('data' as const), stream: id, fin: fc.boolean(), data }),
);

test('frames survive any cutting of their bytes', () => {
  fc.assert(
    fc.property(
      fc.array(anyFrame, { maxLength: 12 }),
      fc.array(fc.integer({ min: 1, max: 64 }), { minLength: 1 }),
      (frames, cuts) => {
        const encoder = new FrameEncoder();
        const bytes = Buffer.concat(frames.map((frame) => encoder.encode(frame)));
        const decoder = new FrameDecoder();
        const decoded: Frame[] = [];
        for (let at = 0, turn = 0; at < bytes.length; turn += 1) {
          const size = cuts[turn % cuts.length] ?? 1;
          for (const frame of decoder.push(bytes.subarray(at, at + size))) decoded.push(frame);
          at += size;
        }
        expect(joined(decoded)).toEqual(joined(frames));
      },
    ),
  );
});

test('a data frame of many megabytes is passed on as it comes', () => {
  const bytes = new FrameEncoder().encode({ type: 'data', stream: 1, fin: true, data: Buffer.alloc(8_000_000, 7) });
  const decoder = new FrameDecoder();
  const [first] = [...decoder.push(bytes.subarray(0, 1000))];
  expect(first).toMatchObject({ type: 'data', fin: false });
  const rest = [...decoder.push(bytes.subarray(1000))];
  expect(rest.at(-1)).toMatchObject({ fin: true });
});

test('unknown control frames are skipped, foreign ones refused', () => {
  const decoder = new FrameDecoder();
  expect([...decoder.push(Buffer.from('800300630000000100', 'hex'))]).toEqual([]);
  expect(() => [...decoder.push(Buffer.from('8002000100000000', 'hex'))]).toThrow(/version 2/);
  expect(() => [...new FrameDecoder().push(Buffer.from('80030006000fffff', 'hex'))]).toThrow(/control frame of/);
  expect(() => [...new FrameDecoder().push(Buffer.from('8003000600000000', 'hex'))]).toThrow(/too short/);
});

/** Pieces of one data frame put together again, and header objects without their missing prototype. */
function joined(frames: readonly Frame[]): unknown[] {
  const result: Record<string, unknown>[] = [];
  for (const frame of frames) {
    const last = result.at(-1);
    if (
      frame.type === 'data' &&
      last?.['type'] === 'data' &&
      last['stream'] === frame.stream &&
      last['fin'] === false
    ) {
      last['data'] = Buffer.concat([last['data'] as Buffer, frame.data]);
      last['fin'] = frame.fin;
    } else {
      result.push('headers' in frame ? { ...frame, headers: { ...frame.headers } } : { ...frame });
    }
  }
  return result;
}
