import { AuthenticationError, CommandExitError, type CommandStartOpts, InvalidArgumentError, TimeoutError } from 'e2b';
import { expect, test } from 'vitest';
import { eventually, failure, TextInbox, useSandbox } from './support.ts';

const at = useSandbox();
const run = (command: string, options: CommandStartOpts & { background?: false } = {}) =>
  at.sandbox.commands.run(command, options);

test('commands.run: gives stdout, stderr and exit code of a finished command', async () => {
  const result = await run('echo out; echo err >&2');
  expect({ ...result }).toMatchObject({ exitCode: 0, stdout: 'out\n', stderr: 'err\n' });
  expect(result.error).toBeUndefined();
});

test('commands.run: a command without output gives empty texts', async () => {
  expect(await run('true')).toMatchObject({ exitCode: 0, stdout: '', stderr: '' });
});

test('commands.run: the command line is read by a login shell', async () => {
  expect((await run('shopt -q login_shell && echo login')).stdout).toBe('login\n');
});

test('commands.run: quotes, dollars and line feeds reach the shell unchanged', async () => {
  expect((await run(`printf '%s|' 'a b' "it's" '$HOME'\nprintf 'second line'`)).stdout).toBe(
    "a b|it's|$HOME|second line",
  );
});

test('commands.run: pipes and command lists work', async () => {
  expect((await run('printf "c\\nb\\na\\n" | sort && echo done || echo never')).stdout).toBe('a\nb\nc\ndone\n');
});

test('commands.run + CommandExitError: a failing command rejects with its exit code and outputs', async () => {
  const error = await failure(run('echo out; echo err >&2; exit 7'));
  expect(error).toBeInstanceOf(CommandExitError);
  expect(error).toMatchObject({ exitCode: 7, stdout: 'out\n', stderr: 'err\n', error: 'exit status 7' });
});

test('commands.run + CommandExitError: exit code 255 is not mistaken for a signal', async () => {
  expect(await failure(run('exit 255'))).toMatchObject({ exitCode: 255, error: 'exit status 255' });
});

test('commands.run + CommandExitError: an unknown program ends with 127 and says so on stderr', async () => {
  const error = await failure(run('surely-not-a-program'));
  expect(error).toBeInstanceOf(CommandExitError);
  expect(error).toMatchObject({ exitCode: 127, stderr: expect.stringContaining('surely-not-a-program') });
});

test('commands.run + CommandExitError: a file that may not be executed ends with 126', async () => {
  expect(await failure(run('echo x > plain; chmod 644 plain; ./plain'))).toMatchObject({ exitCode: 126 });
});

test('commands.run + CommandExitError: a command that kills itself tells the signal', async () => {
  const error = await failure(run('kill -KILL $$'));
  expect(error).toBeInstanceOf(CommandExitError);
  expect(error).toMatchObject({ exitCode: -1, error: 'signal: killed' });
});

test('commands.run + CommandExitError: a segmentation fault is named', async () => {
  expect(await failure(run('kill -SEGV $$'))).toMatchObject({ error: 'signal: segmentation fault' });
});

test('commands.run: runs as the default user in its home', async () => {
  expect((await run('whoami; pwd; echo $HOME $USER $LOGNAME')).stdout).toBe('user\n/home/user\n/home/user user user\n');
});

test('commands.run: runs as another user, in the home of that one', async () => {
  expect((await run('whoami; pwd; echo $HOME', { user: 'other' })).stdout).toBe('other\n/home/other\n/home/other\n');
});

test('commands.run: root is an ordinary choice', async () => {
  expect((await run('id -u; echo $HOME', { user: 'root' })).stdout).toBe('0\n/root\n');
});

test('commands.run: a user has all its groups and no others', async () => {
  expect((await run('id -Gn', { user: 'other' })).stdout).toBe('other builders\n');
  expect((await run('id -Gn')).stdout).toBe('user\n');
});

test('commands.run: a user may not do what only root may', async () => {
  expect(await failure(run('echo x > /etc/owned-by-root'))).toMatchObject({ exitCode: 1 });
});

test('commands.run + AuthenticationError: an unknown user is refused', async () => {
  const error = await failure(run('true', { user: 'ghost' }));
  expect(error).toBeInstanceOf(AuthenticationError);
  expect(String(error)).toContain("invalid username: 'ghost'");
});

test('commands.run: cwd is where the command runs', async () => {
  expect((await run('pwd', { cwd: '/usr/bin' })).stdout).toBe('/usr/bin\n');
});

test('commands.run: a relative cwd starts at home', async () => {
  await run('mkdir -p work/deep');
  expect((await run('pwd', { cwd: 'work/deep' })).stdout).toBe('/home/user/work/deep\n');
});

test('commands.run: ~ in cwd is the home', async () => {
  await run('mkdir -p tilde');
  expect((await run('pwd', { cwd: '~/tilde' })).stdout).toBe('/home/user/tilde\n');
});

test('commands.run + InvalidArgumentError: a missing cwd is refused before the command starts', async () => {
  const error = await failure(run('touch /tmp/must-not-exist', { cwd: '/no/such/folder' }));
  expect(error).toBeInstanceOf(InvalidArgumentError);
  expect(String(error)).toContain("cwd '/no/such/folder' does not exist");
  expect((await run('ls /tmp')).stdout).not.toContain('must-not-exist');
});

test('commands.run + InvalidArgumentError: a file as cwd is refused', async () => {
  expect(await failure(run('pwd', { cwd: '/etc/hostname' }))).toBeInstanceOf(InvalidArgumentError);
});

test('commands.run + InvalidArgumentError: a cwd that the user may not enter is refused', async () => {
  expect(await failure(run('pwd', { cwd: '/root' }))).toBeInstanceOf(InvalidArgumentError);
});

test('commands.run: envs reach the command', async () => {
  const envs = { PLAIN: 'one', SPACES: 'two words', EMPTY: '', QUOTES: `"'$x` };
  expect(
    (await run('echo "$PLAIN|$SPACES|$EMPTY|$QUOTES|$(printenv EMPTY >/dev/null && echo set)"', { envs })).stdout,
  ).toBe(`one|two words||"'$x|set\n`);
});

test('commands.run: envs of one command do not stay for the next', async () => {
  await run('true', { envs: { STICKY: 'yes' } });
  expect((await run('echo "[$STICKY]"')).stdout).toBe('[]\n');
});

test('commands.run: envs win over the environment of the sandbox', async () => {
  expect((await run('echo $HOME', { envs: { HOME: '/tmp' } })).stdout).toBe('/tmp\n');
});

test('commands.run: onStdout and onStderr get everything while it runs', async () => {
  const out = new TextInbox();
  const err = new TextInbox();
  const result = await run('for i in 1 2 3; do echo out$i; echo err$i >&2; done', {
    onStdout: out.push,
    onStderr: err.push,
  });
  expect(out.text).toBe('out1\nout2\nout3\n');
  expect(err.text).toBe('err1\nerr2\nerr3\n');
  expect(result.stdout).toBe(out.text);
});

test('commands.run: output comes before the end of the command', async () => {
  await run('mkfifo /tmp/go');
  const out = new TextInbox();
  const running = run('echo first; cat /tmp/go', { onStdout: out.push });
  await out.untilText('first');
  await run('echo second > /tmp/go');
  expect((await running).stdout).toBe('first\nsecond\n');
});

test('commands.run: a character that is split over chunks arrives whole', async () => {
  const out = new TextInbox();
  const result = await run(`printf '\\xe2\\x82'; sleep 0.2; printf '\\xac'`, { onStdout: out.push });
  expect(result.stdout).toBe('€');
  expect(out.text).toBe('€');
});

test('commands.run: bytes that are no text become replacement characters', async () => {
  expect((await run(`printf 'a\\xff\\xfeb'`)).stdout).toBe('a\ufffd\ufffdb');
});

test('commands.run: one MiB of output arrives complete and in order', async () => {
  const result = await run('seq 1 160000');
  const lines = result.stdout.trimEnd().split('\n');
  expect(lines.length).toBe(160_000);
  expect(lines.every((line, index) => line === String(index + 1))).toBe(true);
});

test('commands.run: stdin is closed unless asked for', async () => {
  expect((await run('cat; echo end')).stdout).toBe('end\n');
});

test('commands.run: the end waits for a child that holds the output', async () => {
  expect((await run('(sleep 0.3; echo late) & echo early')).stdout).toBe('early\nlate\n');
});

test('commands.run: a child that let go of the output is not waited for', async () => {
  expect((await run('(sleep 30 >/dev/null 2>&1 &) ; echo early')).stdout).toBe('early\n');
});

test('commands.run + TimeoutError: timeoutMs ends the command and kills it', async () => {
  const error = await failure(run('echo $$ > /tmp/timed-pid; exec sleep 30', { timeoutMs: 700 }));
  expect(error).toBeInstanceOf(TimeoutError);
  expect(String(error)).toContain('deadline_exceeded');
  const pid = (await run('cat /tmp/timed-pid')).stdout.trim();
  await eventually(
    () => at.world.run(`kill -0 ${pid}`),
    ({ code }) => code !== 0,
  );
});

test('commands.run: timeoutMs 0 means no limit', async () => {
  expect((await run('sleep 0.3; echo done', { timeoutMs: 0 })).stdout).toBe('done\n');
});

test('commands.run: an aborted request rejects', async () => {
  const stop = new AbortController();
  const out = new TextInbox();
  const running = run('echo up; sleep 20', { signal: stop.signal, onStdout: out.push });
  const failed = failure(running);
  await out.untilText('up');
  stop.abort();
  expect(await failed).toBeInstanceOf(Error);
});

test('commands.run: twenty at once keep their outputs apart', async () => {
  const numbers = Array.from({ length: 20 }, (_, index) => index);
  const results = await Promise.all(numbers.map((n) => run(`for i in 1 2 3; do echo ${n}; sleep 0.02; done`)));
  expect(results.map((result) => result.stdout)).toEqual(numbers.map((n) => `${n}\n${n}\n${n}\n`));
});
