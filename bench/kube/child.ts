import { type ChildProcess, fork } from 'node:child_process';
import type { Expect, Figures, Task } from './measured.process.ts';

const SCRIPT = new URL('./measured.process.ts', import.meta.url);

export interface Child {
  /** Resolves when a follower has its mirror. */
  readonly ready: Promise<void>;
  readonly figures: Promise<Figures>;
  expect(expectation: Expect): void;
}

/** Starts a measurement. It ends by itself, or with the signal. */
export function child(task: Task, kubeconfig: string, signal: AbortSignal): Child {
  const process_: ChildProcess = fork(SCRIPT, [JSON.stringify(task)], {
    env: { ...process.env, KUBECONFIG: kubeconfig },
    stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
    signal,
  });
  const ready = Promise.withResolvers<void>();
  const figures = Promise.withResolvers<Figures>();
  ready.promise.catch(() => {});
  let errors = '';
  process_.stderr?.on('data', (text) => {
    errors = `${errors}${text}`.slice(-2000);
  });
  process_.on('message', (message: { ready?: true; figures?: Figures }) => {
    if (message.ready) ready.resolve();
    if (message.figures) figures.resolve(message.figures);
  });
  const fail = (error: Error) => {
    ready.reject(error);
    figures.reject(error);
  };
  process_.once('error', fail);
  process_.once('exit', (code) =>
    fail(new Error(`the measurement ${JSON.stringify(task)} ended with ${code}: ${errors}`)),
  );
  return { ready: ready.promise, figures: figures.promise, expect: (expectation) => process_.send(expectation) };
}
