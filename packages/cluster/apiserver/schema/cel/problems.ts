/** What the evaluator says, said as the real compiler and evaluator say it. */
import { BUDGET_MESSAGE } from './budget.ts';
import { original } from './library/strings.ts';
import { CelProblem } from './problem.ts';

interface Told {
  readonly code?: string;
  readonly summary?: string;
  readonly message: string;
  readonly range?: { readonly start: number };
  readonly node?: { readonly op?: string; readonly pos?: number; readonly args?: unknown };
}

/** `ERROR: <input>:1:5: undefined field 'x'`, with the line and a mark below the place. */
export function compileProblem(error: unknown, expression: string): CelProblem {
  if (error instanceof CelProblem) return error;
  const told = error as Told;
  const position = positionOf(told, expression);
  const before = expression.slice(0, position).split('\n');
  const column = before.at(-1)?.length ?? 0;
  const line = expression.split('\n')[before.length - 1] ?? '';
  return new CelProblem(
    `ERROR: <input>:${before.length}:${column + 1}: ${wordsOf(told)}\n | ${line}\n | ${'.'.repeat(column)}^`,
  );
}

function wordsOf({ code, summary, message }: Told): string {
  const text = original(summary ?? message);
  switch (code) {
    case 'no_such_key':
      return text.replace(/^No such key: (.*)$/s, "undefined field '$1'");
    case 'unknown_variable':
      return text.replace(/^Unknown variable: (.*)$/s, "undeclared reference to '$1' (in container '')");
    case 'no_such_overload':
      return text.replace(
        /^no such overload: (.+) (==|!=|in|\+|-|\*|\/|%|<=?|>=?) (.+)$/s,
        (_, left: string, operator: string, right: string) =>
          `found no matching overload for '${operator === 'in' ? '@in' : `_${operator}_`}' applied to '(${typeName(left)}, ${typeName(right)})'`,
      );
    case 'no_matching_overload':
      return text
        .replace(
          /^found no matching overload for '([^']*?)\.(\w+)\((.*)\)'$/s,
          (_, receiver: string, name: string, args: string) =>
            `found no matching overload for '${name}' applied to '${typeName(receiver)}.(${args})'`,
        )
        .replace(
          /^found no matching overload for '(\w+)\((.*)\)'$/s,
          (_, name: string, args: string) => `found no matching overload for '${name}' applied to '(${args})'`,
        );
    default:
      return code?.includes('token') ? `Syntax error: ${text}` : text;
  }
}

const typeName = (name: string) => name.replace(/^list<(.*)>$/, 'list($1)').replace(/^map<(.*)>$/, 'map($1)');

/** Marks stand where the real compiler puts them: at the dot, at the operator, at the opening parenthesis. */
function positionOf({ node, range, code }: Told, expression: string): number {
  const start = node?.pos ?? range?.start ?? 0;
  if (code === 'no_such_key') return Math.max(0, expression.lastIndexOf('.', start));
  if (code === 'no_matching_overload') {
    const name = String((node?.args as unknown[] | undefined)?.[0] ?? '');
    const called = expression.indexOf(`${original(name)}(`, range?.start ?? 0);
    return called < 0 ? start : called + original(name).length;
  }
  if (code === 'no_such_overload' && Array.isArray(node?.args)) {
    const { end = start } = (node.args[0] ?? {}) as { end?: number };
    return Math.max(start, expression.indexOf(node.op ?? '', end));
  }
  return start;
}

/** The detail of a failed evaluation. */
export function runtimeProblem(error: unknown, rule: string): string {
  const told = error as Told;
  const text = error instanceof CelProblem || told.message === BUDGET_MESSAGE ? told.message : evaluationWords(told);
  if (text === BUDGET_MESSAGE)
    return `'${text}': no further validation rules will be run due to call cost exceeds limit for rule: ${rule}`;
  if (text.startsWith('no such overload'))
    return `'${text}': call arguments did not match a supported operator, function or macro signature for rule: ${rule}`;
  return `${text} evaluating rule: ${rule}`;
}

function evaluationWords({ code, summary, message }: Told): string {
  const text = original(summary ?? message);
  switch (code) {
    case 'no_such_key':
      return text.replace('No such key', 'no such key');
    case 'index_out_of_bounds':
      return text.replace(/^.*index (-?\d+) .*$/s, 'index out of bounds: $1');
    case 'numeric_overflow':
      return 'integer overflow';
    case 'int_conversion_error':
    case 'uint_conversion_error':
    case 'double_conversion_error':
    case 'bool_conversion_error':
      return `type conversion error from 'string' to '${code.replace('_conversion_error', '')}'`;
    case 'invalid_duration':
      return "type conversion error from 'string' to 'google.protobuf.Duration'";
    case 'invalid_timestamp':
      return "type conversion error from 'string' to 'google.protobuf.Timestamp'";
    case 'modulo_by_zero':
      return 'modulus by zero';
    case 'no_such_overload':
    case 'no_matching_overload':
      return 'no such overload';
    case 'optional_value_missing':
      return 'optional.none() dereference';
    default:
      return text;
  }
}
