/**
 * What decoding into a typed object does on the real server, done here by schema: nulls and empty values are not there,
 * quantities get their canonical form, and a value of the wrong type is refused before any rule looks at it.
 * Always makes a copy, so that strategies may fill it in place.
 */
import { servedQuantity, servedResource } from '@sandbank/kube';
import snapshot from '@sandbank/kube/kinds/snapshot' with { type: 'json' };
import { badRequest } from '../../http/api-error.ts';
import type { Json, JsonObject } from '../../schema/structural.ts';
import { nullTimes, zeroIsKept } from './kept-zeros.ts';

interface RawSchema {
  readonly $ref?: string;
  readonly type?: string;
  readonly format?: string;
  readonly properties?: Readonly<Record<string, RawSchema>>;
  readonly additionalProperties?: RawSchema | boolean;
  readonly items?: RawSchema;
  readonly required?: readonly string[];
  readonly default?: unknown;
}

interface Named {
  readonly kind: string;
  readonly version: string;
}

const schemas = snapshot.schemas as unknown as Readonly<Record<string, RawSchema>>;
const QUANTITY = 'io.k8s.apimachinery.pkg.api.resource.Quantity';
const INT_OR_STRING = 'io.k8s.apimachinery.pkg.util.intstr.IntOrString';
const QUANTITY_FORM = "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'";

const kept = new Map(Object.entries(zeroIsKept).map(([type, fields]) => [type, new Set(fields)]));
/** The types of which is known what is kept; of others everything is. */
const isKnown = (type: string) => type.startsWith('io.k8s.api.') || type.startsWith('io.k8s.apimachinery.');

/** The object as the server understands it. Throws a 400 for what it cannot. */
export function decode(object: JsonObject, schemaName: string, named: Named): JsonObject {
  const refuse = (why: string) =>
    badRequest(`${named.kind} in version "${named.version}" cannot be handled as a ${named.kind}: ${why}`);
  return (visit(object, { $ref: schemaName }, { struct: named.kind, path: '', isResource: false }) ?? {}) as JsonObject;

  function visit(value: Json, at: RawSchema, place: Place): Json | undefined {
    if (value === null) return undefined;
    if (at.$ref === QUANTITY) return quantity(value, place);
    if (at.$ref === INT_OR_STRING) {
      if (typeof value === 'string' || Number.isInteger(value)) return value;
      throw mismatch(value, 'intstr.IntOrString', place);
    }
    const schema = at.$ref === undefined ? at : (schemas[at.$ref] ?? {});
    if (schema.properties) return struct(value, schema, at.$ref ?? '', place);
    if (schema.items) {
      if (!Array.isArray(value)) throw mismatch(value, goType(at), place);
      const { items } = schema;
      return value.map((item) => visit(item, items, place) ?? emptyOf(items));
    }
    if (typeof schema.additionalProperties === 'object') return map(value, schema.additionalProperties, at, place);
    if (isScalar(schema) && !fits(value, schema)) throw mismatch(value, goType(at), place);
    return structuredClone(value);
  }

  function struct(value: Json, schema: RawSchema, type: string, place: Place): JsonObject {
    if (!isObject(value)) throw mismatch(value, goType({ $ref: type }), place);
    const result: JsonObject = {};
    for (const [name, child] of Object.entries(value)) {
      const property = schema.properties?.[name];
      if (!property) {
        result[name] = structuredClone(child);
        continue;
      }
      const path = place.path === '' ? name : `${place.path}.${name}`;
      const decoded = visit(child, property, { struct: shortName(type), path, isResource: RESOURCE_LISTS.has(name) });
      if (decoded === undefined) continue;
      const isZero = decoded === '' || decoded === 0 || decoded === false || isEmptyCollection(decoded, property);
      const stays =
        !isKnown(type) ||
        property.default !== undefined ||
        schema.required?.includes(name) ||
        kept.get(type)?.has(name);
      if (!isZero || stays) result[name] = decoded;
    }
    for (const name of nullTimes[type] ?? []) result[name] ??= null;
    return result;
  }

  function map(value: Json, values: RawSchema, at: RawSchema, place: Place): JsonObject {
    if (!isObject(value)) throw mismatch(value, goType(at), place);
    const entries = Object.entries(value).map(([key, item]) => [key, visit(item, values, place) ?? emptyOf(values)]);
    return Object.fromEntries(entries) as JsonObject;
  }

  function quantity(value: Json, place: Place): string {
    if (typeof value !== 'string' && typeof value !== 'number') throw refuse(QUANTITY_FORM);
    try {
      return place.isResource ? servedResource(value) : servedQuantity(value);
    } catch {
      throw refuse(QUANTITY_FORM);
    }
  }

  function mismatch(value: Json, wanted: string, { struct: owner, path }: Place) {
    return refuse(`json: cannot unmarshal ${jsonType(value)} into Go struct field ${owner}.${path} of type ${wanted}`);
  }
}

interface Place {
  readonly struct: string;
  readonly path: string;
  /** Lists of resources are rounded up to thousandths. */
  readonly isResource: boolean;
}

const RESOURCE_LISTS = new Set(['requests', 'limits', 'capacity', 'allocatable', 'hard', 'used', 'overhead']);

const isObject = (value: Json): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
const shortName = (type: string) => type.slice(type.lastIndexOf('.') + 1);
const isScalar = ({ type }: RawSchema) =>
  type !== undefined && ['string', 'integer', 'number', 'boolean'].includes(type);

function fits(value: Json, { type }: RawSchema): boolean {
  if (type === 'integer') return Number.isInteger(value);
  return typeof value === type;
}

function isEmptyCollection(value: Json, at: RawSchema): boolean {
  if (Array.isArray(value)) return value.length === 0;
  // An object with fields of its own is a choice even when it is empty (`emptyDir: {}`); an empty map is nothing.
  return typeof at.additionalProperties === 'object' && isObject(value) && Object.keys(value).length === 0;
}

function emptyOf(at: RawSchema): Json {
  const schema = at.$ref === undefined ? at : (schemas[at.$ref] ?? {});
  if (at.$ref === QUANTITY) return '0';
  if (schema.type === 'string') return '';
  if (schema.type === 'integer' || schema.type === 'number') return 0;
  if (schema.type === 'boolean') return false;
  return schema.type === 'array' ? [] : {};
}

function goType(at: RawSchema): string {
  if (at.$ref !== undefined) return `v1.${shortName(at.$ref)}`;
  if (at.items) return `[]${goType(at.items)}`;
  if (typeof at.additionalProperties === 'object') return `map[string]${goType(at.additionalProperties)}`;
  if (at.type === 'boolean') return 'bool';
  if (at.type === 'integer') return at.format ?? 'int64';
  return at.type === 'number' ? 'float64' : 'string';
}

function jsonType(value: Json): string {
  if (Array.isArray(value)) return 'array';
  return typeof value === 'boolean' ? 'bool' : typeof value;
}
