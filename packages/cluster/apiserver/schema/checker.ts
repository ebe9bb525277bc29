/** A schema made ready to check values with: patterns compiled, formats looked up, enums as sets. Made once per schema. */
import { formatCheck, isKnownFormat } from './formats.ts';
import { formatJson } from './go-format.ts';
import { type Expression, regularExpression } from './regular-expression.ts';
import type { Json, Structural } from './structural.ts';

export interface Checker {
  readonly schema: Structural;
  /** Usually one; two for int-or-string; none where any type will do. */
  readonly types: readonly string[];
  /** Only a format that is enforced for this type. */
  readonly format: string | undefined;
  readonly formatCheck: ((text: string) => boolean) | undefined;
  readonly pattern: Expression | undefined;
  /** Scalars as they are, the rest as JSON. */
  readonly allowed: ReadonlySet<unknown>;
  readonly items: Checker | undefined;
  readonly properties: ReadonlyMap<string, Checker>;
  readonly additionalProperties: Checker | undefined;
  readonly hasAlternatives: boolean;
  readonly anyOf: readonly Checker[];
  readonly oneOf: readonly Checker[];
  readonly allOf: readonly Checker[];
  readonly not: Checker | undefined;
}

const checkers = new WeakMap<Structural, Checker>();

export function checkerOf(schema: Structural): Checker {
  const known = checkers.get(schema);
  if (known) return known;
  // Known before it is filled: schemas of built-in kinds contain themselves.
  const checker = {} as Checker;
  checkers.set(schema, checker);
  return Object.assign(checker, build(schema));
}

const all = (schemas: readonly Structural[] | undefined) => (schemas ?? []).map(checkerOf);
const maybe = (schema: Structural | boolean | undefined) =>
  typeof schema === 'object' ? checkerOf(schema) : undefined;

function build(schema: Structural): Checker {
  const isIntOrString = schema['x-kubernetes-int-or-string'] === true;
  const types = isIntOrString ? ['integer', 'string'] : schema.type ? [schema.type] : [];
  const type = types.length === 1 ? types[0] : undefined;
  const format = schema.format !== undefined && isKnownFormat(schema.format, type) ? schema.format : undefined;
  return {
    schema,
    types,
    format,
    formatCheck: format === undefined ? undefined : formatCheck(format),
    pattern: schema.pattern ? regularExpression(schema.pattern) : undefined,
    allowed: new Set(schema.enum?.map((one) => (typeof one === 'object' ? formatJson(one as Json) : one))),
    items: maybe(schema.items),
    properties: new Map(Object.entries(schema.properties ?? {}).map(([name, one]) => [name, checkerOf(one)])),
    additionalProperties: maybe(schema.additionalProperties),
    hasAlternatives: Boolean(schema.anyOf ?? schema.oneOf ?? schema.allOf ?? schema.not),
    anyOf: all(schema.anyOf),
    oneOf: all(schema.oneOf),
    allOf: all(schema.allOf),
    not: maybe(schema.not),
  };
}
