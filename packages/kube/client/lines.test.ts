import fc from 'fast-check';
import { expect, test } from 'vitest';
import { LineSplitter } from './lines.ts';

test('lines come out whole, however their bytes are cut', () => {
  const line = fc.string({ unit: 'grapheme', maxLength: 40 }).map((text) => text.replaceAll('\n', ''));
  fc.assert(
    fc.property(
      fc.array(line),
      line,
      fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 1 }),
      (lines, last, cuts) => {
        const bytes = Buffer.from(lines.map((text) => `${text}\n`).join('') + last);
        const splitter = new LineSplitter();
        const seen: string[] = [];
        for (let at = 0, turn = 0; at < bytes.length; turn += 1) {
          const size = cuts[turn % cuts.length] ?? 1;
          for (const found of splitter.push(bytes.subarray(at, at + size))) seen.push(found.toString('utf8'));
          at += size;
        }
        expect(seen).toEqual(lines);
        expect(splitter.pending).toBe(last !== '');
        expect(splitter.flush().toString('utf8')).toBe(last);
      },
    ),
  );
});

test('a line that never ends is an error, not the end of memory', () => {
  const splitter = new LineSplitter(1000);
  const feed = (): void => {
    for (let turn = 0; turn < 11; turn += 1) expect([...splitter.push(Buffer.alloc(100, 'x'))]).toEqual([]);
  };
  expect(feed).toThrow(/longer than 1000 bytes/);
});
