import type { ObjectOf } from '@sandbank/kube';
import { Ajv, type AnySchemaObject, type ErrorObject, type SchemaValidateFunction, type ValidateFunction } from 'ajv';
import addFormats from 'ajv-formats';
import { type JsonSchema, schemaOf } from './crd.ts';
import { withDefaults } from './defaults.ts';
import type { ApiKind, InputOf } from './kind.ts';

export interface Problem {
  /** `spec.capacitySpec.poolMax`, `spec.runtimes[0].name`: the form in which the API server names a field. */
  readonly field: string;
  readonly message: string;
}

/**
 * What is wrong with an object, before it goes to the API server: types, bounds, enums, patterns, required fields and
 * list keys, after defaults were filled in. CEL rules are left to the API server, and so is metadata.
 */
export function validate<K extends ApiKind>(kind: K, object: InputOf<K> | ObjectOf<K>): Problem[] {
  const check = checkOf(kind);
  const whole = withDefaults(kind, object as InputOf<K>);
  if (check(whole)) return [];
  // What failed inside an anyOf is said once, by the anyOf: only int-or-string uses it.
  const errors = (check.errors ?? []).filter(({ schemaPath }) => !schemaPath.includes('/anyOf/'));
  return errors.map((error) => problem(error, whole));
}

const checks = new WeakMap<ApiKind, ValidateFunction>();

function checkOf(kind: ApiKind): ValidateFunction {
  const known = checks.get(kind);
  if (known) return known;
  const check = checker().compile(schemaOf(kind));
  checks.set(kind, check);
  return check;
}

function checker(): Ajv {
  const ajv = new Ajv({ allErrors: true, strict: false });
  addFormats.default(ajv, ['date-time']);
  const between = (low: number, high: number) => ({
    type: 'number' as const,
    validate: (n: number) => n >= low && n <= high,
  });
  ajv.addFormat('int32', between(-(2 ** 31), 2 ** 31 - 1));
  // The bounds of int64 are beyond what JSON numbers say exactly; what rounds to them is let through.
  ajv.addFormat('int64', between(-(2 ** 63), 2 ** 63));
  ajv.addKeyword({ keyword: 'x-kubernetes-list-type', type: 'array', errors: true, validate: distinct });
  return ajv;
}

/** No two entries of a set are equal, and no two of a list map have the same key. */
const distinct: SchemaValidateFunction = (
  listType: string,
  entries: readonly unknown[],
  parent?: AnySchemaObject,
  context?: { instancePath: string },
): boolean => {
  if (listType === 'atomic') return true;
  const keys = (parent as JsonSchema | undefined)?.['x-kubernetes-list-map-keys'];
  const identity = (entry: unknown) =>
    JSON.stringify(keys ? keys.map((key) => (entry as Record<string, unknown> | null)?.[key]) : entry);
  const seen = new Set<string>();
  const errors: Partial<ErrorObject>[] = [];
  entries.forEach((entry, index) => {
    const id = identity(entry);
    if (seen.has(id)) {
      const instancePath = `${context?.instancePath ?? ''}/${index}`;
      errors.push({ keyword: 'x-kubernetes-list-type', instancePath, message: 'is there already', params: {} });
    }
    seen.add(id);
  });
  distinct.errors = errors;
  return errors.length === 0;
};

function problem(error: ErrorObject, whole: unknown): Problem {
  const path = fieldName(error.instancePath, whole);
  if (error.keyword !== 'required') return { field: path, message: describe(error) };
  const { missingProperty } = error.params;
  return { field: path ? `${path}.${missingProperty}` : missingProperty, message: 'is required' };
}

/** From a JSON pointer. Only the value tells the third entry of a list from the key `3` of a map. */
function fieldName(pointer: string, whole: unknown): string {
  let name = '';
  let value = whole;
  for (const part of pointer.split('/').slice(1)) {
    const key = part.replaceAll('~1', '/').replaceAll('~0', '~');
    name += Array.isArray(value) ? `[${key}]` : `.${key}`;
    value = (value as Record<string, unknown>)[key];
  }
  return name.slice(1);
}

function describe({ keyword, params, message = 'is wrong' }: ErrorObject): string {
  if (keyword === 'enum') return `must be one of ${(params['allowedValues'] as string[]).join(', ')}`;
  if (keyword === 'anyOf') return 'must be an integer or a string';
  return message;
}
