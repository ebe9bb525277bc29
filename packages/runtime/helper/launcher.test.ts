import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir, userInfo } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { call, eventually, OpenStream, outcome, shell, unary } from '../testing/runtime.ts';

const here = dirname(fileURLToPath(import.meta.url));
const helper = join(here, 'bin', `sandbank-helper-linux-${process.arch}`);

/** The runtime below its launcher, as in a pack, reached through a unix socket. */
describe.skipIf(!existsSync(helper))('the launcher', () => {
  let folder: string;
  let launcher: ChildProcess;
  let target: { socketPath: string };
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'launcher-'));
    target = { socketPath: join(folder, 'socket') };
    const main = join(dirname(here), 'main.ts');
    const flags = ['--socket', target.socketPath, '--insecure-no-token', '--default-user', userInfo().username];
    launcher = spawn(helper, ['supervise', process.execPath, main, ...flags, '--log-level', 'silent'], {
      stdio: 'ignore',
    });
  });
  afterEach(() => {
    launcher.kill('SIGKILL');
    rmSync(folder, { recursive: true });
  });

  const healthy = (): Promise<boolean> =>
    eventually('an answer of /health', () =>
      call(target, 'GET', '/health').then(
        ({ status }) => (status === 204 ? true : undefined),
        () => undefined,
      ),
    );

  /** The runtime's pid: the launcher's child that is not a shim. */
  const runtimePid = (): number => {
    for (const name of readdirSync('/proc')) {
      if (!/^\d+$/.test(name)) continue;
      try {
        const stat = readFileSync(`/proc/${name}/stat`, 'utf8');
        if (stat.includes(`) S ${launcher.pid} `) && !stat.includes('sandbank-shim')) return Number(name);
      } catch {
        // Gone since.
      }
    }
    return 0;
  };

  it('starts the runtime again after a crash, which then finds its owner, its processes and their output', async () => {
    await healthy();
    await call(target, 'POST', '/init', {}, JSON.stringify({ accessToken: 'secret', envVars: { A: '1' } }));
    const token = { 'x-access-token': 'secret' };
    const script = 'echo before; read x; echo "after $x"; exit 5';
    const opened = new OpenStream(target, '/process.Process/Start', shell(script, { tag: 'kept' }), token);
    await opened.until((messages) => outcome(messages).stdout === 'before\n');
    const first = await eventually('the runtime', () => runtimePid() || undefined);
    process.kill(first, 'SIGKILL');
    await opened.end();
    await healthy();
    expect((await call(target, 'GET', '/envs')).status).toBe(401);
    expect(JSON.parse((await call(target, 'GET', '/envs', token)).body.toString())).toMatchObject({ A: '1' });
    const listed = await unary(target, '/process.Process/List', {}, token);
    expect(listed.message).toMatchObject({ processes: [{ tag: 'kept', config: { cmd: '/bin/sh' } }] });
    const again = new OpenStream(target, '/process.Process/Connect', { process: { tag: 'kept' } }, token);
    await again.until((messages) => messages.length > 0);
    const input = { stdin: Buffer.from('all\n').toString('base64') };
    await unary(target, '/process.Process/SendInput', { process: { tag: 'kept' }, input }, token);
    expect(outcome(await again.end())).toMatchObject({ stdout: 'after all\n', end: { exitCode: 5 } });
  });

  it('ends with everything it started', async () => {
    await healthy();
    const opened = new OpenStream(target, '/process.Process/Start', shell('setsid sleep 600 & echo $!; wait'));
    await opened.until((messages) => outcome(messages).stdout.endsWith('\n'));
    const child = Number(outcome(opened.messages).stdout);
    const ended = new Promise((resolve) => launcher.once('exit', (code) => resolve(code)));
    launcher.kill('SIGTERM');
    expect(await ended).toBe(0);
    expect(existsSync(`/proc/${child}`)).toBe(false);
  });
});
