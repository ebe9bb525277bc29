import { expect, it } from 'vitest';
import { parseRange } from './range.ts';

it.each([
  [undefined, 12, { kind: 'whole' }],
  ['bytes=2-5', 12, { kind: 'part', start: 2, end: 5 }],
  ['bytes=6-', 12, { kind: 'part', start: 6, end: 11 }],
  ['bytes=-3', 12, { kind: 'part', start: 9, end: 11 }],
  ['bytes=-30', 12, { kind: 'part', start: 0, end: 11 }],
  ['bytes=2-500', 12, { kind: 'part', start: 2, end: 11 }],
  ['bytes=100-200', 12, { kind: 'unsatisfiable' }],
  ['bytes=0-', 0, { kind: 'unsatisfiable' }],
  ['bytes=5-2', 12, { kind: 'malformed' }],
  ['chars=1-2', 12, { kind: 'malformed' }],
  ['bytes=-', 12, { kind: 'malformed' }],
  ['bytes=0-1,4-5', 12, { kind: 'whole' }],
])('%s of %i bytes', (header, size, expected) => {
  expect(parseRange(header, size)).toEqual(expected);
});
