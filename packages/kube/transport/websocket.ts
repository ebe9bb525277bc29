import type { IncomingMessage } from 'node:http';
import WebSocket from 'ws';
import { KubeError } from '../errors.ts';
import { errorFromAnswer } from './answer.ts';
import { ByteQueue } from './byte-queue.ts';
import type { KubeRequest, KubeSocket, Transport } from './contract.ts';
import type { Dial } from './dial.ts';
import type { Line } from './exchange.ts';
import { abortedError, closedError, failureOf, timeoutError } from './failure.ts';
import { requestTarget } from './query.ts';

/** How often a quiet connection is asked whether it is still there. */
const heartbeatMs = 30_000;

export interface SocketOptions {
  readonly line: Line;
  readonly dial: Dial;
  readonly server: URL;
  readonly headers: Readonly<Record<string, string | string[]>>;
  readonly about: Transport['about'];
}

/** Opens one WebSocket with the same connections, credentials and deadlines as everything else. */
export function openSocket(
  options: SocketOptions,
  request: KubeRequest,
  protocols: readonly string[],
): Promise<KubeSocket> {
  const { line, dial, server } = options;
  const { signal, timeoutMs = line.timeoutMs } = request;
  const what = request.operation ? `${request.operation.verb} ${request.operation.resource}` : request.path;
  return new Promise((resolve, reject) => {
    if (signal?.aborted) return reject(abortedError(what, signal));
    const target = requestTarget(line.basePath, request);
    const socket = new WebSocket(`${server.protocol === 'https:' ? 'wss' : 'ws'}://${server.host}${target}`, {
      // Kubernetes' port-forward protocol has a slash in its name, which ws refuses: the offer is made by hand.
      // (Node takes lists of values; the types of ws do not know it.)
      headers: { ...options.headers, ...offerOf(protocols) } as Record<string, string>,
      perMessageDeflate: false,
      maxPayload: 0x7fffffff,
      createConnection: ((_: unknown, created: (error: Error | null, socket?: unknown) => void) => {
        dial(
          { hostname: server.hostname, host: server.host, protocol: server.protocol, port: server.port },
          (error, raw) => (error ? created(error) : created(null, raw)),
        );
      }) as unknown as typeof import('node:net').createConnection,
    });
    let protocol = '';
    socket.once('upgrade', (answer) => {
      protocol = answer.headers['sec-websocket-protocol'] ?? '';
      delete answer.headers['sec-websocket-protocol'];
    });
    const give = (error: KubeError): void => {
      settle();
      reject(error);
      socket.on('error', () => undefined);
      socket.terminate();
    };
    const onAbort = (): void => {
      if (signal) give(abortedError(what, signal));
    };
    const stopDeadline = line.clock.after(timeoutMs, () => give(timeoutError(what, timeoutMs, line.peer, undefined)));
    const settle = (): void => {
      stopDeadline();
      signal?.removeEventListener('abort', onAbort);
      socket.removeAllListeners('error');
      socket.removeAllListeners('unexpected-response');
    };
    signal?.addEventListener('abort', onAbort);
    socket.once('error', (error) => give(failureOf(error, line.peer, false)));
    socket.once('unexpected-response', (call, answer) => {
      readBody(answer).then((body) => {
        const { verb = 'connect', resource = request.path } = request.operation ?? {};
        const status = answer.statusCode ?? 0;
        call.destroy();
        give(errorFromAnswer({ status, headers: answer.headers, body }, { verb, resource, about: options.about }));
      });
    });
    // Synchronously inside 'open': a message may follow in the same turn.
    socket.once('open', () => {
      if (protocols.length > 0 && !protocols.includes(protocol)) {
        give(noProtocol(what, line, protocols, protocol));
        return;
      }
      settle();
      resolve(wrap(socket, protocol, line, what, signal));
    });
  });
}

function offerOf(protocols: readonly string[]): Record<string, string> {
  return protocols.length === 0 ? {} : { 'sec-websocket-protocol': protocols.join(', ') };
}

function noProtocol(what: string, line: Line, offered: readonly string[], taken: string): KubeError {
  return new KubeError(
    'bad-response',
    `${what}: ${line.peer.server} took ${taken === '' ? 'none' : taken} of the WebSocket protocols ${offered.join(', ')}. It needs Kubernetes 1.30 or later.`,
  );
}

async function readBody(answer: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let size = 0;
  try {
    for await (const chunk of answer as AsyncIterable<Buffer>) {
      chunks.push(chunk);
      size += chunk.length;
      if (size > 1024 * 1024) break;
    }
  } catch {
    // The status line already says what happened; its explanation was cut off.
  }
  return Buffer.concat(chunks);
}

function wrap(
  socket: WebSocket,
  protocol: string,
  line: Line,
  what: string,
  signal: AbortSignal | undefined,
): KubeSocket {
  const messages = new ByteQueue({
    pause: () => socket.pause(),
    resume: () => socket.resume(),
    cancel: () => socket.close(),
  });
  let answered = true;
  let stopHeartbeat: () => void;
  const beat = (): void => {
    // A paused socket reads no pongs: only a reader that keeps up can tell a dead peer.
    if (!answered && !socket.isPaused) {
      messages.end(
        new KubeError(
          'connection-lost',
          `${what}: ${line.peer.server} fell silent and is taken for gone. Connect again.`,
        ),
      );
      socket.terminate();
      return;
    }
    answered = false;
    socket.ping();
    stopHeartbeat = line.clock.after(heartbeatMs, beat, { unref: true });
  };
  stopHeartbeat = line.clock.after(heartbeatMs, beat, { unref: true });

  const onAbort = (): void => {
    if (signal) messages.end(abortedError(what, signal));
    socket.terminate();
  };
  signal?.addEventListener('abort', onAbort);
  const stop: Disposable = {
    [Symbol.dispose]() {
      messages.end(closedError(line.peer));
      socket.terminate();
    },
  };
  line.live.add(stop);
  socket.on('pong', () => {
    answered = true;
  });
  socket.on('message', (data: WebSocket.RawData) => {
    answered = true;
    messages.push(toBuffer(data));
  });
  socket.on('error', (error) => messages.end(failureOf(error, line.peer, true)));
  socket.on('close', (code, reason) => {
    stopHeartbeat();
    signal?.removeEventListener('abort', onAbort);
    line.live.delete(stop);
    messages.end(closeError(code, reason.toString('utf8'), what, line));
  });

  return {
    protocol,
    messages,
    send: (data) =>
      new Promise((resolve, reject) => {
        socket.send(data, { binary: true }, (error) => (error ? reject(failureOf(error, line.peer, true)) : resolve()));
      }),
    close(code, reason) {
      messages.discard();
      socket.close(code, reason);
    },
  };
}

/** 1000 is a proper end, 1005 one without a code; 1006 is a connection that just broke. */
function closeError(code: number, reason: string, what: string, line: Line): KubeError | undefined {
  if (code === 1000 || code === 1005) return undefined;
  const why =
    code === 1006 ? 'the connection broke' : `it was closed with code ${code}${reason === '' ? '' : ` (${reason})`}`;
  return new KubeError('connection-lost', `${what} at ${line.peer.server}: ${why}. Connect again.`);
}

function toBuffer(data: WebSocket.RawData): Buffer {
  if (Buffer.isBuffer(data)) return data;
  return Array.isArray(data) ? Buffer.concat(data) : Buffer.from(data);
}
