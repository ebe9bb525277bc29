import { existsSync, mkdtempSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Runtime } from '../server/runtime.ts';
import { eventually, OpenStream, outcome, shell, startTestRuntime, stream, unary } from '../testing/runtime.ts';

let runtime: Runtime & { port: number };
beforeAll(async () => {
  runtime = await startTestRuntime();
});
afterAll(() => runtime.close());

const start = '/process.Process/Start';
const isAlive = (pid: number): boolean =>
  existsSync(`/proc/${pid}`) && !/\) Z /.test(readFileSync(`/proc/${pid}/stat`, 'utf8'));

function pidOf(opened: OpenStream): number {
  const event = opened.messages[0]?.message['event'] as { start: { pid: number } } | undefined;
  return event?.start.pid ?? 0;
}

describe('processes by the helper', () => {
  it('run with both streams and tell their end', async () => {
    const messages = await stream(runtime.port, start, shell('echo out; echo err >&2; exit 3'));
    expect(outcome(messages)).toMatchObject({ stdout: 'out\n', stderr: 'err\n', end: { exitCode: 3, exited: true } });
    expect(messages.at(-1)).toEqual({ flags: 2, message: {} });
  });

  it('have pipes that can be opened again by name', async () => {
    const { stderr } = outcome(await stream(runtime.port, start, shell('echo again > /dev/stderr')));
    expect(stderr).toBe('again\n');
  });

  it('see nothing of the runtime: no descriptor, no variable', async () => {
    const { stdout } = outcome(
      await stream(runtime.port, start, shell('ls /proc/self/fd | wc -l; env | sort | cut -d= -f1')),
    );
    // Three pipes and the one with which ls reads the folder.
    expect(stdout.trim().split('\n')).toEqual(['4', 'E2B_SANDBOX', 'HOME', 'LOGNAME', 'PATH', 'PWD', 'USER']);
  });

  it('have a terminal that is resized while they run', async () => {
    const script = 'stty size; read line; stty size; echo "got $line"';
    const opened = new OpenStream(runtime.port, start, shell(script, { pty: { size: { cols: 100, rows: 30 } } }));
    await opened.until((messages) => outcome(messages).pty.includes('30 100'));
    const process = { pid: pidOf(opened) };
    await unary(runtime.port, '/process.Process/Update', { process, pty: { size: { cols: 50, rows: 10 } } });
    const input = { pty: Buffer.from('hi\n').toString('base64') };
    await unary(runtime.port, '/process.Process/SendInput', { process, input });
    expect(outcome(await opened.end())).toMatchObject({
      pty: '30 100\r\nhi\r\n10 50\r\ngot hi\r\n',
      end: { exited: true },
    });
  });

  it('die with their whole tree, daemons included, when asked to', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'tree-'));
    const script = `setsid sh -c 'echo $$ > ${folder}/daemon; exec sleep 600' & (sh -c 'echo $$ > ${folder}/orphan; exec sleep 600' &); echo ready; sleep 600`;
    const opened = new OpenStream(runtime.port, start, shell(script));
    await opened.until((messages) => outcome(messages).stdout.includes('ready'));
    const pids = await eventually('both pids', () => {
      const read = ['daemon', 'orphan'].map((name) =>
        existsSync(join(folder, name)) ? readFileSync(join(folder, name), 'utf8') : '',
      );
      return read.every((text) => text.endsWith('\n')) ? read.map(Number) : undefined;
    });
    expect(pids.map(isAlive)).toEqual([true, true]);
    const signal = { process: { pid: pidOf(opened) }, signal: 'SIGNAL_SIGKILL' };
    const answer = await unary(runtime.port, '/process.Process/SendSignal', signal, { 'sandbank-kill': 'tree' });
    expect(answer.status).toBe(200);
    expect(pids.map(isAlive)).toEqual([false, false]);
    expect(outcome(await opened.end()).end).toMatchObject({ status: 'signal: killed' });
  });

  it('leave their children alone without that header, as recorded', async () => {
    const opened = new OpenStream(runtime.port, start, shell('sleep 600 & echo $!; wait'));
    await opened.until((messages) => outcome(messages).stdout.endsWith('\n'));
    const child = Number(outcome(opened.messages).stdout);
    await unary(runtime.port, '/process.Process/SendSignal', {
      process: { pid: pidOf(opened) },
      signal: 'SIGNAL_SIGKILL',
    });
    expect(outcome(await opened.end()).end).toMatchObject({ status: 'signal: killed' });
    expect(isAlive(child)).toBe(true);
    process.kill(child, 'SIGKILL');
  });

  it('replay what they printed to whoever asks for it', async () => {
    const opened = new OpenStream(runtime.port, start, shell('echo one; read x; echo two', { tag: 'replayed' }));
    await opened.until((messages) => outcome(messages).stdout === 'one\n');
    const asked = { process: { tag: 'replayed' } };
    const plain = new OpenStream(runtime.port, '/process.Process/Connect', asked);
    const replayed = new OpenStream(runtime.port, '/process.Process/Connect', asked, { 'sandbank-replay': '1' });
    await Promise.all([plain, replayed].map((each) => each.until((messages) => messages.length > 0)));
    await unary(runtime.port, '/process.Process/SendInput', {
      ...asked,
      input: { stdin: Buffer.from('\n').toString('base64') },
    });
    const [a, b] = await Promise.all([plain.end(), replayed.end()]);
    expect([outcome(a).stdout, outcome(b).stdout]).toEqual(['two\n', 'one\ntwo\n']);
  });

  it('are slowed by a slow reader and lose nothing', async () => {
    const size = 8 * 1024 * 1024;
    const folder = mkdtempSync(join(tmpdir(), 'slow-'));
    const opened = new OpenStream(runtime.port, start, shell(`head -c ${size} /dev/zero; echo done > ${folder}/done`));
    await opened.until((messages) => messages.length > 0);
    opened.response?.pause();
    const before = process.memoryUsage().rss;
    // The writer is stuck: with nobody taking bytes it can't have finished.
    await unary(runtime.port, '/process.Process/List', {});
    expect(existsSync(join(folder, 'done'))).toBe(false);
    opened.response?.resume();
    const messages = await opened.end();
    expect(outcome(messages).stdout.length).toBe(size);
    expect(process.memoryUsage().rss - before).toBeLessThan(400 * 1024 * 1024);
  });
});

it('says without a helper what is missing, and runs commands all the same', async () => {
  const plain = await startTestRuntime(['--helper', 'none']);
  try {
    expect(outcome(await stream(plain.port, start, shell('echo hi; exit 4')))).toMatchObject({
      stdout: 'hi\n',
      end: { exitCode: 4 },
    });
    const refused = await stream(plain.port, start, shell('true', { pty: {} }));
    expect(refused).toEqual([{ flags: 2, message: { error: expect.objectContaining({ code: 'unimplemented' }) } }]);
    const init = await fetch(`http://127.0.0.1:${plain.port}/init`, { method: 'POST', body: '{}' });
    expect(init.headers.get('x-envd-version')).toBe('0.6.1');
  } finally {
    await plain.close();
  }
});

it('kills what it started when it stops', async () => {
  const short = await startTestRuntime();
  const opened = new OpenStream(short.port, start, shell('sleep 600 & echo $!; wait'));
  await opened.until((messages) => outcome(messages).stdout.endsWith('\n'));
  const child = Number(outcome(opened.messages).stdout);
  await short.close();
  expect(isAlive(child)).toBe(false);
});
