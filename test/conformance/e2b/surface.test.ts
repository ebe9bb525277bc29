import * as sdk from 'e2b';
import { expect, test } from 'vitest';
import { useSandbox } from './support.ts';
import surface from './surface.json' with { type: 'json' };

const at = useSandbox();

/** Methods that the SDK's declarations mark as private or internal; at run time they look like all others. */
const INTERNAL = new Set([
  'constructor',
  'start',
  'supportsStdinClose',
  'flushDecoders',
  'iterateEvents',
  'handleEvents',
]);

function methods(owner: object, prefix: string): string[] {
  return Object.getOwnPropertyNames(Object.getPrototypeOf(owner))
    .filter((name) => !INTERNAL.has(name) && !name.startsWith('_'))
    .map((name) => `${prefix}.${name}`);
}

test('surface: the SDK has exactly the methods and errors that the table lists', async () => {
  const handle = await at.sandbox.commands.run('true', { background: true });
  const watch = await at.sandbox.files.watchDir('/tmp', () => undefined);
  const found = [
    ...methods(at.sandbox.commands, 'commands'),
    ...methods(handle, 'CommandHandle'),
    'CommandHandle.pid',
    ...methods(at.sandbox.pty, 'pty'),
    ...methods(at.sandbox.files, 'files'),
    ...methods(watch, 'WatchHandle'),
  ];
  expect(found.filter((name) => !surface.js.methods.includes(name))).toEqual([]);
  expect(surface.js.methods.filter((name) => !found.includes(name))).toEqual([]);
  for (const name of surface.js.errors) expect(sdk).toHaveProperty(name);
  await watch.stop();
  await handle.wait();
});
