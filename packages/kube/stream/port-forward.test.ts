import { once } from 'node:events';
import { connect } from 'node:net';
import { buffer, text } from 'node:stream/consumers';
import { expect, test, vi } from 'vitest';
import type WebSocket from 'ws';
import { createWebSocketStream } from 'ws';
import { duplexLink } from '../spdy/duplex-link.ts';
import { SpdySession } from '../spdy/session.ts';
import type { SpdyStream } from '../spdy/stream.ts';
import { startPod } from './pod.fixture.ts';
import { listenForward, portForward, portForwardProtocol } from './port-forward.ts';

const pod = { namespace: 'ns', name: 'web' };

/** What a kubelet does: pairs the two streams of a request and hands over the data stream. */
function kubelet(serve: (data: SpdyStream, error: SpdyStream, port: string) => void): (socket: WebSocket) => void {
  return (socket) => {
    const pairs = new Map<string, { error?: SpdyStream; data?: SpdyStream }>();
    const link = createWebSocketStream(socket);
    link.on('error', () => undefined);
    new SpdySession({
      side: 'server',
      link: duplexLink(link),
      onStream: (stream) => {
        stream.on('error', () => undefined);
        void stream.reply();
        const { requestid = '', streamtype, port = '' } = stream.headers;
        const pair = pairs.get(requestid) ?? {};
        pairs.set(requestid, pair);
        pair[streamtype === 'error' ? 'error' : 'data'] = stream;
        if (pair.data && pair.error) serve(pair.data, pair.error, port);
      },
    });
  };
}

const echo = kubelet((data, error) => {
  data.pipe(data);
  data.once('end', () => error.end());
});

test('carries bytes both ways, each way ended by itself', async () => {
  await using at = await startPod([portForwardProtocol], echo);
  const stream = await portForward(at.transport, pod, 8080);
  const sent = Buffer.alloc(3_000_000, 'x');
  const received = buffer(stream);
  stream.end(sent);
  expect((await received).equals(sent)).toBe(true);
});

test('the words of the error stream are the error of the connection', async () => {
  await using at = await startPod(
    [portForwardProtocol],
    kubelet((data, error, port) => {
      error.end(`dial tcp 127.0.0.1:${port}: connect: connection refused`);
      error.once('finish', () => data.end());
    }),
  );
  const stream = await portForward(at.transport, pod, 81);
  await expect(text(stream)).rejects.toMatchObject({
    code: 'unreachable',
    message:
      'Port 81 of pod ns/web cannot be reached: dial tcp 127.0.0.1:81: connect: connection refused. Check that something listens there.',
  });
});

test('a connection that breaks before it is accepted is an error', async () => {
  await using at = await startPod([portForwardProtocol], (socket) => socket.terminate());
  await expect(portForward(at.transport, pod, 80)).rejects.toMatchObject({ code: 'connection-lost' });
});

test('ending the stream ends its WebSocket', async () => {
  const closed = vi.fn();
  await using at = await startPod([portForwardProtocol], (socket) => {
    socket.on('close', closed);
    echo(socket);
  });
  const stream = await portForward(at.transport, pod, 80);
  stream.destroy();
  await vi.waitFor(() => expect(closed).toHaveBeenCalled());
});

test('listens on this machine, one WebSocket for each connection, so that none waits for another', async () => {
  const sockets = vi.fn();
  await using at = await startPod([portForwardProtocol], (socket) => {
    sockets();
    echo(socket);
  });
  await using listener = await listenForward(at.transport, pod, { remotePort: 8080 });
  const stuck = connect(listener.port, '127.0.0.1');
  stuck.write(Buffer.alloc(20_000_000));
  stuck.pause();
  const answers = Array.from({ length: 3 }, async (_, index) => {
    const client = connect(listener.port, '127.0.0.1');
    client.end(`hello ${index}`);
    return text(client);
  });
  expect(await Promise.all(answers)).toEqual(['hello 0', 'hello 1', 'hello 2']);
  expect(sockets).toHaveBeenCalledTimes(4);
  stuck.destroy();
});

test('a connection that fails is reported, and the listener goes on', async () => {
  let first = true;
  await using at = await startPod([portForwardProtocol], (socket) => {
    if (first) socket.terminate();
    else echo(socket);
    first = false;
  });
  const onError = vi.fn();
  await using listener = await listenForward(at.transport, pod, { remotePort: 80, onError });
  const failed = connect(listener.port, '127.0.0.1').on('error', () => undefined);
  await once(failed, 'close');
  await vi.waitFor(() => expect(onError).toHaveBeenCalledWith(expect.objectContaining({ code: 'connection-lost' })));
  const client = connect(listener.port, '127.0.0.1');
  client.end('again');
  expect(await text(client)).toBe('again');
  await expect(listenForward(at.transport, pod, { remotePort: 80, localPort: listener.port })).rejects.toMatchObject({
    code: 'unreachable',
    message: expect.stringMatching(/Cannot listen on 127\.0\.0\.1:\d+: .*Choose another local port/),
  });
});
