import { createServer, type Server, type Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { KubeError } from '../errors.ts';
import type { ObjectKey } from '../object.ts';
import { keyText } from '../object.ts';
import { SpdySession } from '../spdy/session.ts';
import type { SpdyStream } from '../spdy/stream.ts';
import type { Transport } from '../transport/contract.ts';
import { podPath } from './pod-path.ts';

export const portForwardProtocol = 'SPDY/3.1+portforward.k8s.io';

export interface ForwardOptions {
  readonly signal?: AbortSignal | undefined;
  /** For opening the connection. */
  readonly timeoutMs?: number | undefined;
}

/**
 * One TCP connection to a port of a pod. Each has a WebSocket of its own: Kubernetes' SPDY keeps no windows, so on a
 * shared one a reader that pauses would stop all the others.
 */
export async function portForward(
  transport: Transport,
  pod: ObjectKey,
  port: number,
  options: ForwardOptions = {},
): Promise<Duplex> {
  const { signal, timeoutMs } = options;
  const socket = await transport.connect(
    {
      method: 'GET',
      path: podPath(pod, 'portforward'),
      signal,
      timeoutMs,
      operation: { verb: 'portforward', resource: `pods ${keyText(pod)}` },
    },
    [portForwardProtocol],
  );
  const session = new SpdySession({ side: 'client', link: socket });
  try {
    const headers = { port: String(port), requestid: '0' };
    // The server pairs the two streams by their request id and waits for both.
    const errors = session.open({ ...headers, streamtype: 'error' });
    errors.end();
    const data = session.open({ ...headers, streamtype: 'data' });
    data.once('close', () => session.close());
    // Until the caller has it, a failure shows in `replied`.
    const ignore = (): void => undefined;
    data.on('error', ignore);
    watchErrors(errors, data, pod, port);
    await data.replied;
    data.off('error', ignore);
    return data;
  } catch (error) {
    session.close();
    throw error;
  }
}

/**
 * Whatever comes on the error stream ends the connection, in the server's own words. At its first chunk and not later:
 * the server ends the data stream next, and its reader must not take that for a proper end.
 */
function watchErrors(errors: SpdyStream, data: SpdyStream, pod: ObjectKey, port: number): void {
  // When the session ends, the data stream tells its reader.
  errors.on('error', () => undefined);
  errors.on('data', (message: Buffer) => {
    if (data.destroyed || data.readableEnded) return;
    const words = message.toString('utf8').trim();
    const text = `Port ${port} of pod ${keyText(pod)} cannot be reached: ${words}. Check that something listens there.`;
    data.destroy(new KubeError('unreachable', text));
  });
}

export interface ForwardListenOptions extends ForwardOptions {
  /** Port of the pod. */
  readonly remotePort: number;
  /** 0, the default, takes a free one. */
  readonly localPort?: number | undefined;
  /** Default 127.0.0.1: nobody else reaches it. */
  readonly host?: string | undefined;
  /** Connections that failed; the listener goes on. */
  readonly onError?: ((error: unknown) => void) | undefined;
}

export interface ForwardListener extends AsyncDisposable {
  readonly port: number;
  close(): Promise<void>;
}

/** Listens on this machine and carries every connection to a port of the pod. */
export async function listenForward(
  transport: Transport,
  pod: ObjectKey,
  options: ForwardListenOptions,
): Promise<ForwardListener> {
  const { remotePort, localPort = 0, host = '127.0.0.1', onError, ...forward } = options;
  const sockets = new Set<Socket>();
  // Half-open: a client that has said all may still wait for the answer.
  const server = createServer({ allowHalfOpen: true, pauseOnConnect: true }, (socket) => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
    carry(socket, transport, pod, remotePort, forward).catch((error: unknown) => {
      socket.destroy();
      onError?.(error);
    });
  });
  await listen(server, localPort, host);
  const address = server.address();
  const close = async (): Promise<void> => {
    const ended = new Promise<void>((resolve) => server.close(() => resolve()));
    for (const socket of sockets) socket.destroy();
    await ended;
  };
  return {
    port: typeof address === 'object' && address ? address.port : localPort,
    close,
    [Symbol.asyncDispose]: close,
  };
}

async function carry(
  socket: Socket,
  transport: Transport,
  pod: ObjectKey,
  port: number,
  options: ForwardOptions,
): Promise<void> {
  // A client that leaves while the connection to the pod is being made must not crash the listener.
  socket.on('error', () => undefined);
  const remote = await portForward(transport, pod, port, options);
  try {
    await Promise.all([pipeline(socket, remote, { end: true }), pipeline(remote, socket, { end: true })]);
  } finally {
    remote.destroy();
  }
}

function listen(server: Server, port: number, host: string): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', (cause) =>
      reject(
        new KubeError('unreachable', `Cannot listen on ${host}:${port}: ${cause.message}. Choose another local port.`, {
          cause,
        }),
      ),
    );
    server.listen(port, host, () => resolve());
  });
}
