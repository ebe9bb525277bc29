import { text } from 'node:stream/consumers';
import { expect, test, vi } from 'vitest';
import type WebSocket from 'ws';
import { failure, quiet } from '../transport/api.fixture.ts';
import { attach, exec, execCapture } from './exec.ts';
import { startPod } from './pod.fixture.ts';

const pod = { namespace: 'ns', name: 'web' };
const v5 = ['v5.channel.k8s.io', 'v4.channel.k8s.io'];
const v4 = ['v4.channel.k8s.io'];
const success = { kind: 'Status', status: 'Success' };
const exitCode = (code: number): object =>
  failure(500, 'NonZeroExitCode', `command terminated with exit code ${code}`, {
    causes: [{ reason: 'ExitCode', message: String(code) }],
  });

function say(socket: WebSocket, channel: number, data: string | Buffer | object): void {
  const bytes =
    typeof data === 'string' || Buffer.isBuffer(data) ? Buffer.from(data as string) : Buffer.from(JSON.stringify(data));
  socket.send(Buffer.concat([Buffer.of(channel), bytes]));
}

function end(socket: WebSocket, status: object): void {
  say(socket, 3, status);
  socket.close(1000);
}

/** `cat`, with a word on stderr: ends when its input does. */
function cat(socket: WebSocket): void {
  say(socket, 2, 'ready');
  socket.on('message', (data: Buffer) => {
    if (data[0] === 0) say(socket, 1, data.subarray(1));
    if (data[0] === 255 && data[1] === 0) end(socket, success);
  });
}

test('runs a command to its end: input, both outputs, exit code, end of input by channel 255', async () => {
  let url = '';
  await using at = await startPod(v5, (socket, request) => {
    url = request.url ?? '';
    // The API server begins with an empty message on each channel.
    for (const channel of [0, 1, 2, 3]) socket.send(Buffer.of(channel));
    cat(socket);
  });
  const input = 'ä'.repeat(100_000);
  expect(await execCapture(at.transport, pod, ['cat', '-'], { container: 'main', input })).toEqual({
    code: 0,
    stdout: input,
    stderr: 'ready',
  });
  expect(url).toBe(
    '/api/v1/namespaces/ns/pods/web/exec?command=cat&command=-&container=main&stdin=true&stdout=true&stderr=true&tty=false',
  );
});

test('an exit code is a result, not an error', async () => {
  await using at = await startPod(v5, (socket) => {
    say(socket, 1, 'some');
    end(socket, exitCode(42));
  });
  const process = await exec(at.transport, pod, { command: ['false'] });
  expect(await text(process.stdout)).toBe('some');
  expect(await process.exit).toEqual({ code: 42, message: 'command terminated with exit code 42' });
});

test('falls back to v4', async () => {
  await using at = await startPod(v4, (socket) => {
    socket.on('message', (data: Buffer) => {
      expect(data[0]).not.toBe(255);
      say(socket, 1, data.subarray(1));
      end(socket, success);
    });
  });
  const process = await exec(at.transport, pod, { command: ['head', '-c1'], stdin: true });
  expect(process.protocol).toBe('v4.channel.k8s.io');
  process.stdin.end('x');
  expect(await text(process.stdout)).toBe('x');
  expect(await process.exit).toEqual({ code: 0 });
});

test('a terminal has one output and a size', async () => {
  const sizes: unknown[] = [];
  let url = '';
  await using at = await startPod(v5, (socket, request) => {
    url = request.url ?? '';
    socket.on('message', (data: Buffer) => {
      if (data[0] !== 4) return;
      sizes.push(JSON.parse(data.subarray(1).toString()));
      end(socket, success);
    });
  });
  const process = await attach(at.transport, pod, { tty: true, stdin: true });
  await process.resize({ columns: 120, rows: 40 });
  expect(await process.exit).toEqual({ code: 0 });
  expect(sizes).toEqual([{ Width: 120, Height: 40 }]);
  expect(url).toBe('/api/v1/namespaces/ns/pods/web/attach?stdin=true&stdout=true&stderr=false&tty=true');
  expect(await text(process.stderr)).toBe('');
});

test('output that is not read is not taken from the wire', async () => {
  const server = Promise.withResolvers<WebSocket>();
  await using at = await startPod(v5, server.resolve);
  const process = await exec(at.transport, pod, { command: ['yes'], stderr: false });
  const socket = await server.promise;
  for (let turn = 0; turn < 64; turn += 1) say(socket, 1, Buffer.alloc(1024 * 1024));
  end(socket, success);
  expect(await quiet(() => socket.bufferedAmount)).toBeGreaterThan(20 * 1024 * 1024);
  expect((await text(process.stdout)).length).toBe(64 * 1024 * 1024);
  expect(await process.exit).toEqual({ code: 0 });
});

test('the server may close one output before the other', async () => {
  await using at = await startPod(v5, (socket) => {
    say(socket, 1, 'out');
    socket.send(Buffer.of(255, 1));
    socket.on('message', () => end(socket, success));
  });
  const process = await exec(at.transport, pod, { command: ['x'], stdin: true });
  expect(await text(process.stdout)).toBe('out');
  process.stdin.end();
  await process.exit;
});

test.each<[string, (socket: WebSocket) => void, object]>([
  [
    'a container that is not there',
    (socket) => end(socket, failure(400, 'BadRequest', 'container x is not valid for pod web')),
    { code: 'bad-request', message: expect.stringMatching(/^exec pods\/exec ns\/web: container x is not valid/) },
  ],
  [
    'a program that is not there',
    (socket) => end(socket, failure(500, 'InternalError', 'exec: "nope": executable file not found in $PATH')),
    { code: 'server-error' },
  ],
  [
    'plain words',
    (socket) => {
      say(socket, 3, 'oops');
      socket.close(1000);
    },
    { code: 'server-error', message: expect.stringContaining('oops') },
  ],
  [
    'an end without a status',
    (socket) => socket.close(1000),
    { code: 'connection-lost', message: expect.stringContaining('before the process did') },
  ],
  ['a broken connection', (socket) => socket.terminate(), { code: 'connection-lost' }],
])('%s is an error of exit and of the outputs', async (_, act, error) => {
  await using at = await startPod(v5, act);
  const process = await exec(at.transport, pod, { command: ['x'] });
  await expect(process.exit).rejects.toMatchObject(error);
  await expect(text(process.stdout)).rejects.toMatchObject(error);
});

test('an abort, and closing, end the connection', async () => {
  const closed = vi.fn();
  await using at = await startPod(v5, (socket) => socket.on('close', closed));
  const controller = new AbortController();
  const aborted = await exec(at.transport, pod, { command: ['x'], signal: controller.signal });
  controller.abort();
  await expect(aborted.exit).rejects.toMatchObject({ code: 'aborted' });
  {
    await using process = await exec(at.transport, pod, { command: ['x'] });
    process.stdout.resume();
  }
  await vi.waitFor(() => expect(closed).toHaveBeenCalledTimes(2));
});
