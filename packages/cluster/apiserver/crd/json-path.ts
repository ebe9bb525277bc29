/** The JSON paths of printer columns: `.a.b`, `.a[0]`, `.a[*].b`, `.a['b.c']`, `.conditions[?(@.type=="Ready")].status`. */
import type { Json } from '../schema/structural.ts';

type Step =
  | { readonly kind: 'name'; readonly name: string }
  | { readonly kind: 'index'; readonly index: number }
  | { readonly kind: 'all' }
  | { readonly kind: 'filter'; readonly path: JsonPath; readonly operator: string | undefined; readonly value: Json };

export type JsonPath = readonly Step[];

const TOKEN =
  /\.((?:[^.[\]\\]|\\.)+)|\[(-?\d+)\]|\[\*\]|\['((?:[^'\\]|\\.)*)'\]|\[\?\(\s*@((?:[^=!<>"')]|\\.)+?)\s*(?:(==|!=|<=|>=|<|>)\s*("(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'|true|false|-?[\d.]+)\s*)?\)\]/y;

/** Undefined for a path that cannot be read. */
export function parseJsonPath(text: string): JsonPath | undefined {
  const steps: Step[] = [];
  TOKEN.lastIndex = 0;
  while (TOKEN.lastIndex < text.length) {
    const match = TOKEN.exec(text);
    if (!match) return undefined;
    const position = TOKEN.lastIndex;
    const [whole, name, index, quoted, filter, operator, literal] = match;
    if (name !== undefined) steps.push(name === '*' ? { kind: 'all' } : { kind: 'name', name: unescaped(name) });
    else if (index !== undefined) steps.push({ kind: 'index', index: Number(index) });
    else if (quoted !== undefined) steps.push({ kind: 'name', name: unescaped(quoted) });
    else if (whole === '[*]') steps.push({ kind: 'all' });
    else {
      const path = parseJsonPath(filter?.trim() ?? '');
      if (!path) return undefined;
      steps.push({ kind: 'filter', path, operator, value: literal === undefined ? null : literalOf(literal) });
    }
    TOKEN.lastIndex = position;
  }
  return steps;
}

const unescaped = (text: string) => text.replace(/\\(.)/g, '$1');
const literalOf = (text: string): Json =>
  /^["']/.test(text) ? unescaped(text.slice(1, -1)) : (JSON.parse(text) as Json);

/** All that the path leads to. */
export function findAll(value: Json, path: JsonPath): Json[] {
  return path.reduce<Json[]>((found, step) => found.flatMap((one) => follow(one, step)), [value]);
}

function follow(value: Json, step: Step): Json[] {
  if (typeof value !== 'object' || value === null) return [];
  switch (step.kind) {
    case 'name':
      return !Array.isArray(value) && Object.hasOwn(value, step.name) ? [value[step.name] as Json] : [];
    case 'index': {
      const item = Array.isArray(value) ? value.at(step.index) : undefined;
      return item === undefined ? [] : [item];
    }
    case 'all':
      return Object.values(value);
    case 'filter':
      return Array.isArray(value) ? value.filter((item) => fits(item, step)) : [];
  }
}

function fits(item: Json, { path, operator, value }: Extract<Step, { kind: 'filter' }>): boolean {
  const [found] = findAll(item, path);
  if (found === undefined || found === null) return false;
  switch (operator) {
    case undefined:
      return true;
    case '==':
      return found === value;
    case '!=':
      return found !== value;
    default:
      return compare(found, value, operator);
  }
}

function compare(a: Json, b: Json, operator: string): boolean {
  if (typeof a !== typeof b || (typeof a !== 'number' && typeof a !== 'string')) return false;
  const order = a < (b as typeof a) ? -1 : a > (b as typeof a) ? 1 : 0;
  return operator === '<' ? order < 0 : operator === '>' ? order > 0 : operator === '<=' ? order <= 0 : order >= 0;
}

/** Paths of the scale subresource are names joined by dots. */
export function jsonPathProblem(text: string): string | undefined {
  if (!text.startsWith('.')) return 'must be a simple json path starting with .';
  return /^(\.[^.[\]]+)+$/.test(text) ? undefined : 'must be a json path in the dot notation';
}
