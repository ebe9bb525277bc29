import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { openWorld, REPOSITORY } from '../../runtime/world/world.ts';
import { init } from './support.ts';

const SCRIPT = `
import { Sandbox } from 'e2b';
const sandbox = await Sandbox.create();
await sandbox.files.write('/tmp/by-default', 'reached');
const { stdout } = await sandbox.commands.run('cat /tmp/by-default; whoami');
console.log(JSON.stringify({ stdout, running: await sandbox.isRunning(), host: sandbox.getHost(3000) }));
`;

/** All other cases name the address to free the port. This one uses nothing but E2B_DEBUG, in a network of its own. */
test('commands.run + files.write: E2B_DEBUG alone finds the runtime at its default port', {
  timeout: 60_000,
}, async () => {
  const world = await openWorld({ network: 'own', args: ['--address', '127.0.0.1', '--port', '49983'] });
  try {
    await init(world, { defaultUser: 'user' });
    const inside = ['--target', String(world.pid), '--net', process.execPath, '--input-type=module', '-e', SCRIPT];
    const { stdout } = await promisify(execFile)('nsenter', inside, {
      cwd: REPOSITORY,
      env: { PATH: process.env['PATH'], E2B_DEBUG: 'true' },
    });
    expect(JSON.parse(stdout)).toEqual({ stdout: 'reacheduser\n', running: true, host: 'localhost:3000' });
  } finally {
    await world.close();
  }
});
