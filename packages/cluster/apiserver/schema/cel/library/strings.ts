/** Texts, by code points, and regular expressions, by RE2. */
import type { Environment } from '@marcbachmann/cel-js';
import { quote } from '../../go-format.ts';
import { type Expression, regularExpression } from '../../regular-expression.ts';
import { spendOn } from '../budget.ts';
import { CelProblem } from '../problem.ts';
import { formatText } from './format-text.ts';

/**
 * The language's own functions that count in UTF-16 units or match with JavaScript's expressions. Calls of them are renamed
 * before a rule is checked; see `program.ts`.
 */
export const REPLACED = new Set(
  'charAt indexOf lastIndexOf lowerAscii upperAscii matches split substring replace trim'.split(' '),
);
export const replacement = (name: string) => `${name}_k8s`;
export const original = (text: string) => text.replace(/\b(\w+)_k8s\b/g, '$1');

const ASCII_UPPER = /[A-Z]+/g;
const ASCII_LOWER = /[a-z]+/g;

export function registerStrings(env: Environment): void {
  const on = (name: string, rest: string, handler: (...args: never[]) => unknown) =>
    env.registerFunction(`string.${REPLACED.has(name) ? replacement(name) : name}${rest}`, handler);

  on('charAt', '(int): string', (text: string, index: bigint) => {
    const runes = Array.from(text);
    if (index < 0n || index > runes.length) throw new CelProblem(`index out of range: ${index}`);
    return runes[Number(index)] ?? '';
  });
  on('indexOf', '(string): int', (text: string, part: string) => indexOf(text, part, 0n));
  on('indexOf', '(string, int): int', indexOf);
  on('lastIndexOf', '(string): int', (text: string, part: string) => lastIndexOf(text, part));
  on('lastIndexOf', '(string, int): int', lastIndexOf);
  on('lowerAscii', '(): string', (text: string) => text.replace(ASCII_UPPER, (part) => part.toLowerCase()));
  on('upperAscii', '(): string', (text: string) => text.replace(ASCII_LOWER, (part) => part.toUpperCase()));
  on('trim', '(): string', (text: string) => text.trim());
  on('substring', '(int): string', (text: string, from: bigint) => substring(text, from));
  on('substring', '(int, int): string', substring);
  on('replace', '(string, string): string', (text: string, from: string, to: string) => replace(text, from, to, -1n));
  on('replace', '(string, string, int): string', replace);
  on('split', '(string): list<string>', (text: string, by: string) => split(text, by, -1n));
  on('split', '(string, int): list<string>', split);
  on('format', '(list): string', (text: string, args: unknown[]) => formatText(text, [...args]));

  on('matches', '(string): bool', matches);
  env.registerFunction(`${replacement('matches')}(string, string): bool`, matches);
  on('find', '(string): string', (text: string, pattern: string) => {
    const matcher = expression(pattern, text).matcher(text);
    return matcher.find() ? (matcher.group() ?? '') : '';
  });
  on('findAll', '(string): list<string>', (text: string, pattern: string) => findAll(text, pattern, -1n));
  on('findAll', '(string, int): list<string>', findAll);

  class StringsNamespace {}
  env.registerType('StringsNamespace', StringsNamespace);
  env.registerConstant('strings', 'StringsNamespace', new StringsNamespace());
  env.registerFunction('StringsNamespace.quote(string): string', (_: unknown, text: string) => quote(text));
}

function expression(pattern: string, text: string): Expression {
  spendOn(text, pattern);
  try {
    return regularExpression(pattern);
  } catch (error) {
    throw new CelProblem(`Illegal regex: ${(error as Error).message}`);
  }
}

function matches(text: string, pattern: string): boolean {
  spendOn(text, pattern);
  try {
    return regularExpression(pattern).matcher(text).find();
  } catch (error) {
    throw new CelProblem((error as Error).message);
  }
}

function findAll(text: string, pattern: string, limit: bigint): string[] {
  const matcher = expression(pattern, text).matcher(text);
  const found: string[] = [];
  while ((limit < 0n || found.length < limit) && matcher.find()) found.push(matcher.group() ?? '');
  return found;
}

function indexOf(text: string, part: string, from: bigint): bigint {
  spendOn(text);
  const runes = Array.from(text);
  if (from < 0n || (from > runes.length && part !== '')) throw new CelProblem(`index out of range: ${from}`);
  if (part === '') return from > runes.length ? -1n : from;
  const before = runes.slice(0, Number(from)).join('').length;
  const found = text.indexOf(part, before);
  return found < 0 ? -1n : BigInt(Array.from(text.slice(0, found)).length);
}

function lastIndexOf(text: string, part: string, from?: bigint): bigint {
  spendOn(text);
  const runes = Array.from(text);
  if (from !== undefined && (from < 0n || from > runes.length)) throw new CelProblem(`index out of range: ${from}`);
  if (part === '') return from ?? BigInt(runes.length);
  const last = from === undefined ? undefined : runes.slice(0, Number(from)).join('').length;
  const found = text.lastIndexOf(part, last);
  return found < 0 ? -1n : BigInt(Array.from(text.slice(0, found)).length);
}

function substring(text: string, from: bigint, to?: bigint): string {
  const runes = Array.from(text);
  const end = to ?? BigInt(runes.length);
  if (to !== undefined && from > to) throw new CelProblem(`invalid substring range. start: ${from}, end: ${to}`);
  if (from < 0n || from > runes.length) throw new CelProblem(`index out of range: ${from}`);
  if (end < 0n || end > runes.length) throw new CelProblem(`index out of range: ${end}`);
  return runes.slice(Number(from), Number(end)).join('');
}

function replace(text: string, from: string, to: string, limit: bigint): string {
  spendOn(text, to);
  if (limit < 0n) return text.replaceAll(from, () => to);
  const parts = from === '' ? Array.from(text) : text.split(from);
  if (from === '') parts.unshift('');
  const times = Math.min(Number(limit), parts.length - 1);
  const joined = parts.slice(0, times + 1).join(to);
  return [joined, ...parts.slice(times + 1)].join(from);
}

function split(text: string, by: string, limit: bigint): string[] {
  spendOn(text);
  if (limit === 0n) return [];
  const parts = by === '' ? Array.from(text) : text.split(by);
  if (limit < 0n || parts.length <= limit) return parts;
  const head = parts.slice(0, Number(limit) - 1);
  return [...head, parts.slice(Number(limit) - 1).join(by)];
}
