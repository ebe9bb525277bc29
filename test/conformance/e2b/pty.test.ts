import { AuthenticationError, InvalidArgumentError, NotFoundError, SandboxError, TimeoutError } from 'e2b';
import { expect, test } from 'vitest';
import { eventually, failure, TerminalInbox, useSandbox } from './support.ts';

const at = useSandbox();
const pty = () => at.sandbox.pty;
const bytes = (text: string) => new TextEncoder().encode(text);

async function open(options: Partial<Parameters<ReturnType<typeof pty>['create']>[0]> = {}) {
  const screen = new TerminalInbox();
  const handle = await pty().create({ cols: 80, rows: 24, onData: screen.pushBytes, ...options });
  return { screen, handle, type: (text: string) => pty().sendInput(handle.pid, bytes(text)) };
}

test('pty.create: opens an interactive shell of the default user', async () => {
  const { screen, handle, type } = await open();
  await type('tty >/dev/null && echo terminal-$(whoami)-$((20+3))\n');
  await screen.untilText('terminal-user-23');
  await handle.kill();
});

test('pty.create: has the size that was asked for', async () => {
  const { screen, handle, type } = await open({ cols: 101, rows: 33 });
  await type('echo size=$(stty size | tr " " x)\n');
  await screen.untilText('size=33x101');
  await handle.kill();
});

test('pty.create: says what kind of terminal it is', async () => {
  const { screen, handle, type } = await open();
  await type('echo "$TERM/$LANG/$LC_ALL"\n');
  await screen.untilText('xterm-256color/C.UTF-8/C.UTF-8');
  await handle.kill();
});

test('pty.create: takes envs, cwd and user', async () => {
  const { screen, handle, type } = await open({ envs: { COLOUR: 'green' }, cwd: '/usr/lib', user: 'other' });
  await type('echo "$COLOUR:$PWD:$(id -un)"\n');
  await screen.untilText('green:/usr/lib:other');
  await handle.kill();
});

test('pty.create: envs may name another terminal', async () => {
  const { screen, handle, type } = await open({ envs: { TERM: 'dumb' } });
  await type('echo "term=$TERM"\n');
  await screen.untilText('term=dumb');
  await handle.kill();
});

test('pty.create: control keys reach the foreground job only', async () => {
  const { screen, handle, type } = await open();
  await type('sh -c \'trap "echo inter""rupted; exit" INT; echo arm""ed; while :; do sleep 0.05; done\'\n');
  await screen.untilText('armed');
  await type('\x03');
  await screen.untilText('interrupted');
  await type('echo still-$((1+1))\n');
  await screen.untilText('still-2');
  await handle.kill();
});

test('pty.create + CommandHandle.wait: the shell ends by exit and tells its code', async () => {
  const { handle, type } = await open();
  await type('exit 5\n');
  expect(await failure(handle.wait())).toMatchObject({ exitCode: 5 });
});

test('pty.create: Ctrl-D ends the shell', async () => {
  const { screen, handle, type } = await open();
  await type('PS1=rea""dy:; echo ok-""here\n');
  await screen.until(
    () => screen.text.lastIndexOf('ready:') > screen.text.indexOf('ok-here') && screen.text.includes('ok-here'),
  );
  await type('\x04');
  expect((await handle.wait()).exitCode).toBe(0);
});

test('pty.create: output of many lines arrives complete', async () => {
  const { screen, handle, type } = await open();
  await type('stty -echo; seq 1 20000; echo the-""end\n');
  const text = await screen.untilText('the-end');
  const numbers = [...text.matchAll(/^(\d+)\r$/gm)].map((match) => Number(match[1]));
  expect(numbers).toEqual(Array.from({ length: 20_000 }, (_, index) => index + 1));
  await handle.kill();
});

test('pty.create + InvalidArgumentError: a missing cwd is refused', async () => {
  expect(await failure(open({ cwd: '/no/such/folder' }))).toBeInstanceOf(InvalidArgumentError);
});

test('pty.create + AuthenticationError: an unknown user is refused', async () => {
  expect(await failure(open({ user: 'ghost' }))).toBeInstanceOf(AuthenticationError);
});

test('pty.create + TimeoutError: its timeout ends the terminal', async () => {
  const { handle } = await open({ timeoutMs: 600 });
  expect(await failure(handle.wait())).toBeInstanceOf(TimeoutError);
  await eventually(
    () => at.sandbox.commands.list(),
    (list) => list.every((one) => one.pid !== handle.pid),
  );
});

test('pty.sendInput: text, UTF-8 and several lines are typed', async () => {
  const { screen, handle, type } = await open();
  await type('stty -echo\n');
  await type('cat <<X\nzwölf €\nline two\nX\n');
  await screen.untilText('zwölf €\r\nline two\r\n');
  await handle.kill();
});

test('pty.sendInput + NotFoundError: an unknown pid is refused', async () => {
  expect(await failure(pty().sendInput(99_999_999, bytes('x')))).toBeInstanceOf(NotFoundError);
});

test('pty.sendInput + SandboxError: a command without terminal refuses it', async () => {
  const handle = await at.sandbox.commands.run('sleep 30', { background: true, stdin: true });
  expect(await failure(pty().sendInput(handle.pid, bytes('x')))).toBeInstanceOf(SandboxError);
  await handle.kill();
});

test('pty.resize: changes the size and tells the program', async () => {
  const { screen, handle, type } = await open();
  await type(`trap 'echo new=$(stty size | tr " " x)' WINCH; echo trap-""set\n`);
  await screen.untilText('trap-set');
  await pty().resize(handle.pid, { cols: 132, rows: 50 });
  await type('\n');
  await screen.untilText('new=50x132');
  await handle.kill();
});

test('pty.resize + NotFoundError: an unknown pid is refused', async () => {
  expect(await failure(pty().resize(99_999_999, { cols: 1, rows: 1 }))).toBeInstanceOf(NotFoundError);
});

test('pty.resize + SandboxError: a command without terminal refuses it', async () => {
  const handle = await at.sandbox.commands.run('sleep 30', { background: true });
  expect(await failure(pty().resize(handle.pid, { cols: 1, rows: 1 }))).toBeInstanceOf(SandboxError);
  await handle.kill();
});

test('pty.kill: ends the terminal', async () => {
  const { handle } = await open();
  expect(await pty().kill(handle.pid)).toBe(true);
  expect(await failure(handle.wait())).toMatchObject({ error: 'signal: killed' });
});

test('pty.kill: says false for an unknown pid', async () => {
  expect(await pty().kill(99_999_999)).toBe(false);
});

test('pty.connect: a second screen sees what comes from then on', async () => {
  const { screen, handle, type } = await open();
  await type('echo fir""st\n');
  await screen.untilText('first');
  const second = new TerminalInbox();
  const other = await pty().connect(handle.pid, { onData: second.pushBytes });
  await type('echo sec""ond\n');
  await second.untilText('second');
  expect(second.text).not.toContain('first\r\n');
  await type('exit\n');
  expect((await other.wait()).exitCode).toBe(0);
  await handle.wait();
});

test('pty.connect: survives the screen that opened the terminal', async () => {
  const { screen, handle, type } = await open();
  await type('echo up-""now\n');
  await screen.untilText('up-now');
  await handle.disconnect();
  const second = new TerminalInbox();
  const other = await pty().connect(handle.pid, { onData: second.pushBytes });
  await type('echo again-$((40+2))\n');
  await second.untilText('again-42');
  await other.kill();
});

test('pty.connect + NotFoundError: an unknown pid is refused', async () => {
  expect(await failure(pty().connect(99_999_999))).toBeInstanceOf(NotFoundError);
});
