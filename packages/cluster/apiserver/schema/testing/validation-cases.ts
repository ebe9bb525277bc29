/** Schemas, and values that they refuse or take. Each is asked of the real API server and of ours. */
import type { Json, Structural } from '../structural.ts';

export interface ValidationCase {
  readonly title: string;
  readonly schema: Structural;
  readonly value: Json;
  /** What is stored before, for an update. */
  readonly old?: Json;
}

const s = (title: string, schema: Structural, ...values: Json[]): ValidationCase[] =>
  values.map((value) => ({ title: `${title}: ${JSON.stringify(value)}`.slice(0, 100), schema, value }));
const u = (title: string, schema: Structural, old: Json, value: Json): ValidationCase => ({
  title,
  schema,
  value,
  old,
});

const text: Structural = { type: 'string' };
const int: Structural = { type: 'integer' };
const keep = { 'x-kubernetes-preserve-unknown-fields': true } as const;
const everyType: Json[] = ['a', 1, 1.5, true, {}, [], null];

const formatted = (format: string, ...values: Json[]) => s(`format ${format}`, { type: 'string', format }, ...values);

export const validationCases: readonly ValidationCase[] = [
  ...s('string', text, ...everyType),
  ...s('integer', int, ...everyType, 1e30, 2 ** 31, -5),
  ...s('number', { type: 'number' }, ...everyType, 1e30, 1e-7),
  ...s('boolean', { type: 'boolean' }, ...everyType),
  ...s('object', { type: 'object' }, ...everyType),
  ...s('array', { type: 'array', items: text }, ...everyType, ['a', 1, null]),
  ...s('int-or-string', { 'x-kubernetes-int-or-string': true }, ...everyType),
  ...s('anything', keep, ...everyType),
  ...s('nullable', { type: 'string', nullable: true }, null, 1),
  ...s('nullable enum', { type: 'string', nullable: true, enum: ['a'] }, null, 'a', 'b'),
  ...s('int32', { type: 'integer', format: 'int32' }, 2 ** 31, 1.5, 'a', true, {}, [1]),
  ...s('int64', { type: 'integer', format: 'int64' }, 2 ** 40, 1.5, 'a', 1e30),
  ...s('double', { type: 'number', format: 'double' }, 1.5, 'a', true),
  ...s('date-time of other types', { type: 'string', format: 'date-time' }, 5, true, {}, [], 1.5),
  ...s('an unknown format', { type: 'string', format: 'starsign' }, 'x', 1),
  ...s('a format of another type', { type: 'integer', format: 'date' }, 5, 'x'),

  ...s('minimum', { type: 'integer', minimum: 3 }, 2, 3),
  ...s('exclusive minimum', { type: 'integer', minimum: 3, exclusiveMinimum: true }, 3, 4),
  ...s('maximum', { type: 'integer', maximum: 3 }, 3, 4),
  ...s('exclusive maximum', { type: 'integer', maximum: 3, exclusiveMaximum: true }, 3, 2),
  ...s('fractions', { type: 'number', minimum: 0.5, maximum: 1.5 }, 0.25, 1.75, 1),
  ...s('both bounds', { type: 'integer', minimum: 5, maximum: 1, multipleOf: 7 }, 3),
  ...s('multiples', { type: 'integer', multipleOf: 4 }, 6, 8),
  ...s('multiples of a fraction', { type: 'number', multipleOf: 0.1 }, 0.3, 0.25),

  ...s('lengths', { type: 'string', minLength: 2, maxLength: 3 }, 'a', 'ab', 'abcd', '😀😀😀', '😀', '😀😀😀😀'),
  ...s('length of one', { type: 'string', maxLength: 1 }, 'ab'),
  ...s('pattern', { type: 'string', pattern: '^[a-z]+$' }, 'abc', 'ABC', 'quote"d', 'new\nline', '<b>&'),
  ...s('pattern with flags', { type: 'string', pattern: '(?i)^abc\\z' }, 'ABC', 'ABC\n'),
  ...s('pattern with classes', { type: 'string', pattern: '^[[:alpha:]\\pN]+$' }, 'aß9', '9x', '-'),
  ...s('enum', { type: 'string', enum: ['a', 'b'] }, 'a', 'c', ''),
  ...s('enum of numbers', { type: 'integer', enum: [1, 2] }, 1, 3),
  ...s('enum of anything', { ...keep, enum: ['a', 1, true, { x: 1 }] }, 'a', 1, true, { x: 1 }, { x: 2 }, false),

  ...s('items', { type: 'array', items: int, minItems: 2, maxItems: 3 }, [1], [1, 2], [1, 2, 3, 4], [1, 'a']),
  ...s('one item at most', { type: 'array', items: int, maxItems: 1 }, [1, 2]),
  ...s('lists of lists', { type: 'array', items: { type: 'array', items: int } }, [[1], ['x']], [1]),
  ...s('a map', { type: 'object', additionalProperties: int }, { a: 1 }, { a: 'x' }, { 'a.b/c': 'x' }),
  ...s(
    'properties bounds',
    { type: 'object', additionalProperties: int, minProperties: 1, maxProperties: 2 },
    {},
    {
      a: 1,
      b: 1,
      c: 1,
    },
  ),
  ...s(
    'required',
    {
      type: 'object',
      required: ['a', 'b'],
      properties: { a: text, b: { type: 'object', required: ['c'], properties: { c: text } } },
    },
    {},
    { a: 'x' },
    { a: 'x', b: {} },
    { a: 1, b: { c: 2 } },
    { b: null },
  ),
  ...s(
    'deep errors',
    {
      type: 'array',
      items: {
        type: 'object',
        properties: {
          m: { type: 'object', additionalProperties: { type: 'array', items: { type: 'string', minLength: 1 } } },
        },
      },
    },
    [{ m: { k: ['', 'x'] } }, { m: { l: [''] } }],
  ),

  ...s('anyOf by bounds', { type: 'integer', anyOf: [{ minimum: 10 }, { maximum: 0 }] }, 5, 10, 0),
  ...s('oneOf', { type: 'integer', oneOf: [{ minimum: 10 }, { multipleOf: 2 }] }, 5, 4, 12, 11),
  ...s('allOf', { type: 'integer', allOf: [{ minimum: 10 }, { multipleOf: 2 }] }, 5, 12, 11, 4),
  ...s('not', { type: 'integer', not: { minimum: 10 } }, 5, 12),
  ...s(
    'oneOf by required',
    {
      type: 'object',
      properties: { a: text, b: text, c: text },
      oneOf: [{ required: ['a', 'c'] }, { required: ['b'] }],
    },
    {},
    { a: 'x', b: 'x', c: 'x' },
    { a: 'x' },
    { c: 'x' },
    { b: 'x' },
  ),
  ...s(
    'anyOf by required, nested',
    {
      type: 'object',
      properties: { x: { type: 'object', properties: { a: int, b: int } } },
      anyOf: [{ properties: { x: { required: ['a'] } } }, { properties: { x: { properties: { b: { minimum: 3 } } } } }],
    },
    { x: { b: 1 } },
    { x: { b: 3 } },
    { x: { a: 1, b: 1 } },
  ),
  ...s(
    'int-or-string with a pattern',
    {
      'x-kubernetes-int-or-string': true,
      anyOf: [{ type: 'integer' }, { type: 'string' }],
      pattern: '^[0-9]+%?$',
    },
    5,
    '5%',
    'x',
    true,
  ),

  ...s(
    'a set',
    { type: 'array', 'x-kubernetes-list-type': 'set', items: text },
    ['a', 'b'],
    ['a', 'b', 'a', 'a'],
    ['b', 'b'],
  ),
  ...s('a set of numbers', { type: 'array', 'x-kubernetes-list-type': 'set', items: int }, [1, 2, 1]),
  ...s(
    'a list map',
    {
      type: 'array',
      'x-kubernetes-list-type': 'map',
      'x-kubernetes-list-map-keys': ['name'],
      items: { type: 'object', required: ['name'], properties: { name: text, v: int } },
    },
    [{ name: 'a' }, { name: 'b' }],
    [{ name: 'a' }, { name: 'a', v: 1 }],
    [{ v: 1 }],
  ),
  ...s(
    'a list map of two keys',
    {
      type: 'array',
      'x-kubernetes-list-type': 'map',
      'x-kubernetes-list-map-keys': ['name', 'port'],
      items: {
        type: 'object',
        required: ['name'],
        properties: { name: text, port: { type: 'integer', default: 80 }, v: int },
      },
    },
    [{ name: 'a' }, { name: 'a', port: 1 }],
    [{ name: 'a' }, { name: 'a', port: 80 }],
  ),
  ...s(
    'a set inside a map',
    { type: 'object', additionalProperties: { type: 'array', 'x-kubernetes-list-type': 'set', items: text } },
    { k: ['a', 'a'] },
  ),
  ...s(
    'an embedded resource',
    { type: 'object', 'x-kubernetes-embedded-resource': true, ...keep },
    { apiVersion: 'v1', kind: 'Pod', spec: { x: 1 } },
    {},
    { apiVersion: '', kind: '' },
    { apiVersion: 'a/b/c', kind: 'no such/kind' },
    { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'x', labels: { a: 'b' } } },
  ),

  ...formatted(
    'date-time',
    '2024-01-02T03:04:05Z',
    '2024-01-02t03:04:05.123+01:00',
    '2024-01-02',
    'x',
    '2024-02-30T00:00:00Z',
    '2024-01-02T24:00:00Z',
    '',
  ),
  ...formatted('date', '2024-01-02', '2024-13-02', '2024-1-2'),
  ...formatted('duration', '5s', '1h30m', '-1.5h', '0', '3 days', '2wk', 'soon', '', '5', '1x', '5s '),
  ...formatted('byte', 'YWJj', 'YWI=', 'not base64!', 'YW', ''),
  ...formatted('email', 'a@b.c', 'Ada <ada@example.com>', 'a', '@b', 'a@', 'a b@c'),
  ...formatted('ipv4', '1.2.3.4', '01.02.03.04', '256.1.1.1', '::1', '::ffff:1.2.3.4', 'x'),
  ...formatted('ipv6', '::1', 'fe80::1%eth0', '1.2.3.4', '::ffff:1.2.3.4'),
  ...formatted('cidr', '10.0.0.0/8', '10.0.0.0', '::/0', '10.0.0.0/33', '10.0.0.0/8/8'),
  ...formatted('mac', '01:23:45:67:89:ab', '01-23-45-67-89-ab', '0123.4567.89ab', '01:23', 'x'),
  ...formatted('uuid', '123e4567-e89b-12d3-a456-426614174000', '123E4567E89B12D3A456426614174000', 'x'),
  ...formatted('uuid4', '123e4567-e89b-42d3-a456-426614174000', '123e4567-e89b-12d3-a456-426614174000'),
  ...formatted(
    'uri',
    'http://a.b/c?d=e',
    '/path',
    'a',
    '',
    'http://[::1]:80/',
    'mailto:a@b',
    'http://a b/',
    'http://a:b/',
    '%zz',
    '*',
  ),
  ...formatted('hostname', 'a', 'a.bc', 'a.b', '-a', 'a_b', 'a-b', 'a-b-c', 'a-b.com', 'x.y-', ''),
  ...formatted('isbn', '0321751043', '978-0321751041', '978-0321751042'),
  ...formatted('creditcard', '4111 1111 1111 1111', '4111 1111 1111 1112'),
  ...formatted('ssn', '111-22-3333', '111223333'),
  ...formatted('hexcolor', '#fff', '#ffff'),
  ...formatted('rgbcolor', 'rgb(1,2,3)', 'rgb(1,2,256)'),
  ...formatted('bsonobjectid', '507f1f77bcf86cd799439011', 'x'),
  ...formatted('password', 'anything'),
  ...formatted('k8s-short-name', 'a-b', 'A', 'a.b', 'a-'),
  ...formatted('k8s-long-name', 'a.b', 'A.b', '.a'),

  u('an update that is too long', { type: 'string', maxLength: 3 }, 'abc', 'abcd'),
];
