import { describe, expect, it } from 'vitest';
import { basicUser } from './request.ts';

describe('basicUser', () => {
  it.each([
    ['Basic dXNlcjo=', 'user'],
    ['basic dXNlcjpwYXNz', 'user'],
    ['Basic Og==', ''],
    ['Bearer abc', undefined],
    [undefined, undefined],
  ])('%s is %s', (header, expected) => {
    expect(basicUser(header)).toBe(expected);
  });
});
