import type { Frozen } from './object.ts';
import { timestamp } from './time.ts';

/** What all conditions share; kinds may add fields of their own, and these are kept. */
export interface ConditionLike {
  type: string;
  status: string;
  reason?: string;
  message?: string;
  lastTransitionTime?: string;
  observedGeneration?: number;
}

type Conditions<C> = readonly Frozen<C>[] | undefined;

export function findCondition<C extends ConditionLike>(conditions: Conditions<C>, type: string): Frozen<C> | undefined {
  return conditions?.find((condition) => condition.type === type);
}

export function isConditionTrue(conditions: Conditions<ConditionLike>, type: string): boolean {
  return findCondition(conditions, type)?.status === 'True';
}

/**
 * The conditions with this one set. `lastTransitionTime` moves only when the status does, unless the caller gives one.
 * When nothing changes, the very same list comes back, so that `===` tells whether there is something to write.
 */
export function setCondition<C extends ConditionLike>(
  conditions: Conditions<C>,
  wanted: C,
  now: number,
): readonly Frozen<C>[] {
  const list = conditions ?? [];
  const index = list.findIndex((condition) => condition.type === wanted.type);
  const current = list[index];
  const moved = current?.status !== wanted.status;
  const lastTransitionTime =
    wanted.lastTransitionTime ?? (moved ? timestamp(now) : (current?.lastTransitionTime ?? timestamp(now)));
  const next = { ...current, ...wanted, lastTransitionTime } as Frozen<C>;
  if (current === undefined) return [...list, next];
  if (sameFields(current, next)) return list;
  return list.with(index, next);
}

/** The conditions without this type; the very same list when it is not among them. */
export function removeCondition<C extends ConditionLike>(
  conditions: Conditions<C>,
  type: string,
): readonly Frozen<C>[] {
  const list = conditions ?? [];
  const rest = list.filter((condition) => condition.type !== type);
  return rest.length === list.length ? list : rest;
}

function sameFields(a: object, b: object): boolean {
  const names = new Set([...Object.keys(a), ...Object.keys(b)]);
  return [...names].every((name) => Reflect.get(a, name) === Reflect.get(b, name));
}
