import Type, { type Static, type TObject, type TOptional, type TProperties, type TSchema, type TUnsafe } from 'typebox';

/**
 * The words that schemas are written in. Each gives a TypeScript type and a piece of a structural schema at once;
 * TypeBox's own Record, Union and Literal are not used, because what they emit is not structural.
 */

/** A CEL rule, checked by the API server. */
export interface Rule {
  readonly rule: string;
  readonly message: string;
  /** Relative to the field that carries the rule. */
  readonly fieldPath?: string;
}

interface Common {
  readonly description?: string;
  readonly rules?: readonly Rule[];
  /** Values that satisfy what the schema alone cannot say (CEL, order between fields). Never part of the CRD. */
  readonly examples?: readonly unknown[];
}

interface NumberOptions extends Common {
  readonly minimum?: number;
  readonly maximum?: number;
}

interface TextOptions extends Common {
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly pattern?: string;
}

interface ListOptions extends Common {
  readonly minItems?: number;
  readonly maxItems?: number;
}

interface MapOptions extends Common {
  readonly maxProperties?: number;
  readonly mapType?: 'granular' | 'atomic';
}

function wire({ rules, ...rest }: Common): Record<string, unknown> {
  return rules ? { ...rest, 'x-kubernetes-validations': rules } : rest;
}

export const optional: <S extends TSchema>(schema: S) => ReturnType<typeof Type.Optional<S>> = Type.Optional;

/** Marks in the types that the API server fills the field in: users may leave it out, readers always find it. */
export type Defaulted<S extends TSchema> = S & { readonly default: unknown };

export function defaulted<S extends TSchema>(schema: S, value: Static<S>): Defaulted<S> {
  // TypeBox keeps what it knows of a schema in properties that a spread would lose.
  return Object.defineProperties({} as Defaulted<S>, {
    ...Object.getOwnPropertyDescriptors(schema),
    default: { value, enumerable: true },
  });
}

export const flag = (options: Common = {}) => Type.Boolean(wire(options));
export const text = (options: TextOptions = {}) => Type.String(wire(options));
export const integer = (options: NumberOptions = {}) => Type.Integer(wire(options));
export const int32 = (options: NumberOptions = {}) => Type.Integer({ format: 'int32', ...wire(options) });
export const int64 = (options: NumberOptions = {}) => Type.Integer({ format: 'int64', ...wire(options) });

/** RFC 3339. */
export const time = (options: Common = {}) => Type.String({ format: 'date-time', ...wire(options) });

/** Like `90s` or `1h30m`. The originals check the form with CEL or not at all, so the schema does neither by itself. */
export const duration = (options: TextOptions = {}) => Type.String({ examples: ['90s'], ...wire(options) });

export function oneOf<const V extends readonly string[]>(values: V, options: Common = {}): TUnsafe<V[number]> {
  return Type.Unsafe<V[number]>({ type: 'string', enum: [...values], ...wire(options) });
}

/** Words that we know, where the original takes any string and so must we. */
export function known<const V extends readonly string[]>(values: V, options: Common = {}): TUnsafe<V[number]> {
  return Type.Unsafe<V[number]>({ type: 'string', examples: [...values], ...wire(options) });
}

export type IntOrString = number | string;

/** A count, or a percentage such as `20%`. */
export function intOrString(options: TextOptions = {}): TUnsafe<IntOrString> {
  return Type.Unsafe<IntOrString>({
    anyOf: [{ type: 'integer' }, { type: 'string' }],
    'x-kubernetes-int-or-string': true,
    ...wire(options),
  });
}

/** A resource quantity such as `500m` or `2Gi`; the pattern is the grammar of Kubernetes. */
export function quantity(options: Common = {}): TUnsafe<IntOrString> {
  const number = '(([0-9]+(\\.[0-9]*)?)|(\\.[0-9]+))';
  return intOrString({
    ...options,
    pattern: `^(\\+|-)?${number}(([KMGTPE]i)|[numkMGTPE]|([eE](\\+|-)?${number}))?$`,
    examples: ['500m', '2Gi'],
  });
}

export function object<P extends TProperties>(properties: P, options: Common = {}): TObject<P> {
  return Type.Object(properties, wire(options));
}

/** An object of which exactly one of the fields is set. */
export function exactlyOne<P extends TProperties>(properties: P, options: Common = {}): TObject<P> {
  const names = Object.keys(properties);
  const rule = {
    rule: `[${names.map((name) => `has(self.${name})`).join(', ')}].filter(set, set).size() == 1`,
    message: `set exactly one of ${names.join(', ')}`,
  };
  return Type.Object(properties, { ...wire({ ...options, rules: [rule, ...(options.rules ?? [])] }), exclusive: true });
}

export function list<S extends TSchema>(item: S, options: ListOptions = {}) {
  return Type.Array(item, wire(options));
}

export function atomicList<S extends TSchema>(item: S, options: ListOptions = {}) {
  return Type.Array(item, { ...wire(options), 'x-kubernetes-list-type': 'atomic' });
}

export function setOf<S extends TSchema>(item: S, options: ListOptions = {}) {
  return Type.Array(item, { ...wire(options), 'x-kubernetes-list-type': 'set' });
}

/** A list whose entries are told apart by one field: server-side apply merges them, and no two may be equal in it. */
export function listMap<P extends TProperties>(item: TObject<P>, key: keyof P & string, options: ListOptions = {}) {
  return Type.Array(item, {
    ...wire(options),
    'x-kubernetes-list-type': 'map',
    'x-kubernetes-list-map-keys': [key],
  });
}

export function map<S extends TSchema>(value: S, options: MapOptions = {}): TUnsafe<Record<string, Static<S>>> {
  const { mapType, ...rest } = options;
  return Type.Unsafe<Record<string, Static<S>>>({
    type: 'object',
    additionalProperties: value,
    ...wire(rest),
    ...(mapType && { 'x-kubernetes-map-type': mapType }),
  });
}

/** An object whose inside the API server neither prunes nor checks; `T` is what we expect to find there. */
export function freeForm<T extends object = Record<string, unknown>>(options: Common = {}): TUnsafe<T> {
  return Type.Unsafe<T>({ type: 'object', 'x-kubernetes-preserve-unknown-fields': true, ...wire(options) });
}

/** Any JSON value at all. */
export function anything(options: Common = {}): TUnsafe<unknown> {
  return Type.Unsafe<unknown>({ 'x-kubernetes-preserve-unknown-fields': true, ...wire(options) });
}

export type { Static, TObject, TOptional, TProperties, TSchema };
