/** The `end` event's fields, worded as Go's os/exec does. e2b 3.3 */
import type { Exit } from './spawner.ts';

export interface EndFields {
  readonly exitCode: number;
  readonly exited: boolean;
  readonly status: string;
  readonly error?: string;
}

const signalTexts: Readonly<Record<number, string>> = {
  1: 'hangup',
  2: 'interrupt',
  3: 'quit',
  4: 'illegal instruction',
  5: 'trace/breakpoint trap',
  6: 'aborted',
  7: 'bus error',
  8: 'floating point exception',
  9: 'killed',
  10: 'user defined signal 1',
  11: 'segmentation fault',
  12: 'user defined signal 2',
  13: 'broken pipe',
  14: 'alarm clock',
  15: 'terminated',
  24: 'CPU time limit exceeded',
  25: 'file size limit exceeded',
  31: 'bad system call',
};

export function endFields(exit: Exit): EndFields {
  if ('lost' in exit) return { exitCode: -1, exited: false, status: 'lost', error: exit.lost };
  if ('signal' in exit) {
    const status = `signal: ${signalTexts[exit.signal] ?? exit.signal}`;
    return { exitCode: -1, exited: false, status, error: status };
  }
  const status = `exit status ${exit.code}`;
  const end = { exitCode: exit.code, exited: true, status };
  return exit.code === 0 ? end : { ...end, error: status };
}
