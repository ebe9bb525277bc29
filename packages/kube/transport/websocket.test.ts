import { expect, test, vi } from 'vitest';
import type WebSocket from 'ws';
import { WebSocketServer } from 'ws';
import { ManualClock } from '../testing/manual-clock.ts';
import type { TestApi } from './api.fixture.ts';
import { answer, failure, quiet, startApi } from './api.fixture.ts';
import { createTransport } from './http.ts';

const request = { method: 'GET', path: '/exec', operation: { verb: 'exec', resource: 'pods' } } as const;

function serve(api: TestApi, onSocket: (socket: WebSocket) => void, protocol = 'b'): WebSocketServer {
  const server = new WebSocketServer({
    server: api.server,
    handleProtocols: (offered) => (offered.has(protocol) ? protocol : false),
  });
  server.on('connection', onSocket);
  return server;
}

test('carries messages both ways under the protocol that the server took', async () => {
  await using api = await startApi(() => undefined);
  const headers = Promise.withResolvers<Record<string, unknown>>();
  serve(api, (socket) => socket.on('message', (data) => socket.send(data))).on('connection', (_, upgrade) =>
    headers.resolve(upgrade.headers),
  );
  const transport = createTransport(api.config({ token: 'secret', impersonate: { user: 'jane', groups: ['a', 'b'] } }));
  const socket = await transport.connect(request, ['a', 'b']);
  expect(socket.protocol).toBe('b');
  expect(await headers.promise).toMatchObject({
    authorization: 'Bearer secret',
    'impersonate-user': 'jane',
    'impersonate-group': 'a, b',
  });
  await socket.send(Buffer.from('ping'));
  for await (const message of socket.messages) {
    expect(message.toString()).toBe('ping');
    break;
  }
  await transport.close();
});

test('what is not read is not taken from the wire', async () => {
  await using api = await startApi(() => undefined);
  const server = Promise.withResolvers<WebSocket>();
  serve(api, server.resolve);
  const transport = createTransport(api.config());
  const socket = await transport.connect(request, ['b']);
  const far = await server.promise;
  const total = 64;
  for (let index = 0; index < total; index += 1) far.send(Buffer.alloc(1024 * 1024));
  far.close(1000);
  expect(await quiet(() => far.bufferedAmount)).toBeGreaterThan(20 * 1024 * 1024);
  let received = 0;
  for await (const message of socket.messages) received += message.length;
  expect(received).toBe(total * 1024 * 1024);
  await transport.close();
});

test('a refusal is the error that the server gave', async () => {
  await using api = await startApi(() => undefined);
  api.server.on('upgrade', (_, socket) => {
    const body = JSON.stringify(
      failure(403, 'Forbidden', 'pods "x" is forbidden: User "jane" cannot create resource "pods/exec"'),
    );
    socket.end(
      `HTTP/1.1 403 Forbidden\r\ncontent-length: ${body.length}\r\ncontent-type: application/json\r\n\r\n${body}`,
    );
  });
  const transport = createTransport(api.config());
  await expect(transport.connect(request, ['b'])).rejects.toMatchObject({
    code: 'forbidden',
    status: 403,
    message: expect.stringMatching(/^exec pods: .*Bind a Role/),
  });
  await transport.close();
});

test('a server that takes none of the protocols', async () => {
  await using api = await startApi(() => undefined);
  serve(api, () => undefined, 'c');
  const transport = createTransport(api.config());
  await expect(transport.connect(request, ['a', 'b'])).rejects.toMatchObject({
    code: 'bad-response',
    message: expect.stringMatching(/took none of the WebSocket protocols a, b/),
  });
  await transport.close();
});

test('401 renews the credentials once', async () => {
  await using api = await startApi(() => undefined);
  const server = new WebSocketServer({ noServer: true });
  api.server.on('upgrade', (upgrade, socket, head) => {
    if (upgrade.headers.authorization === 'Bearer new') server.handleUpgrade(upgrade, socket, head, () => undefined);
    else socket.end('HTTP/1.1 401 Unauthorized\r\ncontent-length: 0\r\n\r\n');
  });
  let auth = { authorization: 'Bearer old' };
  const refused = (): boolean => {
    auth = { authorization: 'Bearer new' };
    return true;
  };
  const transport = createTransport(api.config({ credentials: { current: () => auth, refused, describe: () => '' } }));
  const socket = await transport.connect(request, []);
  socket.close();
  await transport.close();
});

test('a server without WebSockets', async () => {
  await using api = await startApi((_, response) => answer(response, 404, 'nothing here'));
  const transport = createTransport(api.config());
  await expect(transport.connect(request, ['b'])).rejects.toMatchObject({ code: 'not-found' });
  await transport.close();
});

test('a server that does not take up the offer hits the deadline', async () => {
  await using api = await startApi(() => undefined);
  const arrived = Promise.withResolvers<void>();
  api.server.on('upgrade', () => arrived.resolve());
  const clock = new ManualClock();
  const transport = createTransport(api.config(), { clock });
  const opening = transport.connect({ ...request, timeoutMs: 500 }, ['b']);
  opening.catch(() => undefined);
  await arrived.promise;
  await clock.move(500);
  await expect(opening).rejects.toMatchObject({ code: 'timeout' });
  await transport.close();
});

test('a connection that breaks, is aborted, or falls silent ends its reader with the reason', async () => {
  await using api = await startApi(() => undefined);
  const sockets: WebSocket[] = [];
  serve(api, (socket) => sockets.push(socket));
  const clock = new ManualClock();
  const transport = createTransport(api.config(), { clock });

  const broken = await transport.connect(request, ['b']);
  sockets[0]?.terminate();
  await expect(Array.fromAsync(broken.messages)).rejects.toMatchObject({ code: 'connection-lost' });

  const controller = new AbortController();
  const aborted = await transport.connect({ ...request, signal: controller.signal }, ['b']);
  controller.abort();
  await expect(Array.fromAsync(aborted.messages)).rejects.toMatchObject({ code: 'aborted' });

  const silent = await transport.connect(request, ['b']);
  const reading = Array.fromAsync(silent.messages);
  reading.catch(() => undefined);
  await vi.waitFor(() => expect(sockets[2]).toBeDefined());
  sockets[2]?.pause();
  await clock.move(60_000);
  await expect(reading).rejects.toMatchObject({ code: 'connection-lost', message: expect.stringContaining('silent') });

  const left = await transport.connect(request, ['b']);
  const last = Array.fromAsync(left.messages);
  last.catch(() => undefined);
  await transport.close();
  await expect(last).rejects.toMatchObject({ code: 'aborted' });
});
