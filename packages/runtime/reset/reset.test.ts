import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { call, eventually, outcome, stream } from '../testing/runtime.ts';

const packageFolder = dirname(dirname(fileURLToPath(import.meta.url)));
/** Namespaces of its own, so that nobody else's processes, sockets and objects are in sight. */
const apart = ['--mount', '--pid', '--fork', '--net', '--ipc', '--mount-proc', '--kill-child'];
const possible = process.getuid?.() === 0 && spawnSync('unshare', [...apart, 'true']).status === 0;

describe.skipIf(!possible)('reset (needs root and namespaces)', () => {
  let folder: string;
  let root: string;
  let child: ChildProcess;
  const data = () => ({ socketPath: join(folder, 'data') });
  const control = () => ({ socketPath: join(folder, 'control') });

  beforeEach(async () => {
    folder = mkdtempSync(join(tmpdir(), 'reset-'));
    chmodSync(folder, 0o755);
    root = join(folder, 'root');
    mkdirSync(join(root, 'home'), { recursive: true });
    chmodSync(join(root, 'home'), 0o777);
    writeFileSync(join(root, 'home', 'given'), 'given', { mode: 0o666 });
    chmodSync(join(root, 'home', 'given'), 0o666);
    const flags = ['--socket', data().socketPath, '--control-socket', control().socketPath, '--insecure-no-token'];
    const user = ['--default-user', 'nobody', '--default-workdir', join(root, 'home'), '--no-new-privileges'];
    child = spawn(
      'unshare',
      [...apart, process.execPath, join(packageFolder, 'main.ts'), ...flags, ...user, '--reset-root', root],
      { stdio: 'ignore' },
    );
    await eventually('the control listener', () =>
      call(control(), 'GET', '/health').then(
        () => true,
        () => undefined,
      ),
    );
  });
  afterEach(() => {
    child.kill('SIGKILL');
    rmSync(folder, { recursive: true });
  });

  const run = async (script: string): Promise<string> => {
    const message = { process: { cmd: '/bin/sh', args: ['-c', script] }, stdin: false };
    return outcome(await stream(data(), '/process.Process/Start', message)).stdout;
  };
  const reset = async (): Promise<{ status: number; clean: boolean; reasons: string[] }> => {
    const { status, body } = await call(control(), 'POST', '/reset');
    return { status, ...(JSON.parse(body.toString('utf8')) as { clean: boolean; reasons: string[] }) };
  };

  it('takes away processes, files and settings, and can be used again', async () => {
    await call(control(), 'POST', '/init', {}, JSON.stringify({ envVars: { SECRET: 'x' } }));
    await run(
      'mkdir -p deep/er; echo x > deep/er/file; echo y > .hidden; ln -s /etc link; mkfifo pipe; setsid sleep 600 > /dev/null 2>&1 &',
    );
    expect(await reset()).toMatchObject({ status: 200, clean: true, reasons: [] });
    expect(readdirSync(join(root, 'home'))).toEqual(['given']);
    expect(await run('ls -A; echo "$SECRET"; cat /proc/[0-9]*/comm | grep -c sleep')).toBe('given\n\n0\n');
    expect(await reset()).toMatchObject({ clean: true });
  });

  it.each([
    ['a file that was rewritten', 'echo more >> given'],
    [
      'a file that was rewritten with its old time',
      'touch -r given /tmp/$$; echo more >> given; touch -r /tmp/$$ given; rm /tmp/$$',
    ],
    ['a file that is gone', 'rm given'],
    ['a file that was replaced', 'cp given copy; mv copy given'],
  ])('refuses %s, for good', async (_, dirt) => {
    await run(dirt);
    expect(await reset()).toMatchObject({
      status: 409,
      clean: false,
      reasons: [`changed or missing entries in ${root}/home`],
    });
    expect((await call(data(), 'GET', '/envs')).status).toBe(503);
    expect((await call(data(), 'GET', '/health')).status).toBe(204);
    expect(await reset()).toMatchObject({ status: 409 });
  });

  it('refuses when a command ran as root', async () => {
    const message = { process: { cmd: '/bin/true' } };
    await stream(data(), '/process.Process/Start', message, { authorization: `Basic ${btoa('root:')}` });
    expect((await reset()).reasons[0]).toContain('root');
    expect(existsSync(join(root, 'home', 'given'))).toBe(true);
  });
});
