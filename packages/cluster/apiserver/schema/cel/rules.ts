/** The validation rules of a schema (`x-kubernetes-validations`), at every depth: compiled once, run on every write. */
import { isObject, isSame, oldField, oldItems } from '../correlation.ts';
import { duplicate, forbidden, invalid, NO_FIELD, required } from '../field-errors.ts';
import { formatJson } from '../go-format.ts';
import type { FieldError, Json, Structural, ValidationRule } from '../structural.ts';
import { isSpent, refill } from './budget.ts';
import { ruleEnvironment } from './environment.ts';
import { fieldPathOf } from './field-path.ts';
import { maybe } from './library/optional-values.ts';
import { runtimeProblem } from './problems.ts';
import { compile, type Program } from './program.ts';
import { type CelType, TypeTable } from './types.ts';

export interface Rules {
  /** What does not compile, by the path inside the schema: `.properties[spec].x-kubernetes-validations[0].rule`. */
  readonly errors: readonly FieldError[];
  validate(value: Json, old?: Json): FieldError[];
}

interface CompiledRule {
  readonly rule: ValidationRule;
  readonly program: Program;
  readonly message: Program | undefined;
  /** Relative to where the rule stands: `.spec.x`. */
  readonly fieldPath: string;
}

/** One place in the schema that has rules, or has places below that have. */
interface Place {
  readonly schema: Structural;
  readonly type: CelType | undefined;
  readonly rules: readonly CompiledRule[];
  readonly properties: ReadonlyMap<string, Place>;
  readonly additional: Place | undefined;
  readonly items: Place | undefined;
}

const cache = new WeakMap<Structural, Rules>();

export function compiledRules(schema: Structural): Rules {
  const known = cache.get(schema);
  if (known) return known;
  const rules = compileRules(schema);
  cache.set(schema, rules);
  return rules;
}

export function compileRules(schema: Structural): Rules {
  const errors: FieldError[] = [];
  const environment = ruleEnvironment().clone();
  const types = new TypeTable(environment);
  // All types are declared before the first rule is compiled: an environment is closed by its first clone.
  declare(schema, true);
  const root = placeOf(schema, true, '');
  return { errors, validate: (value, old) => (root ? run(root, value, old) : []) };

  function declare(node: Structural | boolean | undefined, isResource: boolean): void {
    if (typeof node !== 'object') return;
    if (node['x-kubernetes-validations']) types.typeOf(node, isResource);
    for (const below of [...Object.values(node.properties ?? {}), node.items, node.additionalProperties])
      declare(below, typeof below === 'object' && below['x-kubernetes-embedded-resource'] === true);
  }

  function placeOf(node: Structural, isResource: boolean, path: string): Place | undefined {
    const rules = node['x-kubernetes-validations'] ?? [];
    const type = rules.length === 0 ? undefined : types.typeOf(node, isResource);
    const compiled = rules.length === 0 ? [] : compileAll(rules, node, type, `${path}.x-kubernetes-validations`);
    const nested = (below: Structural | boolean | undefined, at: string) =>
      typeof below === 'object' ? placeOf(below, below['x-kubernetes-embedded-resource'] === true, at) : undefined;
    const properties = new Map<string, Place>();
    for (const [name, property] of Object.entries(node.properties ?? {})) {
      const place = nested(property, `${path}.properties[${name}]`);
      if (place) properties.set(name, place);
    }
    const additional = nested(node.additionalProperties, `${path}.additionalProperties`);
    const items = nested(node.items, `${path}.items`);
    const isEmpty = compiled.length + properties.size === 0 && !additional && !items;
    return isEmpty ? undefined : { schema: node, type, rules: compiled, properties, additional, items };
  }

  function compileAll(
    rules: readonly ValidationRule[],
    schema: Structural,
    type: CelType | undefined,
    path: string,
  ): CompiledRule[] {
    if (!type) {
      errors.push(invalid(path, undefined, 'failed to convert to declType for CEL validation rules'));
      return [];
    }
    const variables = (oldType: string) =>
      environment.clone().registerVariable('self', type.name).registerVariable('oldSelf', oldType);
    const plain = variables(type.name);
    const optional = variables(`optional<${type.name}>`);
    return rules.flatMap((rule, index) => {
      const at = `${path}[${index}]`;
      if (rule.rule.trim() === '') return [];
      const scope = rule.optionalOldSelf === true ? optional : plain;
      const program = attempt(scope, rule, `${at}.rule`, 'bool');
      if (!program) return [];
      const message = rule.messageExpression ? attempt(scope, rule, `${at}.messageExpression`, 'string') : undefined;
      return [{ rule, program, message, fieldPath: fieldPathOf(rule.fieldPath ?? '', schema).path ?? '' }];
    });
  }

  function attempt(
    scope: ReturnType<typeof ruleEnvironment>,
    rule: ValidationRule,
    field: string,
    wanted: 'bool' | 'string',
  ): Program | undefined {
    const isMessage = wanted === 'string';
    const expression = (isMessage ? rule.messageExpression : rule.rule) ?? '';
    try {
      const program = compile(scope, expression);
      if (program.type === wanted || program.type === 'dyn') return program;
      const why = isMessage ? 'messageExpression must evaluate to a string' : 'cel expression must evaluate to a bool';
      errors.push(ruleError(rule, field, why));
    } catch (error) {
      const what = isMessage ? 'messageExpression compilation failed' : 'compilation failed';
      errors.push(ruleError(rule, field, `${what}: ${(error as Error).message}`));
    }
    return undefined;
  }
}

/** The real server prints the whole rule, as its own type has it. */
function ruleError(rule: ValidationRule, field: string, why: string): FieldError {
  const { message = '', messageExpression = '', reason = null, fieldPath = '', optionalOldSelf = null } = rule;
  const parts: [string, Json][] = [
    ['Rule', rule.rule],
    ['Message', message],
    ['MessageExpression', messageExpression],
    ['Reason', reason],
    ['FieldPath', fieldPath],
    ['OptionalOldSelf', optionalOldSelf],
  ];
  const printed = parts.map(([name, value]) => `"${name}":${formatJson(value)}`).join(',');
  return { field, reason: 'FieldValueInvalid', message: `Invalid value: {${printed}}: ${why}` };
}

/** Where a value is compared with itself before: what fails and did not change, with all around it, is let through. */
interface Before {
  readonly value: Json | undefined;
  /** Asked only when something fails: it compares whole trees. */
  isUnchanged(): boolean;
}
const nowhere: Before = { value: undefined, isUnchanged: () => false };

function run(root: Place, value: Json, old: Json | undefined): FieldError[] {
  const errors: FieldError[] = [];
  refill();
  visit(root, value, old === undefined ? nowhere : step(nowhere, value, old), '');
  return errors;

  function visit(place: Place, here: Json, before: Before, path: string): void {
    if (here === null || isSpent()) return;
    if (place.rules.length > 0) evaluate(place, here, before, path);
    if (Array.isArray(here)) {
      if (!place.items) return;
      const oldItem = oldItems(before.value, place.schema);
      for (const [index, item] of here.entries())
        visit(place.items, item, step(before, item, oldItem(item)), `${path}[${index}]`);
    } else if (isObject(here)) {
      for (const name of Object.keys(here)) {
        const property = place.properties.get(name);
        const below = property ?? place.additional;
        if (!below) continue;
        const child = here[name] as Json;
        const childPath = property ? (path === '' ? name : `${path}.${name}`) : `${path}[${name}]`;
        visit(below, child, step(before, child, oldField(before.value, name)), childPath);
      }
    }
  }

  function evaluate({ rules, type, schema }: Place, here: Json, before: Before, path: string): void {
    const self = type?.convert(here);
    const hasOld = before.value !== undefined && before.value !== null;
    let oldSelf: unknown;
    for (const { rule, program, message, fieldPath } of rules) {
      const isOptional = rule.optionalOldSelf === true;
      if (program.usesOldSelf && !hasOld && !isOptional) continue;
      if (program.usesOldSelf && hasOld) oldSelf ??= type?.convert(before.value ?? null);
      const variables = { self, oldSelf: isOptional ? maybe(oldSelf) : oldSelf };
      const title = (rule.message ?? '').trim() || rule.rule.trim();
      const report = (error: FieldError) => {
        if (program.usesOldSelf || !before.isUnchanged()) errors.push(error);
      };
      let isFine: unknown;
      let problem: unknown;
      try {
        isFine = program.run(variables);
      } catch (error) {
        problem = error;
      }
      // A loop goes on after an error in it, so the end of the budget may come out as something else.
      if (isSpent()) problem = new Error('operation cancelled: actual cost limit exceeded');
      if (problem !== undefined) {
        errors.push(invalid(path || NO_FIELD, schema.type ?? '', runtimeProblem(problem, title)));
        if (isSpent()) return;
        continue;
      }
      if (isFine === true) continue;
      const field = (path === '' ? fieldPath.replace(/^\./, '') : path + fieldPath) || NO_FIELD;
      const detail = messageOf(message, variables) ?? (rule.message?.trim() || `failed rule: ${rule.rule.trim()}`);
      const isLarge = schema.type === 'object' || schema.type === 'array';
      report(errorFor(rule.reason, field, isLarge ? undefined : here, detail));
    }
  }
}

function step(parent: Before, child: Json, old: Json | undefined): Before {
  return {
    value: old,
    isUnchanged: () => (old === undefined ? parent.isUnchanged() : isSame(child, old)),
  };
}

const MAX_MESSAGE_BYTES = 5 * 1024;

/** A message that fails, is empty or has several lines is no message. */
function messageOf(program: Program | undefined, variables: Readonly<Record<string, unknown>>): string | undefined {
  if (!program) return undefined;
  try {
    const text = program.run(variables);
    const trimmed = typeof text === 'string' ? text.trim() : '';
    const isUsable = trimmed !== '' && !trimmed.includes('\n') && Buffer.byteLength(trimmed) <= MAX_MESSAGE_BYTES;
    return isUsable ? trimmed : undefined;
  } catch {
    return undefined;
  }
}

function errorFor(reason: string | undefined, field: string, value: Json | undefined, detail: string): FieldError {
  switch (reason) {
    case 'FieldValueForbidden':
      return forbidden(field, detail);
    case 'FieldValueRequired':
      return required(field, detail);
    case 'FieldValueDuplicate':
      return duplicate(field, value);
    default:
      return invalid(field, value, detail);
  }
}
