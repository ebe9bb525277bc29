import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { OutputKind } from './output.ts';
import { OutputRing } from './ring.ts';

describe('OutputRing', () => {
  it('keeps exactly the last bytes, in order, with their streams', () => {
    const writes = fc.array(
      fc.tuple(fc.constantFrom<OutputKind>('stdout', 'stderr'), fc.uint8Array({ minLength: 1, maxLength: 300 })),
    );
    fc.assert(
      fc.property(writes, fc.integer({ min: 1, max: 700 }), (list, limit) => {
        const ring = new OutputRing(limit);
        const all: [OutputKind, number][] = [];
        for (const [kind, bytes] of list) {
          const reused = Buffer.from(bytes);
          ring.append(kind, reused);
          reused.fill(0);
          for (const byte of bytes) all.push([kind, byte]);
        }
        const kept = [...ring.entries()].flatMap(({ kind, bytes }) => [...bytes].map((byte) => [kind, byte]));
        expect(kept).toEqual(all.slice(-limit));
        expect(ring.size).toBe(Math.min(limit, all.length));
      }),
    );
  });
});
