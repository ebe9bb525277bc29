/** The CEL type of a schema, and how its values become CEL values. */
import type { Environment } from '@marcbachmann/cel-js';
import { Duration } from '@marcbachmann/cel-js/evaluator';
import { isObject } from '../correlation.ts';
import type { Json, JsonObject, Structural } from '../structural.ts';
import { parseDuration } from './duration.ts';
import { celName } from './names.ts';
import { CelObject } from './object.ts';

export interface CelType {
  readonly name: string;
  /** Of a value that fits the schema. */
  convert(value: Json): unknown;
}

const scalar = (name: string): CelType => ({ name, convert: (value) => value });
const TEXT = scalar('string');
const BOOLEAN = scalar('bool');
const INTEGER: CelType = { name: 'int', convert: (value) => (typeof value === 'number' ? BigInt(value) : value) };
const NUMBER = scalar('double');
const BYTES: CelType = { name: 'bytes', convert: (value) => Buffer.from(String(value), 'base64') };
const DURATION: CelType = {
  name: 'google.protobuf.Duration',
  convert: (value) => {
    const nanos = parseDuration(String(value)) ?? 0n;
    return new Duration(nanos / 1_000_000_000n, Number(nanos % 1_000_000_000n));
  },
};
const TIMESTAMP: CelType = { name: 'google.protobuf.Timestamp', convert: (value) => new Date(String(value)) };
const INT_OR_STRING: CelType = { name: 'dyn', convert: INTEGER.convert };
const BY_FORMAT: Readonly<Record<string, CelType>> = {
  byte: BYTES,
  duration: DURATION,
  date: TIMESTAMP,
  'date-time': TIMESTAMP,
};

/** Of a resource, rules see what it is and what it is called; labels and the rest are nobody's shape. */
const RESOURCE: Structural = {
  properties: {
    apiVersion: { type: 'string' },
    kind: { type: 'string' },
    metadata: { type: 'object', properties: { name: { type: 'string' }, generateName: { type: 'string' } } },
  },
};

/** Declares the types of one schema tree in an environment. Undefined is the type of what rules cannot see. */
export class TypeTable {
  readonly #environment: Environment;
  readonly #types = new Map<Structural, CelType | undefined>();
  #count = 0;

  constructor(environment: Environment) {
    this.#environment = environment;
  }

  typeOf(schema: Structural, isResource: boolean): CelType | undefined {
    if (this.#types.has(schema)) return this.#types.get(schema);
    const type = this.#declare(schema, isResource);
    this.#types.set(schema, type);
    return type;
  }

  #declare(schema: Structural, isResource: boolean): CelType | undefined {
    if (schema['x-kubernetes-int-or-string'] === true) return INT_OR_STRING;
    switch (schema.type) {
      case 'string':
        return BY_FORMAT[schema.format ?? ''] ?? TEXT;
      case 'boolean':
        return BOOLEAN;
      case 'integer':
        return INTEGER;
      case 'number':
        return NUMBER;
      case 'array':
        return this.#list(schema);
      case 'object':
        return typeof schema.additionalProperties === 'object'
          ? this.#map(schema.additionalProperties)
          : this.#object(isResource ? withResource(schema) : schema);
      default:
        return undefined;
    }
  }

  #nested(schema: Structural): CelType | undefined {
    return this.typeOf(schema, schema['x-kubernetes-embedded-resource'] === true);
  }

  #list({ items, 'x-kubernetes-list-type': listType }: Structural): CelType | undefined {
    const item = items && orNull(this.#nested(items), items);
    if (!item) return undefined;
    const convert = (value: Json) => (Array.isArray(value) ? value.map(item.convert) : value);
    // Sets are compared without regard to order.
    return {
      name: `list<${item.name}>`,
      convert: listType === 'set' ? (value) => new Set(convert(value) as unknown[]) : convert,
    };
  }

  #map(values: Structural): CelType | undefined {
    const type = orNull(this.#nested(values), values);
    if (!type) return undefined;
    return {
      name: `map<string, ${type.name}>`,
      convert: (value) =>
        isObject(value) ? new Map(Object.keys(value).map((key) => [key, type.convert(value[key] ?? null)])) : value,
    };
  }

  #object({ properties = {} }: Structural): CelType {
    const fields = Object.entries(properties).flatMap(([name, property]) => {
      const type = this.#nested(property);
      const known = celName(name);
      // The evaluator tells types by `constructor`, so a field of that name stays out of sight.
      return type && known && known !== 'constructor' ? [{ name, known, type }] : [];
    });
    const name = `Self${++this.#count}`;
    const ctor = class extends CelObject {
      constructor(raw: JsonObject) {
        super(raw);
        for (const { name: field, known, type } of fields) {
          // A field that is null is as good as not there.
          if (!Object.hasOwn(raw, field) || raw[field] === null) continue;
          (this as Record<string, unknown>)[known] = type.convert(raw[field] ?? null);
        }
      }
    };
    const declared = Object.fromEntries(fields.map(({ known, type }) => [known, type.name]));
    this.#environment.registerType(name, { ctor, fields: declared });
    this.#environment.registerOperator(`${name} == ${name}`, CelObject.isSame);
    return { name, convert: (value) => (isObject(value) ? new ctor(value) : value) };
  }
}

/** In lists and maps, a null has its place; what else is there can only be known when it comes. */
function orNull(type: CelType | undefined, { nullable }: Structural): CelType | undefined {
  if (!type || nullable !== true) return type;
  return { name: 'dyn', convert: (value) => (value === null ? null : type.convert(value)) };
}

function withResource(schema: Structural): Structural {
  return { ...schema, properties: { ...schema.properties, ...RESOURCE.properties } };
}
