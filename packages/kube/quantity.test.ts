import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  addQuantities,
  compareQuantities,
  formatQuantity,
  multiplyQuantity,
  parseQuantity,
  quantityMilliValue,
  quantityValue,
  servedQuantity,
  servedResource,
  subtractQuantities,
} from './quantity.ts';
import table from './quantity-table.json' with { type: 'json' };

type Served = [sent: string, field: string | null, resource: string | null];

/** Beyond exa the real server loses the magnitude (1000E comes back as 1). We do not. */
const lost = new Set(['1000E', '1000000E']);

const attempt = (make: () => string) => {
  try {
    return make();
  } catch (error) {
    expect(error).toMatchObject({ name: 'KubeError', code: 'invalid' });
    return null;
  }
};

describe('as the real API server says', () => {
  test.each((table.served as Served[]).filter(([sent]) => !lost.has(sent)))('%j', (sent, field, resource) => {
    expect(attempt(() => servedResource(sent))).toBe(resource);
    // A size may not be negative; that says nothing about the text.
    const negative = field === null && resource?.startsWith('-');
    if (!negative) expect(attempt(() => servedQuantity(sent))).toBe(field);
  });

  test.each([...lost])('%s keeps its magnitude', (sent) => {
    expect(formatQuantity(sent)).toBe(sent);
  });

  test.each(table.compared as [string, string, number][])('%s to %s is %i', (a, b, order) => {
    expect(compareQuantities(a, b)).toBe(order);
    expect(compareQuantities(b, a)).toBe(0 - order);
  });

  test.each(table.added as [string, string, string][])('%s + %s = %s', (before, more, after) => {
    expect(formatQuantity(addQuantities(before, servedResource(more)))).toBe(after);
    expect(compareQuantities(subtractQuantities(after, before), servedResource(more))).toBe(0);
  });
});

test.each([
  ['1', 1n, 1000n],
  ['1.1', 2n, 1100n],
  ['1n', 1n, 1n],
  ['-1.1', -2n, -1100n],
  ['1500u', 1n, 2n],
  ['1Gi', 1n << 30n, 1000n << 30n],
  [0.25, 1n, 250n],
])('%s is %s whole and %s thousandths, rounded up', (quantity, whole, milli) => {
  expect(quantityValue(quantity)).toBe(whole);
  expect(quantityMilliValue(quantity)).toBe(milli);
});

test.each(['1e1001', '1e-1001', '9'.repeat(1025)])('%.12s… is refused before memory is spent on it', (text) => {
  expect(() => parseQuantity(text)).toThrow(expect.objectContaining({ code: 'invalid' }));
});

test('a factor must be whole', () => {
  expect(formatQuantity(multiplyQuantity('300m', 10))).toBe('3');
  expect(formatQuantity(multiplyQuantity('256Mi', 12n))).toBe('3Gi');
  expect(() => multiplyQuantity('1', 0.5)).toThrow('whole number');
});

const suffix = fc.constantFrom(
  '',
  'n',
  'u',
  'm',
  'k',
  'M',
  'G',
  'T',
  'P',
  'E',
  'Ki',
  'Mi',
  'Gi',
  'Ti',
  'e3',
  'E-6',
  'e12',
);
const text = fc
  .tuple(
    fc.constantFrom('', '-', '+'),
    fc.bigInt({ min: 0n, max: 10n ** 15n }),
    fc.option(fc.stringMatching(/^\d{1,12}$/)),
    suffix,
  )
  .map(([sign, whole, fraction, end]) => `${sign}${whole}${fraction === null ? '' : `.${fraction}`}${end}`);

describe('laws', () => {
  test('formatting loses nothing, and formatting again changes nothing', () => {
    fc.assert(
      fc.property(text, (quantity) => {
        const formatted = formatQuantity(quantity);
        expect(compareQuantities(formatted, quantity)).toBe(0);
        expect(formatQuantity(formatted)).toBe(formatted);
        expect(servedQuantity(formatted)).toBe(formatted);
      }),
    );
  });

  test('a sum does not depend on the order, and a difference undoes it', () => {
    fc.assert(
      fc.property(text, text, (a, b) => {
        expect(addQuantities(a, b).nano).toBe(addQuantities(b, a).nano);
        expect(subtractQuantities(addQuantities(a, b), b).nano).toBe(parseQuantity(a).nano);
      }),
    );
  });

  test('a product is a repeated sum', () => {
    fc.assert(
      fc.property(text, fc.integer({ min: 1, max: 20 }), (a, times) => {
        const sum = Array.from({ length: times }, () => a).reduce<ReturnType<typeof parseQuantity>>(
          addQuantities,
          parseQuantity('0'),
        );
        expect(multiplyQuantity(a, times).nano).toBe(sum.nano);
      }),
    );
  });

  test('rounding never gives less than was asked for, and less than one too much', () => {
    fc.assert(
      fc.property(text, (a) => {
        const { nano } = parseQuantity(a);
        const rounded = quantityValue(a) * 1_000_000_000n;
        const excess = nano < 0n ? nano - rounded : rounded - nano;
        expect(excess >= 0n && excess < 1_000_000_000n).toBe(true);
      }),
    );
  });
});
