/** The `fieldPath` of a rule: `.spec.name`, `.labels['a.b']`, which must lead to something in the schema. */
import type { Structural } from '../structural.ts';

export type FieldPath =
  | { readonly path: string; readonly schema: Structural; readonly problem?: undefined }
  | { readonly path?: undefined; readonly problem: string };

const ESCAPES: Readonly<Record<string, string>> = {
  a: '\x07',
  b: '\b',
  f: '\f',
  n: '\n',
  r: '\r',
  t: '\t',
  v: '\v',
  "'": "'",
  '\\': '\\',
};

export function fieldPathOf(text: string, root: Structural, allowsBrackets = true): FieldPath {
  const tokens = text.match(/'(?:[^'\\]|\\.)*'|[.[\]]|[^.[\]']+|'/g) ?? [];
  let schema = root;
  let path = '';
  for (let index = 0; index < tokens.length; ) {
    const token = tokens[index++];
    let name = tokens[index++];
    if (token === '[') {
      if (!allowsBrackets) return { problem: 'array notation is not allowed' };
      if (name === undefined) return { problem: 'unexpected end of JSON path' };
      if (!/^'.*'$/s.test(name)) return { problem: `expected single quoted string but got ${name}` };
      name = name.slice(1, -1).replace(/\\(.)/gs, (whole, char: string) => ESCAPES[char] ?? whole);
      const close = tokens[index++];
      if (close === undefined) return { problem: 'unexpected end of JSON path' };
      if (close !== ']') return { problem: `expected ] but got ${close}` };
    } else if (token !== '.') return { problem: `expected [ or . but got: ${token}` };
    if (name === undefined) return { problem: 'unexpected end of JSON path' };
    const { properties, additionalProperties } = schema;
    const isMap = properties === undefined && typeof additionalProperties === 'object';
    const below: Structural | undefined = isMap
      ? additionalProperties
      : properties && Object.hasOwn(properties, name)
        ? properties[name]
        : undefined;
    if (!below) return { problem: 'does not refer to a valid field' };
    path += isMap ? `[${name}]` : `.${name}`;
    schema = below;
  }
  return { path, schema };
}
