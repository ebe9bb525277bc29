import { once } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer, type Server } from 'node:https';
import type { AddressInfo, Socket } from 'node:net';
import { setImmediate } from 'node:timers/promises';
import type { ClusterConfig, ClusterConfigInit } from '../config/cluster-config.ts';
import { clusterConfig } from '../config/cluster-config.ts';
import type { ClientCertificate } from '../config/credentials.ts';
import type { TestAuthority } from './certificates.fixture.ts';
import { createAuthority } from './certificates.fixture.ts';

export type Handler = (request: IncomingMessage & { text: string }, response: ServerResponse, count: number) => void;

export interface TestApi extends AsyncDisposable {
  readonly url: string;
  readonly authority: TestAuthority;
  readonly server: Server;
  /** Every request so far: method and URL. */
  readonly seen: string[];
  /** Connections ever accepted. */
  readonly connections: () => number;
  config(init?: Partial<ClusterConfigInit>): ClusterConfig;
}

export interface TestApiOptions {
  readonly authority?: TestAuthority | undefined;
  readonly certificate?: ClientCertificate | undefined;
}

/** An HTTPS server that answers as the test says. The handler gets the whole body and the number of the request. */
export async function startApi(handler: Handler, options: TestApiOptions = {}): Promise<TestApi> {
  const authority = options.authority ?? (await createAuthority());
  const { cert, key } = options.certificate ?? (await authority.issue(['127.0.0.1', 'api.test']));
  const sockets = new Set<Socket>();
  const seen: string[] = [];
  let connections = 0;
  const server = createServer({ cert, key, requestCert: true, rejectUnauthorized: false }, (request, response) => {
    seen.push(`${request.method} ${request.url}`);
    const count = seen.length;
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      handler(Object.assign(request, { text: Buffer.concat(chunks).toString('utf8') }), response, count);
    });
  });
  server.on('connection', (socket: Socket) => {
    connections += 1;
    sockets.add(socket);
    socket.on('error', () => undefined).on('close', () => sockets.delete(socket));
  });
  server.on('tlsClientError', () => undefined);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = `https://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    url,
    authority,
    server,
    seen,
    connections: () => connections,
    config: (init) => clusterConfig({ server: url, ca: authority.pem, source: 'the test', ...init }),
    async [Symbol.asyncDispose]() {
      const closed = once(server, 'close');
      server.close();
      for (const socket of sockets) socket.destroy();
      await closed;
    },
  };
}

export function answer(
  response: ServerResponse,
  status: number,
  body: unknown,
  headers: Record<string, string> = {},
): void {
  response.writeHead(status, { 'content-type': 'application/json', ...headers });
  response.end(typeof body === 'string' ? body : JSON.stringify(body));
}

/** A Status as the API server writes them. */
export function failure(code: number, reason: string, message: string, details: object = {}): object {
  return { kind: 'Status', apiVersion: 'v1', status: 'Failure', code, reason, message, details };
}

/** Waits until a number stops changing: for things that must come to a halt by themselves. */
export async function quiet(value: () => number): Promise<number> {
  for (let before = Number.NaN; before !== value(); ) {
    before = value();
    for (let turn = 0; turn < 200; turn += 1) await setImmediate();
  }
  return value();
}
