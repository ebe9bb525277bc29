import type { Json } from '../schema/structural.ts';
import { isObject } from './merge-patch.ts';

/**
 * The order of a merged list. Elements that the caller names come in the caller's order; those that only the server has stay
 * before the named ones that they stood before, and otherwise follow.
 */
export function elementOrder(
  merged: readonly Json[],
  order: readonly Json[],
  before: readonly Json[],
  mergeKey: string | undefined,
): Json[] {
  const nameOf = (value: Json): Json | undefined =>
    mergeKey !== undefined && isObject(value) ? value[mergeKey] : value;
  const wanted = order.map(nameOf);
  const earlier = before.map(nameOf);

  const named = merged
    .filter((item) => wanted.includes(nameOf(item)))
    .sort((a, b) => wanted.indexOf(nameOf(a)) - wanted.indexOf(nameOf(b)));
  const serverOnly = merged
    .filter((item) => !wanted.includes(nameOf(item)))
    .sort((a, b) => earlier.indexOf(nameOf(a)) - earlier.indexOf(nameOf(b)));

  const result: Json[] = [];
  let [left, right] = [0, 0];
  while (left < serverOnly.length && right < named.length) {
    const [a, b] = [serverOnly[left] as Json, named[right] as Json];
    const [placeA, placeB] = [earlier.indexOf(nameOf(a)), earlier.indexOf(nameOf(b))];
    const serverFirst = placeA >= 0 && placeB >= 0 && placeA < placeB;
    if (serverFirst) left++;
    else right++;
    result.push(serverFirst ? a : b);
  }
  return [...result, ...serverOnly.slice(left), ...named.slice(right)];
}
