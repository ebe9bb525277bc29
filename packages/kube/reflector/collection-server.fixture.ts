import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { gzipSync } from 'node:zlib';
import { clusterConfig } from '../config/cluster-config.ts';
import { defineKind, type Kind } from '../kind.ts';
import type { KubeObject } from '../object.ts';
import type { Transport } from '../transport/contract.ts';
import { createTransport } from '../transport/http.ts';

export interface Widget extends KubeObject {
  data?: string;
}

export const Widget: Kind<Widget> = defineKind<Widget>({
  group: 'test.dev',
  version: 'v1',
  kind: 'Widget',
  plural: 'widgets',
  namespaced: true,
});

export interface Change {
  readonly type: 'ADDED' | 'MODIFIED' | 'DELETED';
  readonly version: number;
  readonly object: Widget;
}

/** What becomes of one request instead of a good answer. */
export type Fault =
  | { readonly status: number; readonly headers?: Record<string, string>; readonly body?: object }
  /** The connection breaks after so many bytes of the body. */
  | { readonly cutAfter: number };

interface Watcher {
  readonly response: ServerResponse;
  left: number;
}

/**
 * A scripted API server for one collection, on a real socket: list in pages and watch, history and compaction, and
 * every way in which an answer can break. What the tests of the reflector expect is computed from `history`.
 */
export class CollectionServer implements AsyncDisposable {
  readonly history: Change[] = [];
  readonly objects = new Map<string, Widget>();
  readonly requests: URL[] = [];
  /** Asked for each request; undefined lets it pass. */
  fault: (url: URL) => Fault | undefined = () => undefined;
  /** As custom resources do: items first. */
  metadataLast = false;
  serverVersion = { major: '1', minor: '36' };
  version = 100;
  #compacted = 0;
  #uid = 0;
  readonly #watchers = new Set<Watcher>();
  readonly #sockets = new Set<Socket>();
  readonly #server: Server;
  #port = 0;

  constructor() {
    this.#server = createServer((request, response) => this.#serve(request, response));
    this.#server.on('connection', (socket) => {
      this.#sockets.add(socket);
      socket.on('error', () => undefined).on('close', () => this.#sockets.delete(socket));
    });
  }

  static async start(): Promise<CollectionServer> {
    const server = new CollectionServer();
    await server.up();
    return server;
  }

  async up(): Promise<void> {
    this.#server.listen(this.#port, '127.0.0.1');
    await once(this.#server, 'listening');
    this.#port = (this.#server.address() as AddressInfo).port;
  }

  /** Away: nothing listens and every connection breaks. The data stays. */
  async down(): Promise<void> {
    const closed = once(this.#server, 'close');
    this.#server.close();
    for (const socket of this.#sockets) socket.destroy();
    this.#watchers.clear();
    await closed;
  }

  transport(): Transport {
    return createTransport(clusterConfig({ server: `http://127.0.0.1:${this.#port}`, source: 'the test' }));
  }

  get watches(): number {
    return this.#watchers.size;
  }

  put(name: string, data = '', labels: Record<string, string> = {}): Widget {
    const before = this.objects.get(name);
    const object: Widget = {
      apiVersion: 'test.dev/v1',
      kind: 'Widget',
      metadata: {
        name,
        namespace: 'default',
        uid: before?.metadata?.uid ?? `uid-${++this.#uid}`,
        resourceVersion: String(++this.version),
        labels,
        managedFields: [{ manager: 'a "quoted" one', fieldsV1: { 'k:{"type":"\\\\"}': { '.': {} } } }],
      },
      data,
    };
    this.objects.set(name, object);
    this.#record({ type: before ? 'MODIFIED' : 'ADDED', version: this.version, object });
    return object;
  }

  remove(name: string): void {
    const object = this.objects.get(name);
    if (!object) return;
    this.objects.delete(name);
    const last = { ...object, metadata: { ...object.metadata, resourceVersion: String(++this.version) } };
    this.#record({ type: 'DELETED', version: this.version, object: last });
  }

  /** Forgets the past: whoever wants to go on from there gets 410. */
  compact(): void {
    this.#compacted = this.version;
  }

  bookmark(): void {
    const metadata = { resourceVersion: String(this.version) };
    this.#broadcast(line('BOOKMARK', { kind: 'Widget', apiVersion: 'test.dev/v1', metadata }));
  }

  /** Into every open watch, as it is. */
  send(text: string): void {
    this.#broadcast(Buffer.from(text));
  }

  /** The server ends all watches, as it does after timeoutSeconds. */
  endWatches(): void {
    for (const { response } of this.#watchers) response.end();
    this.#watchers.clear();
  }

  /** All watches break after so many more bytes. */
  cutWatchesAfter(bytes: number): void {
    for (const watcher of this.#watchers) {
      watcher.left = bytes;
      if (bytes === 0) this.#write(watcher, Buffer.alloc(1));
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.down();
  }

  #serve(request: IncomingMessage, response: ServerResponse): void {
    const url = new URL(request.url ?? '/', 'http://server');
    if (url.pathname === '/version') {
      response.writeHead(200, { 'content-type': 'application/json' });
      response.end(JSON.stringify({ ...this.serverVersion, gitVersion: 'v1.36.0' }));
      return;
    }
    this.requests.push(url);
    const fault = this.fault(url);
    if (fault && 'status' in fault) {
      fail(response, fault.status, fault.body, fault.headers);
      return;
    }
    const cutAfter = fault?.cutAfter ?? Number.POSITIVE_INFINITY;
    if (url.searchParams.get('watch')) this.#watch(url, response, cutAfter);
    else this.#list(url, request, response, cutAfter);
  }

  #list(url: URL, request: IncomingMessage, response: ServerResponse, cutAfter: number): void {
    const token = url.searchParams.get('continue');
    const { version, after } = token
      ? (JSON.parse(Buffer.from(token, 'base64url').toString()) as { version: number; after: string })
      : { version: this.version, after: '' };
    if (version < this.#compacted) {
      fail(response, 410, expired);
      return;
    }
    const limit = Number(url.searchParams.get('limit') ?? 0) || Number.POSITIVE_INFINITY;
    const rest = [...this.#at(version).values()]
      .sort((a, b) => ((a.metadata?.name ?? '') < (b.metadata?.name ?? '') ? -1 : 1))
      .filter((object) => (object.metadata?.name ?? '') > after);
    const items = rest.slice(0, limit).map(({ kind: _kind, apiVersion: _version, ...item }) => item);
    const last = items.at(-1)?.metadata?.name;
    const more = rest.length > limit;
    const metadata = {
      resourceVersion: String(version),
      ...(more ? { continue: Buffer.from(JSON.stringify({ version, after: last })).toString('base64url') } : {}),
    };
    const head = { kind: 'WidgetList', apiVersion: 'test.dev/v1' };
    const page = this.metadataLast ? { ...head, items, metadata } : { ...head, metadata, items };
    const gzip = request.headers['accept-encoding'] === 'gzip';
    const text = JSON.stringify(page);
    const body = gzip ? gzipSync(text) : Buffer.from(text);
    response.writeHead(200, { 'content-type': 'application/json', ...(gzip ? { 'content-encoding': 'gzip' } : {}) });
    if (cutAfter < body.length) {
      response.write(body.subarray(0, cutAfter), () => response.destroy());
      return;
    }
    response.end(body);
  }

  #watch(url: URL, response: ServerResponse, cutAfter: number): void {
    const from = Number(url.searchParams.get('resourceVersion'));
    if (from < this.#compacted) {
      fail(response, 410, expired);
      return;
    }
    response.writeHead(200, { 'content-type': 'application/json' });
    response.flushHeaders();
    const watcher: Watcher = { response, left: cutAfter };
    this.#watchers.add(watcher);
    response.on('close', () => this.#watchers.delete(watcher));
    for (const { type, version, object } of this.history) {
      if (version > from) this.#write(watcher, line(type, object));
    }
  }

  #record(change: Change): void {
    this.history.push(change);
    this.#broadcast(line(change.type, change.object));
  }

  #broadcast(bytes: Buffer): void {
    for (const watcher of this.#watchers) this.#write(watcher, bytes);
  }

  #write(watcher: Watcher, bytes: Buffer): void {
    if (bytes.length <= watcher.left) {
      watcher.left -= bytes.length;
      watcher.response.write(bytes);
      return;
    }
    this.#watchers.delete(watcher);
    watcher.response.write(bytes.subarray(0, watcher.left), () => watcher.response.destroy());
  }

  #at(version: number): Map<string, Widget> {
    const objects = new Map<string, Widget>();
    for (const change of this.history) {
      if (change.version > version) break;
      const name = change.object.metadata?.name ?? '';
      if (change.type === 'DELETED') objects.delete(name);
      else objects.set(name, change.object);
    }
    return objects;
  }
}

export const expired = { kind: 'Status', code: 410, reason: 'Expired', message: 'too old resource version' };

function line(type: string, object: KubeObject): Buffer {
  return Buffer.from(`${JSON.stringify({ type, object })}\n`);
}

function fail(response: ServerResponse, status: number, body: object = {}, headers: Record<string, string> = {}): void {
  response.writeHead(status, { 'content-type': 'application/json', ...headers });
  response.end(JSON.stringify({ kind: 'Status', code: status, ...body }));
}
