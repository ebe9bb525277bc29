/** Whether two CEL values are the same: numbers by value, lists and maps by content, objects by the JSON they stand for. */
import { isDeepStrictEqual } from 'node:util';
import { Duration } from '@marcbachmann/cel-js/evaluator';
import { Address, Range } from './address.ts';
import { CelObject } from './object.ts';
import { Quantity } from './quantity.ts';

export function isEqual(a: unknown, b: unknown): boolean {
  if (a === b) return true;
  if (typeof a === 'bigint' || typeof a === 'number')
    // biome-ignore lint/suspicious/noDoubleEquals: integers and doubles are one line of numbers.
    return (typeof b === 'bigint' || typeof b === 'number') && a == b;
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return false;
  if (a instanceof CelObject) return b instanceof CelObject && CelObject.isSame(a, b);
  if (a instanceof Date) return b instanceof Date && a.getTime() === b.getTime();
  if (a instanceof Duration) return b instanceof Duration && a.seconds === b.seconds && a.nanos === b.nanos;
  if (a instanceof Quantity) return b instanceof Quantity && a.nanos === b.nanos;
  if (a instanceof Address || a instanceof Range) return a.constructor === b.constructor && String(a) === String(b);
  if (Array.isArray(a) && Array.isArray(b))
    return a.length === b.length && a.every((item, index) => isEqual(item, b[index]));
  if (a instanceof Map && b instanceof Map)
    return a.size === b.size && [...a].every(([key, item]) => b.has(key) && isEqual(item, b.get(key)));
  return isDeepStrictEqual(a, b);
}
