/** The API server's sockets: TLS always, bodies bounded, back-pressure kept, slow and silent clients cut off. */
import type { IncomingMessage, OutgoingHttpHeaders, ServerResponse } from 'node:http';
import { createServer, type Server } from 'node:https';
import type { AddressInfo, Socket } from 'node:net';
import type { TLSSocket } from 'node:tls';
import type { Peer } from '../auth/contract.ts';
import { ApiError, tooLarge } from './api-error.ts';
import { type ApiResponse, jsonResponse } from './exchange.ts';
import type { Handle } from './handler.ts';

export interface ListenerOptions {
  readonly handle: Handle;
  readonly tls: { readonly key: string; readonly cert: string; readonly clientCa: string };
  readonly host: string;
  readonly port: number;
  /** Takes over sockets that ask for another protocol (exec, attach, port-forward). */
  readonly upgrade?: (request: IncomingMessage, socket: Socket, head: Buffer, peer: Peer) => void;
}

export interface Listener {
  readonly port: number;
  /** Takes no new requests, lets running ones end, cuts watches, then resolves. */
  close(): Promise<void>;
}

/** The real server's bound for a body. */
export const MAX_BODY = 3 * 1024 * 1024;
/** A client that takes nothing for this long is gone. */
const SEND_TIMEOUT_MS = 60_000;

export function listen(options: ListenerOptions): Promise<Listener> {
  const { key, cert, clientCa } = options.tls;
  const stopping = new AbortController();
  const server = createServer(
    {
      key,
      cert,
      ca: clientCa,
      requestCert: true,
      rejectUnauthorized: false,
      minVersion: 'TLSv1.2',
      keepAliveTimeout: 120_000,
    },
    (request, response) => {
      serve(options.handle, request, response, stopping.signal).catch(() => response.destroy());
    },
  );
  server.headersTimeout = 30_000;
  server.requestTimeout = 60_000;
  server.on('upgrade', (request: IncomingMessage, socket: Socket, head: Buffer) => {
    if (options.upgrade) options.upgrade(request, socket, head, peerOf(request));
    else socket.destroy();
  });
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(options.port, options.host, () => {
      server.off('error', reject);
      resolve({ port: (server.address() as AddressInfo).port, close: () => close(server, stopping) });
    });
  });
}

function close(server: Server, stopping: AbortController): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve());
    stopping.abort();
    server.closeIdleConnections();
  });
}

async function serve(
  handle: Handle,
  request: IncomingMessage,
  response: ServerResponse,
  stopping: AbortSignal,
): Promise<void> {
  const gone = new AbortController();
  const onStop = () => gone.abort();
  stopping.addEventListener('abort', onStop, { once: true });
  response.once('close', () => {
    stopping.removeEventListener('abort', onStop);
    gone.abort();
  });
  const target = request.url ?? '/';
  const question = target.indexOf('?');
  let answer: ApiResponse;
  try {
    answer = await handle({
      method: request.method ?? 'GET',
      path: question < 0 ? target : target.slice(0, question),
      query: new URLSearchParams(question < 0 ? '' : target.slice(question + 1)),
      headers: request.headers as Record<string, string | undefined>,
      body: await readBody(request),
      signal: gone.signal,
      peer: peerOf(request),
    });
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    // The rest of an oversized body is not read; the connection can't be used again.
    response.setHeader('connection', 'close');
    answer = jsonResponse(error.code, error.toStatus());
  }
  await send(response, answer, request.method === 'HEAD');
}

async function readBody(request: IncomingMessage): Promise<Buffer> {
  const declared = Number(request.headers['content-length'] ?? 0);
  if (declared > MAX_BODY) throw tooLarge(MAX_BODY);
  if (declared === 0 && request.headers['transfer-encoding'] === undefined) return Buffer.alloc(0);
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > MAX_BODY) throw tooLarge(MAX_BODY);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

async function send(
  response: ServerResponse,
  { status, headers, body }: ApiResponse,
  headOnly: boolean,
): Promise<void> {
  if (typeof body === 'string' || Buffer.isBuffer(body)) {
    response.writeHead(status, { ...(headers as OutgoingHttpHeaders), 'content-length': Buffer.byteLength(body) });
    response.end(headOnly ? undefined : body);
    return;
  }
  response.writeHead(status, headers as OutgoingHttpHeaders);
  response.flushHeaders();
  for await (const piece of body) {
    if (response.destroyed) return;
    if (!response.write(piece) && !(await drained(response))) return;
  }
  response.end();
}

function drained(response: ServerResponse): Promise<boolean> {
  return new Promise((resolve) => {
    const finish = (ok: boolean) => {
      clearTimeout(timer);
      response.off('drain', onDrain);
      response.off('close', onClose);
      resolve(ok);
    };
    const onDrain = () => finish(true);
    const onClose = () => finish(false);
    const timer = setTimeout(() => {
      response.destroy();
      finish(false);
    }, SEND_TIMEOUT_MS);
    response.once('drain', onDrain);
    response.once('close', onClose);
  });
}

/** A certificate counts only when TLS itself verified its chain. */
function peerOf(request: IncomingMessage): Peer {
  const socket = request.socket as TLSSocket;
  if (!socket.authorized) return {};
  const { subject } = socket.getPeerCertificate();
  if (!subject) return {};
  const organizations = subject.O as string | string[] | undefined;
  const list = organizations === undefined ? [] : Array.isArray(organizations) ? organizations : [organizations];
  return { certificate: { commonName: typeof subject.CN === 'string' ? subject.CN : '', organizations: list } };
}
