/** `self.?name.optMap(n, n + '!')`: what is there is changed, what is not stays away. */
import type { Environment } from '@marcbachmann/cel-js';
import { CelProblem } from '../problem.ts';
import { maybe } from './optional-values.ts';

/** What a macro gets to see of the evaluator; its own types leave this open. */
interface Optional {
  hasValue(): boolean;
  value(): unknown;
}
interface Context {
  forkWithVariable(name: string, type: unknown): Context;
  reuse(parent: Context): Context;
  setIterValue(value: unknown, evaluator: unknown): Context;
}
interface Type {
  readonly kind: string;
  readonly valueType?: Type;
}
interface Checker {
  readonly dynType: Type;
  readonly registry: { getOptionalType(type: Type): Type };
  check(node: unknown, context: Context): Type;
}
interface Evaluator {
  run(node: unknown, context: Context): unknown;
}
interface Macro {
  readonly receiver: unknown;
  readonly name: string;
  readonly body: unknown;
  inner?: Context;
}

export function registerOptionalMacros(env: Environment): void {
  for (const isFlat of [false, true]) {
    const name = isFlat ? 'optFlatMap' : 'optMap';
    const expand = ({ args, receiver }: { args: { op: string; args: string }[]; receiver: unknown }) => ({
      receiver,
      name: args[0]?.op === 'id' ? args[0].args : '_',
      body: args[1],
      async: false,
      typeCheck(checker: Checker, macro: Macro, context: Context): Type {
        const outer = checker.check(macro.receiver, context);
        macro.inner = context.forkWithVariable(macro.name, outer.valueType ?? checker.dynType);
        const body = checker.check(macro.body, macro.inner);
        return isFlat ? body : checker.registry.getOptionalType(body);
      },
      evaluate(evaluator: Evaluator, macro: Macro, context: Context): unknown {
        const optional = evaluator.run(macro.receiver, context) as Optional;
        if (!optional.hasValue()) return optional;
        if (!macro.inner) throw new CelProblem(`${name} was not checked`);
        const result = evaluator.run(macro.body, macro.inner.reuse(context).setIterValue(optional.value(), evaluator));
        return isFlat ? result : maybe(result);
      },
    });
    env.registerFunction(`optional.${name}(ast, ast): optional<dyn>`, expand as never);
  }
}
