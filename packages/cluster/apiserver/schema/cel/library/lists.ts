/** Lists: orders, sums, positions, and the set operations. */
import type { Environment } from '@marcbachmann/cel-js';
import { Duration } from '@marcbachmann/cel-js/evaluator';
import { spend } from '../budget.ts';
import { isEqual } from '../equality.ts';
import { CelProblem } from '../problem.ts';
import { maybe } from './optional-values.ts';
import { replacement } from './strings.ts';

type List = unknown[] | Set<unknown>;
type Comparable = bigint | number | string | boolean | Date;

const COMPARABLE = [
  'int',
  'uint',
  'double',
  'bool',
  'string',
  'bytes',
  'google.protobuf.Timestamp',
  'google.protobuf.Duration',
];

function read(list: List): unknown[] {
  const items = Array.isArray(list) ? list : [...list];
  spend(items.length);
  return items;
}
const precedes = (a: unknown, b: unknown) => (a as Comparable) < (b as Comparable);

export function registerLists(env: Environment): void {
  for (const type of COMPARABLE) {
    env.registerFunction(`list<${type}>.isSorted(): bool`, (list: List) =>
      read(list).every((item, index, items) => index === 0 || !precedes(item, items[index - 1])),
    );
    env.registerFunction(`list<${type}>.min(): ${type}`, (list: List) => extreme(read(list), 'min'));
    env.registerFunction(`list<${type}>.max(): ${type}`, (list: List) => extreme(read(list), 'max'));
    env.registerFunction(`list<${type}>.sort(): list<${type}>`, (list: List) =>
      [...read(list)].sort((a, b) => (precedes(a, b) ? -1 : precedes(b, a) ? 1 : 0)),
    );
  }
  env.registerFunction('list<int>.sum(): int', (list: List) => (read(list) as bigint[]).reduce((a, b) => a + b, 0n));
  env.registerFunction('list<double>.sum(): double', (list: List) =>
    (read(list) as number[]).reduce((a, b) => a + b, 0),
  );
  env.registerFunction('list<google.protobuf.Duration>.sum(): google.protobuf.Duration', (list: List) =>
    (read(list) as Duration[]).reduce((a, b) => a.addDuration(b), new Duration(0n)),
  );
  env.registerFunction(`list<T>.${replacement('indexOf')}(T): int`, (list: List, item: unknown) =>
    BigInt(read(list).findIndex((one) => isEqual(one, item))),
  );
  env.registerFunction(`list<T>.${replacement('lastIndexOf')}(T): int`, (list: List, item: unknown) =>
    BigInt(read(list).findLastIndex((one) => isEqual(one, item))),
  );
  env.registerFunction('list<T>.reverse(): list<T>', (list: List) => [...read(list)].reverse());
  env.registerFunction('list<T>.distinct(): list<T>', (list: List) => {
    const items = read(list);
    return items.filter((item, index) => items.findIndex((one) => isEqual(one, item)) === index);
  });
  env.registerFunction('list<T>.slice(int, int): list<T>', (list: List, from: bigint, to: bigint) => {
    const items = read(list);
    if (from < 0n || to < 0n) throw new CelProblem(`cannot slice(${from}, ${to}), negative indexes not supported`);
    if (from > to)
      throw new CelProblem(`cannot slice(${from}, ${to}), start index must be less than or equal to end index`);
    if (to > items.length) throw new CelProblem(`cannot slice(${from}, ${to}), list is length ${items.length}`);
    return items.slice(Number(from), Number(to));
  });
  env.registerFunction('list.flatten(): list<dyn>', (list: List) => read(list).flat(1));
  env.registerFunction('list<T>.first(): optional<T>', (list: List) => maybe(read(list)[0]));
  env.registerFunction('list<T>.last(): optional<T>', (list: List) => maybe(read(list).at(-1)));

  class SetsNamespace {}
  env.registerType('SetsNamespace', SetsNamespace);
  env.registerConstant('sets', 'SetsNamespace', new SetsNamespace());
  const includes = (items: unknown[], item: unknown) => {
    spend(items.length);
    return items.some((one) => isEqual(one, item));
  };
  const contains = (all: List, some: List) => {
    const items = read(all);
    return read(some).every((item) => includes(items, item));
  };
  env.registerFunction('SetsNamespace.contains(list<T>, list<T>): bool', (_: unknown, a: List, b: List) =>
    contains(a, b),
  );
  env.registerFunction(
    'SetsNamespace.equivalent(list<T>, list<T>): bool',
    (_: unknown, a: List, b: List) => contains(a, b) && contains(b, a),
  );
  env.registerFunction('SetsNamespace.intersects(list<T>, list<T>): bool', (_: unknown, a: List, b: List) => {
    const items = read(a);
    return read(b).some((item) => includes(items, item));
  });

  class ListsNamespace {}
  env.registerType('ListsNamespace', ListsNamespace);
  env.registerConstant('lists', 'ListsNamespace', new ListsNamespace());
  env.registerFunction('ListsNamespace.range(int): list<int>', (_: unknown, count: bigint) => {
    spend(Number(count));
    return Array.from({ length: Number(count) }, (_one, index) => BigInt(index));
  });
}

function extreme(items: unknown[], which: 'min' | 'max'): unknown {
  if (items.length === 0) throw new CelProblem(`${which} called on empty list`);
  return items.reduce((best, item) =>
    precedes(...(which === 'min' ? ([item, best] as const) : ([best, item] as const))) ? item : best,
  );
}
