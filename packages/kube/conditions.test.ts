import { expect, test } from 'vitest';
import { type ConditionLike, findCondition, isConditionTrue, removeCondition, setCondition } from './conditions.ts';
import { microTimestamp, timestamp } from './time.ts';

const t0 = Date.UTC(2026, 0, 1);
const t1 = t0 + 61_000;
const ready = Object.freeze({ type: 'Ready', status: 'False', reason: 'Starting', lastTransitionTime: timestamp(t0) });

test.each<[string, ConditionLike, Partial<ConditionLike>]>([
  [
    'another status moves the time',
    { type: 'Ready', status: 'True', reason: 'Up' },
    { lastTransitionTime: '2026-01-01T00:01:01Z', reason: 'Up' },
  ],
  [
    'another reason does not',
    { type: 'Ready', status: 'False', reason: 'Waiting' },
    { lastTransitionTime: '2026-01-01T00:00:00Z', reason: 'Waiting' },
  ],
  [
    'a time that is given is taken',
    { type: 'Ready', status: 'False', lastTransitionTime: 'x' },
    { lastTransitionTime: 'x' },
  ],
])('%s', (_, wanted, part) => {
  const before: readonly ConditionLike[] = Object.freeze([ready, { type: 'Other', status: 'True' }]);
  const after = setCondition(before, wanted, t1);
  expect(after).toEqual([expect.objectContaining(part), { type: 'Other', status: 'True' }]);
  expect(before[0]).toBe(ready);
});

test('the same again is the very same list', () => {
  const list: readonly ConditionLike[] = [ready];
  expect(setCondition(list, { type: 'Ready', status: 'False', reason: 'Starting' }, t1)).toBe(list);
  expect(removeCondition(list, 'Other')).toBe(list);
});

test('the first one starts the list', () => {
  expect(setCondition<ConditionLike>(undefined, { type: 'Ready', status: 'True' }, t0)).toEqual([
    { type: 'Ready', status: 'True', lastTransitionTime: '2026-01-01T00:00:00Z' },
  ]);
});

test('find, is true, remove', () => {
  const list = [ready, { type: 'Up', status: 'True' }];
  expect(findCondition<ConditionLike>(list, 'Ready')).toBe(ready);
  expect(['Up', 'Ready', 'None'].map((type) => isConditionTrue(list, type))).toEqual([true, false, false]);
  expect(isConditionTrue(undefined, 'Up')).toBe(false);
  expect(removeCondition<ConditionLike>(list, 'Ready')).toEqual([{ type: 'Up', status: 'True' }]);
});

test('points in time have the digits that Kubernetes reads', () => {
  expect(timestamp(t0 + 999)).toBe('2026-01-01T00:00:00Z');
  expect(microTimestamp(t0 + 7)).toBe('2026-01-01T00:00:00.007000Z');
});
