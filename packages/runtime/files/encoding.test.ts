import { expect, it } from 'vitest';
import { negotiate } from './encoding.ts';

it.each([
  [undefined, 'identity'],
  ['gzip', 'gzip'],
  ['gzip, deflate, br', 'gzip'],
  ['gzip;q=0.5, identity', 'identity'],
  ['*', 'identity'],
  ['br', 'identity'],
  ['gzip;q=0', 'identity'],
  ['identity;q=0', 'none'],
  ['br, *;q=0', 'none'],
  ['gzip, identity;q=0', 'gzip'],
  ['*, identity;q=0', 'gzip'],
])('%s asks for %s', (header, expected) => {
  expect(negotiate(header).choice).toBe(expected);
});
