import {
  CommandExitError,
  type CommandHandle,
  type CommandStartOpts,
  NotFoundError,
  SandboxError,
  TimeoutError,
} from 'e2b';
import { expect, test } from 'vitest';
import { failure, TextInbox, useSandbox } from './support.ts';

const at = useSandbox();
const commands = () => at.sandbox.commands;
const start = (command: string, options: CommandStartOpts = {}): Promise<CommandHandle> =>
  commands().run(command, { ...options, background: true });

test('commands.run + CommandHandle.pid: in the background it returns at once, with the pid of the shell', async () => {
  const handle = await start('echo $$; sleep 0.1');
  expect((await handle.wait()).stdout).toBe(`${handle.pid}\n`);
});

test('CommandHandle.wait: gives the result of a background command', async () => {
  expect(await (await start('echo out; echo err >&2')).wait()).toMatchObject({
    exitCode: 0,
    stdout: 'out\n',
    stderr: 'err\n',
  });
});

test('CommandHandle.wait: may be called twice', async () => {
  const handle = await start('echo once');
  expect(await handle.wait()).toEqual(await handle.wait());
});

test('CommandHandle.wait + CommandExitError: rejects when the command failed', async () => {
  const error = await failure((await start('exit 3')).wait());
  expect(error).toBeInstanceOf(CommandExitError);
  expect(error).toMatchObject({ exitCode: 3 });
});

test('CommandHandle.wait + TimeoutError: rejects when the time of the command is over', async () => {
  expect(await failure((await start('sleep 30', { timeoutMs: 500 })).wait())).toBeInstanceOf(TimeoutError);
});

test('CommandHandle.stdout + CommandHandle.stderr: grow while the command runs', async () => {
  const out = new TextInbox();
  const err = new TextInbox();
  const handle = await start('echo one; echo two >&2; cat', { stdin: true, onStdout: out.push, onStderr: err.push });
  await Promise.all([out.untilText('one'), err.untilText('two')]);
  expect([handle.stdout, handle.stderr]).toEqual(['one\n', 'two\n']);
  await handle.kill();
});

test('CommandHandle.exitCode + CommandHandle.error: are undefined until the end', async () => {
  const handle = await start('cat; exit 4', { stdin: true });
  expect([handle.exitCode, handle.error]).toEqual([undefined, undefined]);
  await handle.closeStdin();
  await failure(handle.wait());
  expect([handle.exitCode, handle.error]).toEqual([4, 'exit status 4']);
});

test('CommandHandle.exitCode: is 0 after success', async () => {
  const handle = await start('true');
  await handle.wait();
  expect(handle.exitCode).toBe(0);
});

test('CommandHandle.kill: ends the command by SIGKILL', async () => {
  const handle = await start('sleep 60');
  expect(await handle.kill()).toBe(true);
  expect(await failure(handle.wait())).toMatchObject({ exitCode: -1, error: 'signal: killed' });
});

test('CommandHandle.kill: says false when the command is already gone', async () => {
  const handle = await start('true');
  await handle.wait();
  expect(await handle.kill()).toBe(false);
});

test('CommandHandle.kill: does not wait for children that hold the output', async () => {
  const handle = await start('sleep 25 & sleep 25');
  await handle.kill();
  expect(await failure(handle.wait())).toMatchObject({ error: 'signal: killed' });
});

test('CommandHandle.kill: a trap cannot stop it', async () => {
  const out = new TextInbox();
  const handle = await start(`trap '' TERM INT HUP; echo armed; while :; do sleep 0.05; done`, { onStdout: out.push });
  await out.untilText('armed');
  expect(await handle.kill()).toBe(true);
  expect(await failure(handle.wait())).toBeInstanceOf(CommandExitError);
});

test('commands.kill: ends a command by its pid', async () => {
  const handle = await start('sleep 60');
  expect(await commands().kill(handle.pid)).toBe(true);
  await failure(handle.wait());
  expect((await commands().list()).map((one) => one.pid)).not.toContain(handle.pid);
});

test('commands.kill: says false for a pid that was never started', async () => {
  expect(await commands().kill(99_999_999)).toBe(false);
});

test('commands.kill: does not touch processes that it did not start', async () => {
  expect(await commands().kill(1)).toBe(false);
  expect((await commands().run('echo alive')).stdout).toBe('alive\n');
});

test('CommandHandle.disconnect: leaves the command running', async () => {
  const out = new TextInbox();
  const handle = await start('echo here; read -r x; echo "$x" > /tmp/after-disconnect', {
    stdin: true,
    onStdout: out.push,
  });
  await out.untilText('here');
  await handle.disconnect();
  expect((await commands().list()).map((one) => one.pid)).toContain(handle.pid);
  const again = await commands().connect(handle.pid);
  await commands().sendStdin(handle.pid, 'kept\n');
  expect((await again.wait()).exitCode).toBe(0);
  expect((await commands().run('cat /tmp/after-disconnect')).stdout).toBe('kept\n');
});

test('commands.connect: gets the output from then on, and the end', async () => {
  const first = new TextInbox();
  const handle = await start('echo before; cat', { stdin: true, onStdout: first.push });
  await first.untilText('before');
  const second = new TextInbox();
  const other = await commands().connect(handle.pid, { onStdout: second.push });
  expect(other.pid).toBe(handle.pid);
  await handle.sendStdin('after\n');
  await second.untilText('after');
  await handle.closeStdin();
  expect((await other.wait()).stdout).toBe('after\n');
  expect((await handle.wait()).stdout).toBe('before\nafter\n');
});

test('commands.connect: many may listen, and each gets every byte', async () => {
  const handle = await start('cat', { stdin: true });
  const listeners = await Promise.all(Array.from({ length: 8 }, () => commands().connect(handle.pid)));
  await handle.sendStdin('to all\n');
  await handle.closeStdin();
  const heard = await Promise.all(listeners.map(async (one) => (await one.wait()).stdout));
  expect(heard).toEqual(Array(8).fill('to all\n'));
});

test('commands.connect + CommandExitError: a connected handle learns the exit code', async () => {
  const handle = await start('cat; exit 9', { stdin: true });
  const other = await commands().connect(handle.pid);
  await commands().closeStdin(handle.pid);
  expect(await failure(other.wait())).toMatchObject({ exitCode: 9 });
  await failure(handle.wait());
});

test('commands.connect: a command that ended moments ago still tells its exit code', async () => {
  const handle = await start('exit 6');
  await failure(handle.wait());
  expect(await failure((await commands().connect(handle.pid)).wait())).toMatchObject({ exitCode: 6 });
});

test('commands.connect + NotFoundError: an unknown pid is refused', async () => {
  expect(await failure(commands().connect(99_999_999))).toBeInstanceOf(NotFoundError);
});

test('commands.connect + NotFoundError: a process that was not started here is refused', async () => {
  expect(await failure(commands().connect(1))).toBeInstanceOf(NotFoundError);
});

test('commands.connect + TimeoutError: its timeout ends the listening, not the command', async () => {
  const handle = await start('cat', { stdin: true });
  const other = await commands().connect(handle.pid, { timeoutMs: 400 });
  expect(await failure(other.wait())).toBeInstanceOf(TimeoutError);
  await handle.closeStdin();
  expect((await handle.wait()).exitCode).toBe(0);
});

test('commands.list: tells pid, command, arguments, environment and folder', async () => {
  const handle = await start('cat', { stdin: true, cwd: '/usr', envs: { WHAT: 'listed' } });
  const entry = (await commands().list()).find((one) => one.pid === handle.pid);
  expect(entry).toMatchObject({ cmd: '/bin/bash', args: ['-l', '-c', 'cat'], cwd: '/usr', envs: { WHAT: 'listed' } });
  await handle.kill();
});

test('commands.list: forgets what has ended', async () => {
  const handle = await start('true');
  await handle.wait();
  expect((await commands().list()).map((one) => one.pid)).not.toContain(handle.pid);
});

test('commands.list: shows commands and terminals of all users', async () => {
  const mine = await start('cat', { stdin: true });
  const theirs = await start('cat', { stdin: true, user: 'other' });
  const terminal = await at.sandbox.pty.create({ cols: 80, rows: 24, onData: () => undefined });
  const pids = (await commands().list()).map((one) => one.pid);
  expect(pids).toEqual(expect.arrayContaining([mine.pid, theirs.pid, terminal.pid]));
  await Promise.all([mine.kill(), theirs.kill(), terminal.kill()]);
});

test('commands.sendStdin: reaches the command', async () => {
  const out = new TextInbox();
  const handle = await start('read -r line; echo "got $line"', { stdin: true, onStdout: out.push });
  await commands().sendStdin(handle.pid, 'hello\n');
  expect((await handle.wait()).stdout).toBe('got hello\n');
});

test('commands.sendStdin: pieces keep their order', async () => {
  const handle = await start('cat', { stdin: true });
  for (let i = 0; i < 30; i++) await commands().sendStdin(handle.pid, `${i},`);
  await commands().closeStdin(handle.pid);
  expect((await handle.wait()).stdout).toBe(Array.from({ length: 30 }, (_, i) => `${i},`).join(''));
});

test('commands.sendStdin: bytes arrive as bytes', async () => {
  const handle = await start('od -An -tx1', { stdin: true });
  await commands().sendStdin(handle.pid, new Uint8Array([0, 255, 10, 128]));
  await commands().closeStdin(handle.pid);
  expect((await handle.wait()).stdout.trim()).toBe('00 ff 0a 80');
});

test('commands.sendStdin: special and long text survive', async () => {
  const text = 'äöü €  日本 🚀 \\ " \' $HOME\n'.repeat(2000);
  const handle = await start('wc -c; ', { stdin: true });
  await commands().sendStdin(handle.pid, text);
  await commands().closeStdin(handle.pid);
  expect((await handle.wait()).stdout.trim()).toBe(String(Buffer.byteLength(text)));
});

test('commands.sendStdin: an empty text changes nothing', async () => {
  const handle = await start('cat', { stdin: true });
  await commands().sendStdin(handle.pid, '');
  await commands().sendStdin(handle.pid, 'x');
  await commands().closeStdin(handle.pid);
  expect((await handle.wait()).stdout).toBe('x');
});

test('commands.sendStdin + NotFoundError: an unknown pid is refused', async () => {
  expect(await failure(commands().sendStdin(99_999_999, 'x'))).toBeInstanceOf(NotFoundError);
});

test('commands.sendStdin + NotFoundError: an ended command is refused', async () => {
  const handle = await start('true');
  await handle.wait();
  expect(await failure(commands().sendStdin(handle.pid, 'x'))).toBeInstanceOf(NotFoundError);
});

test('commands.sendStdin + SandboxError: a command without stdin refuses it', async () => {
  const handle = await start('sleep 30');
  expect(await failure(commands().sendStdin(handle.pid, 'x'))).toBeInstanceOf(SandboxError);
  await handle.kill();
});

test('commands.closeStdin: gives the command its end of file', async () => {
  const handle = await start('cat; echo eof', { stdin: true });
  await commands().closeStdin(handle.pid);
  expect((await handle.wait()).stdout).toBe('eof\n');
});

test('commands.closeStdin: a second time is no error', async () => {
  const handle = await start('sleep 30', { stdin: true });
  await commands().closeStdin(handle.pid);
  await commands().closeStdin(handle.pid);
  await handle.kill();
});

test('commands.closeStdin + NotFoundError: an unknown pid is refused', async () => {
  expect(await failure(commands().closeStdin(99_999_999))).toBeInstanceOf(NotFoundError);
});

test('commands.closeStdin + SandboxError: a terminal refuses it', async () => {
  const terminal = await at.sandbox.pty.create({ cols: 80, rows: 24, onData: () => undefined });
  expect(await failure(commands().closeStdin(terminal.pid))).toBeInstanceOf(SandboxError);
  await terminal.kill();
});

test('CommandHandle.sendStdin + CommandHandle.closeStdin: work on the handle', async () => {
  const handle = await start('tr a-z A-Z', { stdin: true });
  await handle.sendStdin('shout');
  await handle.closeStdin();
  expect((await handle.wait()).stdout).toBe('SHOUT');
});

test('CommandHandle.sendStdin + SandboxError: after the end of file nothing more is taken', async () => {
  const handle = await start('sleep 30', { stdin: true });
  await handle.closeStdin();
  expect(await failure(handle.sendStdin('x'))).toBeInstanceOf(SandboxError);
  await handle.kill();
});

test('CommandHandle.wait: a command that is killed from inside the sandbox is seen', async () => {
  const handle = await start('sleep 60');
  await at.world.run(`kill -TERM ${handle.pid}`);
  expect(await failure(handle.wait())).toMatchObject({ exitCode: -1, error: 'signal: terminated' });
});
