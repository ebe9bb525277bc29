import { Sandbox, SandboxError } from 'e2b';
import { expect, test } from 'vitest';
import { openWorld } from '../../runtime/world/world.ts';
import { failure, init, TextInbox } from './support.ts';

test('CommandHandle.wait + SandboxError: a runtime that dies under a command does not leave the caller hanging', async () => {
  const world = await openWorld();
  await init(world, { defaultUser: 'user' });
  const sandbox = await Sandbox.create({ debug: true, sandboxUrl: world.url });
  const out = new TextInbox();
  const handle = await sandbox.commands.run('echo up; sleep 60', { background: true, onStdout: out.push });
  await out.untilText('up');
  await world.close();
  expect(await failure(handle.wait())).toBeInstanceOf(SandboxError);
});

test('commands.run + SandboxError: a runtime that is not there is an error, not a wait', async () => {
  const sandbox = await Sandbox.create({ debug: true, sandboxUrl: 'http://127.0.0.1:9' });
  expect(await failure(sandbox.commands.run('true'))).toBeInstanceOf(Error);
});
