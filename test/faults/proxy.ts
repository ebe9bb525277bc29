import { once } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { Agent, createServer, request as requestUpstream, type Server } from 'node:https';
import type { AddressInfo, Socket } from 'node:net';
import { createAuthority } from '../../packages/kube/transport/certificates.fixture.ts';

/** What the proxy does to one answer, from its first byte on. */
export type AnswerFault = (answer: FaultyAnswer) => void;

/** A request that the proxy may answer by itself. True: it did. */
export type RequestFault = (request: IncomingMessage, response: ServerResponse) => boolean;

/**
 * A proxy between a client and a real API server that ends TLS on both sides, so that a test can break a connection at
 * any byte of HTTP, hold it, or speak in the server's place.
 */
export class FaultProxy implements AsyncDisposable {
  readonly authority: string;
  /** Asked for each request, the first that answers wins. */
  readonly requestFaults = new Set<RequestFault>();
  /** Open watches, for faults in the middle. */
  readonly watches = new Set<FaultyAnswer>();
  /** Called with each answer to a list, before its first byte. */
  onList: AnswerFault | undefined;
  /** Connections that are reset before their TLS handshake. */
  resetNext = 0;
  readonly seen: string[] = [];
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();
  readonly #upstream: { readonly url: URL; readonly agent: Agent };

  private constructor(server: Server, authority: string, upstream: { url: string; ca: string }) {
    this.#server = server;
    this.authority = authority;
    this.#upstream = { url: new URL(upstream.url), agent: new Agent({ ca: upstream.ca, keepAlive: false }) };
    server.on('request', (request: IncomingMessage, response: ServerResponse) => this.#serve(request, response));
    server.on('connection', (socket: Socket) => {
      this.#sockets.add(socket);
      socket.on('error', () => undefined).on('close', () => this.#sockets.delete(socket));
      if (this.resetNext > 0) {
        this.resetNext--;
        socket.resetAndDestroy();
      }
    });
    server.on('tlsClientError', () => undefined);
  }

  static async start(upstream: { readonly url: string; readonly ca: string }): Promise<FaultProxy> {
    const authority = await createAuthority();
    const { cert, key } = await authority.issue(['127.0.0.1']);
    const server = createServer({ cert, key });
    const proxy = new FaultProxy(server, authority.pem, upstream);
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    return proxy;
  }

  get url(): string {
    return `https://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  /** A TCP reset on every connection. */
  reset(): void {
    for (const socket of this.#sockets) socket.resetAndDestroy();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const closed = once(this.#server, 'close');
    this.#server.close();
    for (const socket of this.#sockets) socket.destroy();
    this.#upstream.agent.destroy();
    await closed;
  }

  #serve(request: IncomingMessage, response: ServerResponse): void {
    this.seen.push(`${request.method} ${request.url}`);
    for (const fault of this.requestFaults) if (fault(request, response)) return;
    const { url, agent } = this.#upstream;
    const upstream = requestUpstream(
      {
        agent,
        host: url.hostname,
        port: url.port,
        method: request.method,
        path: request.url,
        headers: { ...request.headers, host: url.host },
      },
      (answer) => this.#pass(request, answer, response),
    );
    upstream.on('error', () => response.destroy());
    response.on('close', () => upstream.destroy());
    request.pipe(upstream);
  }

  #pass(request: IncomingMessage, answer: IncomingMessage, response: ServerResponse): void {
    const { 'content-length': _length, ...headers } = answer.headers;
    response.writeHead(answer.statusCode ?? 502, headers);
    response.flushHeaders();
    const faulty = new FaultyAnswer(response);
    const query = new URL(request.url ?? '/', 'http://proxy').searchParams;
    if (query.has('watch')) {
      this.watches.add(faulty);
      response.on('close', () => this.watches.delete(faulty));
    } else if (answer.statusCode === 200) {
      this.onList?.(faulty);
    }
    answer.on('data', (chunk: Buffer) => faulty.write(chunk));
    answer.on('end', () => faulty.end());
    answer.on('error', () => response.destroy());
    answer.on('aborted', () => response.destroy());
  }
}

/** An answer on its way through. */
export class FaultyAnswer {
  readonly #response: ServerResponse;
  #held: Buffer[] | undefined;
  #left = Number.POSITIVE_INFINITY;
  #then: 'break' | 'end' = 'break';

  constructor(response: ServerResponse) {
    this.#response = response;
  }

  /** After so many more bytes the connection breaks, or the answer ends as if it were complete. */
  cutAfter(bytes: number, then: 'break' | 'end' = 'break'): void {
    this.#left = bytes;
    this.#then = then;
  }

  /** Keeps everything back until `release`. */
  hold(): void {
    this.#held ??= [];
  }

  release(): void {
    const held = this.#held ?? [];
    this.#held = undefined;
    for (const chunk of held) this.write(chunk);
  }

  /** Says something in the server's place. Chunks of a watch are whole lines, so this falls between two. */
  inject(text: string): void {
    this.#response.write(text);
  }

  write(chunk: Buffer): void {
    if (this.#held) {
      this.#held.push(chunk);
      return;
    }
    if (chunk.length <= this.#left) {
      this.#left -= chunk.length;
      this.#response.write(chunk);
      return;
    }
    const part = chunk.subarray(0, this.#left);
    if (this.#then === 'end') this.#response.end(part);
    else this.#response.write(part, () => this.#response.destroy());
    this.#left = Number.POSITIVE_INFINITY;
    this.write = () => {};
    this.end = () => {};
  }

  end(): void {
    if (!this.#held) this.#response.end();
  }
}
