import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { customSchema } from '../crd/custom-schema.ts';
import { compileRules } from './cel/rules.ts';
import { applyDefaults } from './defaults.ts';
import { prune } from './prune.ts';
import { matches } from './regular-expression.ts';
import type { Json, JsonObject, Structural } from './structural.ts';
import { ruleCases } from './testing/rule-cases.ts';
import { validationCases } from './testing/validation-cases.ts';
import { validateSchema } from './validate.ts';

const of = (schema: Structural) =>
  customSchema({ type: 'object', properties: { spec: { type: 'object', properties: { x: schema } } } });
const withSpec = (x: Json): JsonObject => ({ apiVersion: 'a.b/v1', kind: 'X', metadata: { name: 'x' }, spec: { x } });
const text: Structural = { type: 'string' };

const schema: Structural = of({
  type: 'object',
  properties: {
    a: { type: 'string', default: 'x' },
    list: {
      type: 'array',
      items: {
        type: 'object',
        properties: { a: { type: 'integer', default: 1 }, free: { 'x-kubernetes-preserve-unknown-fields': true } },
      },
    },
    map: { type: 'object', additionalProperties: { type: 'object', properties: { a: text } } },
    kept: {
      type: 'object',
      'x-kubernetes-preserve-unknown-fields': true,
      properties: { a: { type: 'object', properties: { b: text } } },
    },
  },
});
const anything = fc
  .object({
    key: fc.constantFrom('a', 'b', 'list', 'map', 'kept', 'free', '__proto__', 'constructor'),
    maxDepth: 5,
    values: [fc.string(), fc.integer(), fc.constant(null)],
  })
  .map((value) => JSON.parse(JSON.stringify(value)) as Json);

describe('pruning and defaulting', () => {
  test('prunes below what is kept, and tells what it dropped', () => {
    const given = withSpec({
      a: 'q',
      no: 1,
      list: [{ a: 2, no: 1, free: { deep: 1 } }],
      kept: { any: { thing: 1 }, a: { b: 'x', no: 1 } },
      map: { k: { no: 1 } },
    });
    const { value, unknown } = prune(given, schema);
    expect(unknown).toEqual(['spec.x.kept.a.no', 'spec.x.list[0].no', 'spec.x.map.k.no', 'spec.x.no']);
    expect(value['spec']).toEqual({
      x: { a: 'q', list: [{ a: 2, free: { deep: 1 } }], kept: { any: { thing: 1 }, a: { b: 'x' } }, map: { k: {} } },
    });
  });

  test('both settle at once, and leave their input alone', () => {
    fc.assert(
      fc.property(anything, (x) => {
        const given = withSpec(x);
        const before = JSON.stringify(given);
        const pruned = prune(given, schema).value;
        const settled = applyDefaults(pruned, schema);
        expect(JSON.stringify(given)).toBe(before);
        expect(prune(settled, schema)).toEqual({ value: settled, unknown: [] });
        expect(applyDefaults(settled, schema)).toEqual(settled);
      }),
    );
  });

  test('names of the language itself are names like others', () => {
    const given = withSpec(JSON.parse('{"__proto__":{"a":1},"constructor":1,"a":"x"}') as Json);
    expect(prune(given, schema).unknown).toEqual(['spec.x.__proto__', 'spec.x.constructor']);
  });

  test('a null gives way to the default, or goes', () => {
    const nulls = of({
      type: 'object',
      properties: { a: { type: 'string', default: 'd' }, b: text, c: { type: 'string', nullable: true } },
    });
    expect(applyDefaults(withSpec({ a: null, b: null, c: null }), nulls)['spec']).toEqual({ x: { a: 'd', c: null } });
  });
});

describe('validation', () => {
  test('what has not changed is not judged again', () => {
    const strict = of({
      type: 'object',
      properties: { a: { type: 'string', maxLength: 2 }, b: { type: 'string', maxLength: 2 } },
    });
    const old = withSpec({ a: 'long', b: 'ok' });
    expect(validateSchema(withSpec({ a: 'long', b: 'no' }), strict, old)).toEqual([]);
    expect(validateSchema(withSpec({ a: 'longer', b: 'ok' }), strict, old).map(({ field }) => field)).toEqual([
      'spec.x.a',
    ]);
    expect(validateSchema(old, strict).map(({ field }) => field)).toEqual(['spec.x.a']);
  });

  test('any value is judged, none breaks the judge', () => {
    const all = of({
      type: 'object',
      properties: Object.fromEntries(validationCases.map(({ schema: one }, index) => [`c${index}`, one])),
    });
    fc.assert(
      fc.property(fc.integer({ min: 0, max: validationCases.length - 1 }), fc.jsonValue(), (index, value) => {
        const object = withSpec({ [`c${index}`]: JSON.parse(JSON.stringify(value)) as Json });
        for (const error of validateSchema(object, all)) expect(error.message).not.toBe('');
        // Embedded resources are judged on every write, changed or not.
        if (validationCases[index]?.schema['x-kubernetes-embedded-resource']) return;
        expect(validateSchema(object, all, object)).toEqual([]);
      }),
    );
  });

  test('a pattern that backtracks elsewhere is linear here', () => {
    expect(matches('^(a|a)*b$', 'a'.repeat(50_000))).toBe(false);
    expect(matches('^(a+)+$', `${'a'.repeat(50_000)}!`)).toBe(false);
  });
});

describe('rules', () => {
  test('all cases compile', () => {
    for (const { schema: one, title } of ruleCases) expect([title, compileRules(one).errors]).toEqual([title, []]);
  });

  const verdict = (expression: string, value: Json, one: Structural) =>
    compileRules({ ...one, 'x-kubernetes-validations': [{ rule: expression }] }).validate(value);

  // The real server finds these too dear for texts of unknown length, so they are not in the table.
  test.each([
    ["['a', 'b'].join('-') == 'a-b'", true],
    ["self.?a.optMap(v, v + '!').orValue('') == 'x!'", true],
    ["self.?b.optMap(v, v + '!').orValue('none') == 'none'", true],
    ["string(self.n) + self.a == '2x'", true],
    ['lists.range(3) == [0, 1, 2]', true],
    ['[[1], [2, 3]].flatten().size() == 3', true],
    ["self.l.first().orValue('') == 'q'", true],
  ])('%s', (expression, expected) => {
    const one: Structural = {
      type: 'object',
      properties: { a: text, b: text, n: { type: 'integer' }, l: { type: 'array', items: text } },
    };
    expect(verdict(expression, { a: 'x', n: 2, l: ['q'] }, one)).toEqual(expected ? [] : expect.anything());
  });

  test('a rule that would never end is ended, and so are those after it', () => {
    const numbers: Structural = { type: 'array', items: { type: 'integer' } };
    const many = Array.from({ length: 3_000 }, (_, index) => index);
    const [error, ...rest] = verdict('self.all(a, self.all(b, self.all(c, a + b + c >= 0)))', many, numbers);
    expect(rest).toEqual([]);
    expect(error?.message).toContain("'operation cancelled: actual cost limit exceeded': no further validation rules");
  });
});
