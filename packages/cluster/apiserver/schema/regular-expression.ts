/**
 * Patterns are RE2's, as in the real server: the same syntax, the same complaints, and time linear in the text, whatever
 * the pattern. JavaScript's own engine has another syntax and can be made to backtrack for hours by a caller's pattern.
 */
import { RE2JS } from 're2js';

export type Expression = RE2JS;

const LIMIT = 1_000;
const compiled = new Map<string, RE2JS>();

/** Throws, in RE2's words, for what is not a pattern. The most recent ones are kept. */
export function regularExpression(pattern: string): Expression {
  const known = compiled.get(pattern);
  if (known) return known;
  const expression = RE2JS.compile(pattern);
  if (compiled.size >= LIMIT) compiled.delete(compiled.keys().next().value ?? '');
  compiled.set(pattern, expression);
  return expression;
}

export function matches(pattern: string, text: string): boolean {
  return regularExpression(pattern).matcher(text).find();
}

/** What is wrong with a pattern, if anything. */
export function patternProblem(pattern: string): string | undefined {
  try {
    regularExpression(pattern);
    return undefined;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}
