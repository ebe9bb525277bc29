/**
 * The port between everything that speaks Kubernetes and the bytes on the wire.
 * `http.ts` implements it on undici; the embedded cluster implements it in process.
 */
export interface KubeRequest {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE' | 'OPTIONS' | 'HEAD';
  /** Path with encoded segments, without query. */
  readonly path: string;
  readonly query?: Readonly<Record<string, string | number | boolean | readonly string[] | undefined>>;
  /** Names in lower case. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Serialized already; the content type stands in `headers`. */
  readonly body?: string | Uint8Array;
  /** Aborts the request, in whatever state it is. */
  readonly signal?: AbortSignal | undefined;
  /** Milliseconds for the whole request (for a stream: until its headers). Default: the transport's. */
  readonly timeoutMs?: number | undefined;
  /** Streams only: silence for longer than this counts as a lost connection. Default: none. */
  readonly idleTimeoutMs?: number | undefined;
  /** Retry 429/503 with Retry-After, and connection errors of idempotent verbs. Default true. */
  readonly retry?: boolean | undefined;
  /** What the metrics call it: resource and verb in Kubernetes' words (`list`, `watch`, …). */
  readonly operation?: { readonly verb: string; readonly resource: string } | undefined;
}

export interface KubeResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
  readonly body: Buffer;
}

export interface KubeStream {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
  /** Back-pressured: what is not read is not buffered beyond the socket. Ends with an error when the peer vanished. */
  readonly body: AsyncIterable<Buffer>;
  /** Ends the stream and frees its connection. Safe to call twice. */
  close(): void;
}

/** A message-framed duplex, as a WebSocket gives: for exec, attach and port-forward. */
export interface KubeSocket {
  readonly protocol: string;
  send(data: Uint8Array): Promise<void>;
  readonly messages: AsyncIterable<Buffer>;
  close(code?: number, reason?: string): void;
}

export interface Transport {
  /** Whom this speaks to and as whom, for error messages. A transport inside the process needs none. */
  readonly about?: { readonly server: string; readonly source: string; identity(): string } | undefined;
  /** Resolves with any status: judging it is the client's work. Rejects with a KubeError for everything below HTTP. */
  request(request: KubeRequest): Promise<KubeResponse>;
  /** On connections of its own, apart from requests, so that watches never starve writes. */
  stream(request: KubeRequest): Promise<KubeStream>;
  /** WebSocket with the first of `protocols` that the server takes. */
  connect(request: KubeRequest, protocols: readonly string[]): Promise<KubeSocket>;
  close(): Promise<void>;
}
