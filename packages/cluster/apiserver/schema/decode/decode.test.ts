import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { DecodeError, unrecognized } from './errors.ts';
import { decodeJson, duplicateFields, MAX_DEPTH } from './json.ts';
import { decodeYaml } from './yaml.ts';

const messageOf = (act: () => unknown) => {
  try {
    act();
  } catch (error) {
    expect(error).toBeInstanceOf(DecodeError);
    return (error as Error).message.replace("couldn't get version/kind; json parse error: ", '');
  }
  throw new Error('it was accepted');
};

describe('JSON', () => {
  // As the real server says it.
  test.each([
    ['{"a":', 'unexpected end of JSON input'],
    ['', 'unexpected end of JSON input'],
    ['{"a":1} x', "invalid character 'x' after top-level value"],
    ['{"a":1,}', "invalid character '}' looking for beginning of object key string"],
    ['{"a" 1}', "invalid character '1' after object key"],
    ['{"a":1 "b":2}', "invalid character '\"' after object key:value pair"],
    ['[1 2]', "invalid character '2' after array element"],
    ['{"a":x}', "invalid character 'x' looking for beginning of value"],
  ])('%s: %s', (text, message) => {
    expect(messageOf(() => decodeJson(text))).toBe(message);
  });

  test('refuses what is nested too deep', () => {
    const nested = (depth: number) => '['.repeat(depth) + ']'.repeat(depth);
    expect(decodeJson(nested(MAX_DEPTH)).duplicates).toEqual([]);
    expect(messageOf(() => decodeJson(nested(MAX_DEPTH + 1)))).toBe("invalid character '[' exceeded max depth");
    expect(() => decodeJson(JSON.stringify({ text: '['.repeat(5 * MAX_DEPTH) }))).not.toThrow();
  });

  test.each([
    ['{"metadata":{"name":"a","name":"b"},"data":{"x":"1","x":"2"}}', ['metadata.name', 'data.x']],
    ['{"list":[{"a":1},{"a":1,"b":[],"a":2}]}', ['list[1].a']],
    ['{"a":{"x":1},"b":{"x":1},"a":{}}', ['a']],
    ['{"a\\"b":1,"a\\u0022b":2}', ['a"b']],
    ['{"a":"{\\"a\\":1,\\"a\\":2}"}', []],
  ])('finds the fields that come twice in %s', (text, expected) => {
    expect(decodeJson(text, true).duplicates).toEqual(expected);
  });

  test('finds none where there is none', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        const text = JSON.stringify(value);
        expect(duplicateFields(text)).toEqual([]);
        expect(decodeJson(text, true).value).toEqual(JSON.parse(text));
      }),
    );
  });

  test('shows the beginning of what was sent', () => {
    const error = new DecodeError('why');
    expect(unrecognized('ConfigMap', error, '')).toBe(
      'the object provided is unrecognized (must be of type ConfigMap): why (<empty>)',
    );
    expect(unrecognized('Pod', error, 'nonsense')).toContain('(6e6f6e73656e7365)');
    expect(unrecognized('Pod', error, `{"apiVersion":"v1","kind":"ConfigMap"}`)).toContain(
      '({"apiVersion":"v1","kind":"Con ...)',
    );
  });
});

describe('YAML', () => {
  test.each([
    ['a: on', { a: true }],
    ['a: y\nb: no\nc: "on"', { a: true, b: false, c: 'on' }],
    ['a: 010\nb: 0x10\nc: 1_000', { a: 8, b: 16, c: 1000 }],
    ['a: 2024-01-02\nb: 12:30:45', { a: '2024-01-02', b: '12:30:45' }],
    ['on: x', { true: 'x' }],
    ['a: ~', { a: null }],
    ['base: &b {x: 1}\nc: {<<: *b, z: 2}', { base: { x: 1 }, c: { x: 1, z: 2 } }],
    ['{"a": [1, "b"]}', { a: [1, 'b'] }],
  ])('%s', (text, expected) => {
    expect(decodeYaml(text).value).toEqual(expected);
  });

  test('tells the names that come twice', () => {
    expect(decodeYaml('a: 1\nb: {c: 1, c: 2}\na: 2').duplicates).toEqual(['c', 'a']);
  });

  test('refuses what is no YAML', () => {
    expect(messageOf(() => decodeYaml('a: {b'))).toMatch(/^yaml: line \d+: /);
  });

  test('refuses a bomb of aliases', () => {
    const names = 'abcdefghi';
    const lines = [...names].map((name, level) =>
      level === 0
        ? `${name}: &${name} [x,x,x,x,x,x,x,x,x]`
        : `${name}: &${name} [${Array(9).fill(`*${names[level - 1]}`)}]`,
    );
    expect(messageOf(() => decodeYaml(lines.join('\n')))).toBe('yaml: document contains excessive aliasing');
  });
});
