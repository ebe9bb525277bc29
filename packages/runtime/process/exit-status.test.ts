import { expect, it } from 'vitest';
import { endFields } from './exit-status.ts';

it.each([
  [{ code: 0 }, { exitCode: 0, exited: true, status: 'exit status 0' }],
  [{ code: 7 }, { exitCode: 7, exited: true, status: 'exit status 7', error: 'exit status 7' }],
  [{ signal: 9 }, { exitCode: -1, exited: false, status: 'signal: killed', error: 'signal: killed' }],
  [{ signal: 40 }, { exitCode: -1, exited: false, status: 'signal: 40', error: 'signal: 40' }],
  [{ lost: 'gone' }, { exitCode: -1, exited: false, status: 'lost', error: 'gone' }],
])('%j', (exit, expected) => {
  expect(endFields(exit)).toEqual(expected);
});
