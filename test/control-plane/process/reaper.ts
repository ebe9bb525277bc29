/**
 * The program that outlives a crash. It runs in a session of its own and reads, line by line, what the control plane
 * owns. When the pipe closes without a `done`, whoever held the other end died: everything listed is ended and removed.
 */
import { createInterface } from 'node:readline';
import { type Belongings, cleanUp } from './clean-up.ts';

let belongings: Belongings | undefined;
let done = false;

for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(name, () => {});

for await (const line of createInterface({ input: process.stdin })) {
  const message = JSON.parse(line) as Belongings | 'done';
  if (message === 'done') done = true;
  else belongings = message;
}

if (!done && belongings !== undefined) await cleanUp(belongings);
