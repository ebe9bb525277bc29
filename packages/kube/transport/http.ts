import type { Clock } from '../clock.ts';
import { systemClock } from '../clock.ts';
import type { ClusterConfig, Impersonation } from '../config/cluster-config.ts';
import type { Auth } from '../config/credentials.ts';
import { isUnauthorized } from '../errors.ts';
import type { KubeRequest, KubeResponse, KubeSocket, KubeStream, Transport } from './contract.ts';
import type { Line } from './exchange.ts';
import { Exchange } from './exchange.ts';
import { failureOf } from './failure.ts';
import { Lanes } from './lanes.ts';
import type { RateLimit } from './rate-limit.ts';
import { TokenBucket } from './rate-limit.ts';
import type { RetryPolicy } from './retry.ts';
import { defaultRetry } from './retry.ts';
import { pushTraceContext } from './trace.ts';
import { openSocket } from './websocket.ts';

export interface TransportOptions {
  /** Most connections for requests at one time; opened as needed. Watches and streams have their own. Default 32: undici frees a
   * connection one turn after its answer, so callers in step would open twice what they need and pay for it in CPU. */
  readonly connections?: number | undefined;
  /** Deadline of a request that names none, in milliseconds. Default 60 s, the API server's own limit. */
  readonly timeoutMs?: number | undefined;
  readonly retry?: Partial<RetryPolicy> | undefined;
  /** Client-side rate limit. Off by default: the API server's priority and fairness does this better. */
  readonly rateLimit?: RateLimit | undefined;
  readonly clock?: Clock | undefined;
  readonly random?: (() => number) | undefined;
}

/** Kubernetes over HTTP/1.1 on undici's pools. */
export function createTransport(config: ClusterConfig, options: TransportOptions = {}): Transport {
  return new HttpTransport(config, options);
}

class HttpTransport implements Transport {
  readonly about: NonNullable<Transport['about']>;
  readonly #config: ClusterConfig;
  readonly #line: Line;

  constructor(config: ClusterConfig, options: TransportOptions) {
    const { connections = 32, timeoutMs = 60_000, clock = systemClock, random = Math.random } = options;
    const { server, source, proxyUrl } = config;
    this.#config = config;
    this.about = { server: server.origin, source, identity: () => config.credentials.describe() };
    this.#line = {
      peer: { server: server.origin, source, proxy: proxyUrl && `the proxy ${proxyUrl.protocol}//${proxyUrl.host}` },
      host: server.host,
      basePath: server.pathname.replace(/\/+$/, ''),
      headers: ['user-agent', config.userAgent, ...impersonationHeaders(config.impersonate)],
      compression: config.compression,
      lanes: new Lanes(config, { connections }),
      credentials: config.credentials,
      limiter: options.rateLimit && new TokenBucket(options.rateLimit, clock),
      retry: { ...defaultRetry, ...options.retry },
      timeoutMs,
      clock,
      random,
      live: new Set(),
    };
  }

  request(request: KubeRequest): Promise<KubeResponse> {
    return new Promise((whole, reject) => new Exchange(this.#line, request, { whole }, reject).start());
  }

  stream(request: KubeRequest): Promise<KubeStream> {
    return new Promise((stream, reject) => new Exchange(this.#line, request, { stream }, reject).start());
  }

  async connect(request: KubeRequest, protocols: readonly string[]): Promise<KubeSocket> {
    const { credentials } = this.#config;
    const auth = await this.#auth();
    try {
      return await this.#open(request, protocols, auth);
    } catch (error) {
      if (!isUnauthorized(error) || !credentials.refused(auth)) throw error;
      return this.#open(request, protocols, await this.#auth());
    }
  }

  async close(): Promise<void> {
    for (const exchange of this.#line.live) exchange[Symbol.dispose]();
    await this.#line.lanes.destroy();
  }

  async #auth(): Promise<Auth> {
    try {
      return await this.#config.credentials.current();
    } catch (error) {
      throw failureOf(error, this.#line.peer, false);
    }
  }

  #open(request: KubeRequest, protocols: readonly string[], auth: Auth): Promise<KubeSocket> {
    const pairs = this.#line.headers.slice();
    for (const [name, value] of Object.entries(request.headers ?? {})) pairs.push(name, value);
    if (auth.authorization !== undefined) pairs.push('authorization', auth.authorization);
    pushTraceContext(pairs);
    const { dial } = this.#line.lanes.for(auth.certificate);
    const headers = toRecord(pairs);
    return openSocket(
      { line: this.#line, dial, server: this.#config.server, headers, about: this.about },
      request,
      protocols,
    );
  }
}

function impersonationHeaders(as: Impersonation | undefined): string[] {
  if (!as) return [];
  const headers = ['impersonate-user', as.user];
  if (as.uid !== undefined) headers.push('impersonate-uid', as.uid);
  for (const group of as.groups ?? []) headers.push('impersonate-group', group);
  for (const [key, values] of Object.entries(as.extra ?? {})) {
    // Header names are case-insensitive and hold few characters: the rest of a key is percent-encoded.
    const name = `impersonate-extra-${encodeURIComponent(key.toLowerCase()).replace(/[()]/g, (c) => (c === '(' ? '%28' : '%29'))}`;
    for (const value of values) headers.push(name, value);
  }
  return headers;
}

function toRecord(pairs: readonly string[]): Record<string, string | string[]> {
  const record: Record<string, string | string[]> = {};
  for (let index = 0; index + 1 < pairs.length; index += 2) {
    const name = pairs[index] ?? '';
    const value = pairs[index + 1] ?? '';
    const before = record[name];
    record[name] = before === undefined ? value : [before, value].flat();
  }
  return record;
}
