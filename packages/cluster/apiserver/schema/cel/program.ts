/** One expression: parsed, checked, and ready to run within the budget. */
import type { Environment } from '@marcbachmann/cel-js';
import { spend } from './budget.ts';
import { original, REPLACED, replacement } from './library/strings.ts';
import { compileProblem } from './problems.ts';

export interface Program {
  /** As far as it is known: `bool`, `string`, `dyn`. */
  readonly type: string;
  readonly usesOldSelf: boolean;
  run(variables: Readonly<Record<string, unknown>>): unknown;
}

/** What the parser's trees are made of. Macros hang in `meta`, expanded or with nodes of their own. */
interface Node {
  readonly op: string;
  args: unknown;
  readonly meta: Record<string, unknown>;
  setMeta(key: string, value: unknown): Node;
}
type Evaluate = (evaluator: unknown, node: unknown, context: unknown) => unknown;

/** Throws a `CelProblem` in the real compiler's words. */
export function compile(environment: Environment, expression: string): Program {
  try {
    const parsed = environment.parse(expression);
    const nodes = nodesOf(parsed.ast as unknown as Node);
    for (const node of nodes) renameCalls(node);
    const checked = parsed.check();
    if (!checked.valid) throw checked.error;
    for (const node of nodes) countTurns(node);
    return {
      type: original(String(checked.type)),
      usesOldSelf: nodes.some(({ op, args }) => op === 'id' && args === 'oldSelf'),
      run: (variables) => parsed(variables as Parameters<typeof parsed>[0]),
    };
  } catch (error) {
    throw compileProblem(error, expression);
  }
}

const isNode = (value: unknown): value is Node =>
  typeof value === 'object' && value !== null && 'op' in value && 'args' in value && 'setMeta' in value;

function nodesOf(root: Node): Node[] {
  const found: Node[] = [];
  const seen = new Set<unknown>();
  const visit = (value: unknown): void => {
    if (typeof value !== 'object' || value === null || seen.has(value)) return;
    seen.add(value);
    if (isNode(value)) {
      found.push(value);
      visit(value.args);
      visit(value.meta['alternate']);
      visit(value.meta['macro']);
    } else for (const part of Object.values(value)) visit(part);
  };
  visit(root);
  return found;
}

function renameCalls(node: Node): void {
  if (node.op !== 'call' && node.op !== 'rcall') return;
  const args = node.args as [string, ...unknown[]];
  // Lists have functions of the same names, which keep them: those are told apart by the checker.
  if (REPLACED.has(args[0])) args[0] = replacement(args[0]);
}

function countTurns(node: Node): void {
  if (node.op !== 'comprehension') return;
  const { step } = node.args as { step: Node };
  const evaluate = step.meta['evaluate'] as Evaluate;
  step.setMeta('evaluate', (evaluator: unknown, ast: unknown, context: unknown) => {
    spend(1);
    return evaluate(evaluator, ast, context);
  });
}
