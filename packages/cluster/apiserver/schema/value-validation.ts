/**
 * The OpenAPI part of a schema: types, formats, bounds, required fields, allOf/anyOf/oneOf/not. The messages, their fields
 * and which alternative's errors are shown are those of the real server, oddities included.
 */

import { type Checker, checkerOf } from './checker.ts';
import { isSame, oldField, oldItems } from './correlation.ts';
import { invalid, NO_FIELD, notSupported, required, tooLong, tooMany, typeInvalid } from './field-errors.ts';
import { formatJson, formatNumber, quote } from './go-format.ts';
import type { FieldError, Json, JsonObject, Structural } from './structural.ts';

/**
 * `matched` counts what was right: of several failed alternatives, the one with most of it explains the failure.
 * The path is kept as a stack, and only joined when there is something to say.
 */
interface Run {
  readonly path: string[];
  errors: FieldError[];
  matched: number;
}

export function validateValues(value: Json, schema: Structural, old: Json | undefined): FieldError[] {
  const run: Run = { path: [], errors: [], matched: 0 };
  visit(run, checkerOf(schema), value, old);
  return run.errors.length > 1 ? unique(run.errors) : run.errors;
}

/** What was wrong before and did not change stays allowed: a schema may become stricter than what is stored. */
function visit(run: Run, checker: Checker, value: Json, old: Json | undefined): void {
  const before = run.errors.length;
  check(run, checker, value, old);
  if (old !== undefined && run.errors.length > before && isSame(value, old)) run.errors.length = before;
}

function check(run: Run, checker: Checker, value: Json, old: Json | undefined): void {
  if (checker.types.length > 0 || checker.format !== undefined) {
    if (checkType(run, checker, value)) run.matched++;
    if (value !== null) run.matched++;
  }
  if (value === null) {
    checkEnum(run, checker, value);
    return;
  }
  if (checker.hasAlternatives) checkAlternatives(run, checker, value, old);
  run.matched += 4;
  if (typeof value === 'string') checkString(run, checker, value);
  else if (typeof value === 'number') checkNumber(run, checker, value);
  else if (Array.isArray(value)) checkList(run, checker, value, old);
  if (checker.schema.enum !== undefined) checkEnum(run, checker, value);
  if (typeof value === 'object' && !Array.isArray(value)) checkObject(run, checker, value, old);
}

const pathOf = ({ path }: Run) => path.join('').replace(/^\./, '');

function fail(run: Run, value: Json, why: string): void {
  const path = pathOf(run);
  run.errors.push(invalid(path, value, `${path} in body ${why}`));
}

function failAnywhere(run: Run, why: string): void {
  run.errors.push(invalid(NO_FIELD, '', why));
}

function failType(run: Run, expected: string, actual: string): false {
  const path = pathOf(run);
  run.errors.push(typeInvalid(path, actual, `${path} in body must be of type ${expected}: ${quote(actual)}`));
  return false;
}

const MAX_INT64 = 2 ** 63;
const isInt64 = (value: number) => Number.isInteger(value) && Math.abs(value) <= MAX_INT64;

function typeOf(value: Json): [type: string, format: string] {
  if (value === null) return ['null', ''];
  if (Array.isArray(value)) return ['array', ''];
  if (typeof value === 'number') return isInt64(value) ? ['integer', 'int64'] : ['number', 'float64'];
  return [typeof value, ''];
}

function checkType(run: Run, { types, format, schema }: Checker, value: Json): boolean {
  if (value === null) {
    return types.length === 0 || schema.nullable === true || failType(run, types.join(','), 'null');
  }
  const [type, nativeFormat] = typeOf(value);
  const fits =
    types.includes(type) ||
    (type === 'integer' && types.includes('number')) ||
    (type === 'number' && types.includes('integer') && Number.isSafeInteger(value));
  const isTextOrList = typeof value === 'string' || Array.isArray(value);
  if (format !== undefined) {
    if (!isTextOrList && !fits && nativeFormat !== format) return failType(run, format, nativeFormat);
    // A format hides the type of texts and lists, unless numbers are wanted.
    if (isTextOrList && !types.includes('number') && !types.includes('integer')) return true;
  }
  return fits || types.length === 0 || failType(run, types.join(','), type);
}

function checkString(run: Run, { schema, pattern, formatCheck, format }: Checker, value: string): void {
  run.matched++;
  const { minLength, maxLength } = schema;
  if (maxLength !== undefined && value.length > maxLength && codePoints(value) > maxLength) {
    run.errors.push(tooLong(pathOf(run), maxLength));
  } else if (minLength !== undefined && codePoints(value) < minLength) {
    fail(run, value, `should be at least ${minLength} chars long`);
  } else if (pattern && !pattern.matcher(value).find()) {
    fail(run, value, `should match '${schema.pattern}'`);
  }
  if (formatCheck === undefined) return;
  run.matched++;
  if (!formatCheck(value)) failType(run, format ?? '', value);
}

function codePoints(text: string): number {
  let count = 0;
  for (const _ of text) count++;
  return count;
}

function checkNumber(run: Run, { schema, types, format }: Checker, value: number): void {
  run.matched += 2;
  const { multipleOf, minimum, maximum, exclusiveMinimum, exclusiveMaximum } = schema;
  const type = types.length === 1 ? types[0] : undefined;
  if (
    type === 'integer' &&
    format === 'int32' &&
    (value > 2 ** 31 - 1 || value < -(2 ** 31) || !Number.isInteger(value))
  )
    failAnywhere(run, `Checked value must be of type integer with format int32 in ${pathOf(run)}`);
  else if (type === 'integer' && !isInt64(value))
    failAnywhere(
      run,
      `Checked value must be of type integer ${format ? `with format ${format}` : '(default format)'} in ${pathOf(run)}`,
    );
  // Whole numbers are compared with whole bounds.
  const bound = isInt64(value) ? Math.trunc : (limit: number) => limit;
  if (multipleOf !== undefined && !isMultiple(value, multipleOf))
    fail(run, value, `should be a multiple of ${formatNumber(bound(multipleOf))}`);
  if (minimum !== undefined) {
    const limit = bound(minimum);
    if (exclusiveMinimum ? value <= limit : value < limit)
      fail(run, value, `should be greater than ${exclusiveMinimum ? '' : 'or equal to '}${formatNumber(limit)}`);
  }
  if (maximum !== undefined) {
    const limit = bound(maximum);
    if (exclusiveMaximum ? value >= limit : value > limit)
      fail(run, value, `should be less than ${exclusiveMaximum ? '' : 'or equal to '}${formatNumber(limit)}`);
  }
}

function isMultiple(value: number, factor: number): boolean {
  if (isInt64(value)) return Math.trunc(factor) !== 0 && value % Math.trunc(factor) === 0;
  const quotient = factor < 1 ? (1 / factor) * value : value / factor;
  return Math.abs(quotient - Math.round(quotient)) <= 1e-9 * Math.max(1, Math.abs(quotient));
}

function checkEnum(run: Run, { schema, allowed }: Checker, value: Json): void {
  if (schema.enum === undefined || schema.enum.length === 0) return;
  if (value !== null && (typeof value === 'object' ? allowed.has(formatJson(value)) : allowed.has(value))) return;
  const names = schema.enum.map((one) => (typeof one === 'string' ? one : formatJson(one as Json)));
  run.errors.push(notSupported(pathOf(run), value, names));
}

function checkList(run: Run, checker: Checker, value: Json[], old: Json | undefined): void {
  run.matched += 2;
  const { items, schema } = checker;
  if (items) {
    const oldItem = old === undefined ? undefined : oldItems(old, schema);
    for (let index = 0; index < value.length; index++) {
      const item = value[index] as Json;
      run.path.push(`[${index}]`);
      visit(run, items, item, oldItem?.(item));
      run.path.pop();
    }
  }
  const { minItems, maxItems, uniqueItems } = schema;
  if (minItems !== undefined && value.length < minItems)
    fail(run, value.length, `should have at least ${minItems} items`);
  if (maxItems !== undefined && value.length > maxItems) run.errors.push(tooMany(pathOf(run), value.length, maxItems));
  if (uniqueItems && new Set(value.map(formatJson)).size < value.length) fail(run, '', "shouldn't contain duplicates");
}

function checkObject(run: Run, checker: Checker, value: JsonObject, old: Json | undefined): void {
  run.matched++;
  const { properties, additionalProperties, schema } = checker;
  const { minProperties, maxProperties } = schema;
  const names = Object.keys(value);
  if (minProperties !== undefined && names.length < minProperties)
    fail(run, names.length, `should have at least ${minProperties} properties`);
  if (maxProperties !== undefined && names.length > maxProperties)
    run.errors.push(tooMany(pathOf(run), names.length, maxProperties));
  for (const name of names) {
    const below = properties.get(name) ?? additionalProperties;
    if (below === undefined) {
      if (schema.additionalProperties === false) {
        const path = pathOf(run);
        run.errors.push(invalid(path, name, `${path}.${name} in body is a forbidden property`));
      }
      continue;
    }
    run.path.push(`.${name}`);
    visit(run, below, value[name] as Json, old === undefined ? undefined : oldField(old, name));
    run.path.pop();
  }
  for (const name of schema.required ?? []) {
    if (Object.hasOwn(value, name)) continue;
    run.path.push(`.${name}`);
    run.errors.push(required(pathOf(run)));
    run.path.pop();
  }
}

/** Runs an alternative on its own: its errors and its count belong to whoever picks it. */
function attempt(run: Run, checker: Checker, value: Json, old: Json | undefined): Run {
  const own: Run = { path: run.path, errors: [], matched: 0 };
  check(own, checker, value, old);
  return own;
}

function take(run: Run, taken: Run | undefined): void {
  if (!taken) return;
  run.errors.push(...taken.errors);
  run.matched += taken.matched;
}

/** The first of those that matched most. */
function closest(failed: readonly Run[]): Run | undefined {
  return failed.reduce<Run | undefined>((best, one) => (best && best.matched >= one.matched ? best : one), undefined);
}

function checkAlternatives(run: Run, { anyOf, oneOf, allOf, not }: Checker, value: Json, old: Json | undefined): void {
  const here = () => quote(pathOf(run));
  if (anyOf.length > 0) {
    const failed: Run[] = [];
    let first: Run | undefined;
    for (const one of anyOf) {
      const tried = attempt(run, one, value, old);
      if (tried.errors.length === 0) {
        first = tried;
        break;
      }
      failed.push(tried);
    }
    if (!first) failAnywhere(run, `${here()} must validate at least one schema (anyOf)`);
    take(run, first ?? closest(failed));
  }
  if (oneOf.length > 0) {
    const tried = oneOf.map((one) => attempt(run, one, value, old));
    const valid = tried.filter(({ errors }) => errors.length === 0);
    if (valid.length === 1) take(run, valid[0]);
    else {
      const found = valid.length === 0 ? 'Found none valid' : `Found ${valid.length} valid alternatives`;
      failAnywhere(run, `${here()} must validate one and only one schema (oneOf). ${found}`);
      // A failure after a success is remembered as little as one before it.
      if (valid.length === 0) take(run, closest(tried));
    }
  }
  if (allOf.length > 0) {
    const tried = allOf.map((one) => attempt(run, one, value, old));
    for (const one of tried) take(run, one);
    const valid = tried.filter(({ errors }) => errors.length === 0).length;
    if (valid < allOf.length)
      failAnywhere(run, `${here()} must validate all the schemas (allOf)${valid === 0 ? '. None validated' : ''}`);
  }
  if (not && attempt(run, not, value, old).errors.length === 0)
    failAnywhere(run, `${here()} must not validate the schema (not)`);
}

function unique(errors: readonly FieldError[]): FieldError[] {
  const seen = new Set<string>();
  return errors.filter(({ field, message }) => {
    const text = `${field}\n${message}`;
    return !seen.has(text) && seen.add(text);
  });
}
