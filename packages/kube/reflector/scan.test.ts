import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { ListSplitter } from './list-splitter.ts';
import { decode, incomplete, scanObject } from './scan.ts';

function scanned(text: string): unknown {
  const bytes = Buffer.from(text);
  const span = scanObject(bytes, 0);
  if (span === incomplete) throw new Error('incomplete');
  return decode(bytes, span);
}

const withFields = (metadata: object) => ({ metadata: { ...metadata }, spec: { managedFields: [1] } });

describe('scanObject', () => {
  test.each([
    ['last', { name: 'a', managedFields: [{ f: '"]}' }] }, { name: 'a' }],
    ['first', { managedFields: [], name: 'a' }, { name: 'a' }],
    ['in the middle', { a: 1, managedFields: [{}], name: 'a' }, { a: 1, name: 'a' }],
    ['alone', { managedFields: [{}] }, {}],
    ['null', { name: 'a', managedFields: null }, { name: 'a' }],
  ])('drops metadata.managedFields, %s', (_, given, want) => {
    expect(scanned(JSON.stringify(withFields(given)))).toEqual(withFields(want));
    expect(scanned(JSON.stringify(withFields(given), null, 2))).toEqual(withFields(want));
  });

  test('leaves fields of that name elsewhere alone', () => {
    const object = { spec: { metadata: { managedFields: [1] } }, metadata: { labels: { managedFields: 'x' } } };
    expect(scanned(JSON.stringify(object))).toEqual(object);
  });

  test('says incomplete for every proper prefix, and throws for what is no JSON', () => {
    const bytes = Buffer.from(JSON.stringify({ metadata: { name: 'ä"\\', managedFields: [{}] }, n: [1, true, null] }));
    for (let end = 0; end < bytes.length; end++) expect(scanObject(bytes.subarray(0, end), 0)).toBe(incomplete);
    expect(() => scanned('<html>')).toThrow(/not JSON/);
    expect(() => scanned('{"a" 1}')).toThrow(/not JSON/);
  });
});

describe('ListSplitter', () => {
  function split(bytes: Buffer, cuts: readonly number[]): { items: unknown[]; meta: object } {
    const splitter = new ListSplitter();
    const items: unknown[] = [];
    const take = () => {
      for (let span = splitter.next(); span; span = splitter.next()) items.push(decode(splitter.bytes, span));
    };
    let at = 0;
    for (const cut of [...cuts.map((one) => one % (bytes.length + 1)).sort((a, b) => a - b), bytes.length]) {
      splitter.push(bytes.subarray(at, cut));
      at = cut;
      take();
    }
    splitter.flush();
    take();
    return { items, meta: splitter.finish() };
  }

  test('gives the items of any list, however it is cut into chunks', () => {
    const item = fc.record({ metadata: fc.dictionary(fc.string(), fc.json()), spec: fc.jsonValue() });
    fc.assert(
      fc.property(
        fc.array(item),
        fc.boolean(),
        fc.nat(2),
        fc.array(fc.nat(5000), { maxLength: 20 }),
        (items, metadataLast, indent, cuts) => {
          const clean = JSON.parse(JSON.stringify(items)) as { metadata: Record<string, unknown> }[];
          const meta = { resourceVersion: '7', continue: 'more' };
          const list = metadataLast ? { items: clean, metadata: meta } : { metadata: meta, items: clean };
          const seen = split(Buffer.from(JSON.stringify({ kind: 'L', ...list }, null, indent)), cuts);
          for (const one of clean) delete one.metadata['managedFields'];
          expect(seen).toEqual({ items: clean, meta });
        },
      ),
    );
  });

  test('takes null for no items, and refuses an answer without items or cut short', () => {
    expect(split(Buffer.from('{"metadata":{"resourceVersion":"1"},"items":null}'), [])).toEqual({
      items: [],
      meta: { resourceVersion: '1' },
    });
    expect(() => split(Buffer.from('{"metadata":{}}'), [])).toThrow(/no items/);
    const whole = '{"metadata":{},"items":[{"metadata":{}},{"metadata":{}}]}';
    for (let end = 1; end < whole.length; end++) {
      expect(() => split(Buffer.from(whole.slice(0, end)), [])).toThrow(/cut short|no items/);
    }
  });

  test('an object larger than its chunks is put together', () => {
    const big = { metadata: { name: 'x'.repeat(100_000) } };
    const bytes = Buffer.from(JSON.stringify({ metadata: {}, items: [big, big] }));
    const cuts = Array.from({ length: Math.floor(bytes.length / 1000) }, (_, i) => i * 1000);
    expect(split(bytes, cuts).items).toEqual([big, big]);
  });
});
