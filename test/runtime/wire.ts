/**
 * The daemon's protocol by hand: plain HTTP/1.1 with one connection per call, Connect envelopes as bytes. Suites that
 * check the protocol use this and no client library, so that nothing on our side repairs what the runtime sends.
 */
import http from 'node:http';

export interface Request {
  readonly method: string;
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: Uint8Array | string;
}

export interface Answer {
  readonly status: number;
  readonly headers: http.IncomingHttpHeaders;
  readonly body: Buffer;
}

export interface Envelope {
  readonly flags: number;
  readonly payload: Buffer;
}

export function envelope(message: unknown, flags = 0): Buffer {
  const payload = Buffer.isBuffer(message) ? message : Buffer.from(JSON.stringify(message));
  const head = Buffer.alloc(5);
  head.writeUInt8(flags, 0);
  head.writeUInt32BE(payload.length, 1);
  return Buffer.concat([head, payload]);
}

/** Cuts what came into whole envelopes; the rest stays for later. */
export function takeEnvelopes(buffer: Buffer): { envelopes: Envelope[]; rest: Buffer } {
  const envelopes: Envelope[] = [];
  let at = 0;
  while (buffer.length - at >= 5) {
    const length = buffer.readUInt32BE(at + 1);
    if (buffer.length - at - 5 < length) break;
    envelopes.push({ flags: buffer.readUInt8(at), payload: buffer.subarray(at + 5, at + 5 + length) });
    at += 5 + length;
  }
  return { envelopes, rest: buffer.subarray(at) };
}

export function send(url: string, request: Request): Promise<Answer> {
  const stream = open(url, request);
  return stream.answer();
}

/** A call whose answer is looked at while it comes. */
export class Stream {
  readonly #request: http.ClientRequest;
  readonly #response: Promise<http.IncomingMessage>;
  readonly #waiting = new Set<() => void>();
  readonly #chunks: Buffer[] = [];
  #rest: Buffer = Buffer.alloc(0);
  #closed: 'open' | 'ended' | 'aborted' = 'open';
  readonly envelopes: Envelope[] = [];

  constructor(url: string, request: Request, keepRaw: boolean) {
    const target = new URL(url);
    const headers: Record<string, string> = { ...request.headers };
    const body = request.body === undefined ? undefined : Buffer.from(request.body);
    if (body !== undefined && !('transfer-encoding' in headers)) headers['content-length'] ??= String(body.length);
    this.#request = http.request({
      host: target.hostname,
      port: target.port,
      method: request.method,
      path: request.path,
      headers,
      agent: false,
    });
    this.#response = new Promise((resolve, reject) => {
      this.#request.once('response', (response) => {
        const enveloped = String(response.headers['content-type']).startsWith('application/connect+');
        response.on('data', (chunk: Buffer) => this.#take(chunk, keepRaw, enveloped));
        response.once('end', () => this.#close('ended'));
        response.once('aborted', () => this.#close('aborted'));
        response.once('error', () => this.#close('aborted'));
        resolve(response);
      });
      this.#request.once('error', (error) => {
        this.#close('aborted');
        reject(error);
      });
    });
    this.#response.catch(() => undefined);
    if (body !== undefined) this.#request.write(body);
    this.#request.end();
  }

  #take(chunk: Buffer, keepRaw: boolean, enveloped: boolean): void {
    if (keepRaw) this.#chunks.push(chunk);
    if (!enveloped) return;
    const taken = takeEnvelopes(Buffer.concat([this.#rest, chunk]));
    this.#rest = taken.rest;
    this.envelopes.push(...taken.envelopes);
    this.#wake();
  }

  #close(how: 'ended' | 'aborted'): void {
    if (this.#closed === 'open') this.#closed = how;
    this.#wake();
  }

  #wake(): void {
    for (const look of this.#waiting) look();
  }

  get closed(): 'open' | 'ended' | 'aborted' {
    return this.#closed;
  }

  async head(): Promise<{ status: number; headers: http.IncomingHttpHeaders }> {
    const response = await this.#response;
    return { status: response.statusCode ?? 0, headers: response.headers };
  }

  /** Resolves when the condition holds, or when nothing more can come. */
  until(condition: () => boolean): Promise<void> {
    return new Promise((resolve) => {
      const look = () => {
        if (this.#closed === 'open' && !condition()) return;
        this.#waiting.delete(look);
        resolve();
      };
      this.#waiting.add(look);
      look();
    });
  }

  async finished(): Promise<void> {
    await this.#response;
    await this.until(() => false);
  }

  /** JSON of each envelope so far. */
  get messages(): { flags: number; message: unknown }[] {
    return this.envelopes.map(({ flags, payload }) => ({ flags, message: parse(payload) }));
  }

  /** Bytes of stdout, stderr and pty so far. */
  output(kind: 'stdout' | 'stderr' | 'pty'): Buffer {
    const parts = this.messages.map(({ message }) => {
      const data = (message as { event?: { data?: Record<string, string> } }).event?.data?.[kind];
      return Buffer.from(data ?? '', 'base64');
    });
    return Buffer.concat(parts);
  }

  get pid(): number | undefined {
    const first = this.messages[0]?.message as { event?: { start?: { pid?: number } } } | undefined;
    return first?.event?.start?.pid;
  }

  async started(): Promise<number> {
    await this.until(() => this.envelopes.length > 0);
    if (this.pid === undefined) throw new Error(`No start event but ${JSON.stringify(this.messages)}`);
    return this.pid;
  }

  async answer(): Promise<Answer> {
    const { status, headers } = await this.head();
    await this.finished();
    return { status, headers, body: Buffer.concat(this.#chunks) };
  }

  /** What a client that vanishes does. */
  cut(): void {
    this.#request.destroy();
  }
}

function parse(payload: Buffer): unknown {
  try {
    return JSON.parse(payload.toString('utf8'));
  } catch {
    return { notJson: payload.toString('base64') };
  }
}

export function open(url: string, request: Request, keepRaw = true): Stream {
  return new Stream(url, request, keepRaw);
}

const CONNECT = { 'connect-protocol-version': '1' };

export function unary(
  url: string,
  path: string,
  message: unknown,
  headers: Record<string, string> = {},
): Promise<Answer> {
  return send(url, {
    method: 'POST',
    path,
    headers: { 'content-type': 'application/json', ...CONNECT, ...headers },
    body: typeof message === 'string' ? message : JSON.stringify(message),
  });
}

export function stream(url: string, path: string, message: unknown, headers: Record<string, string> = {}): Stream {
  return open(
    url,
    {
      method: 'POST',
      path,
      headers: { 'content-type': 'application/connect+json', ...CONNECT, ...headers },
      body: envelope(message),
    },
    false,
  );
}

export function basic(user: string): Record<string, string> {
  return { authorization: `Basic ${Buffer.from(`${user}:`).toString('base64')}` };
}

/** Starts a process as the given user and waits for its pid. */
export async function start(
  url: string,
  cmd: string,
  args: string[] = [],
  rest: Record<string, unknown> = {},
  user = 'user',
) {
  const opened = stream(url, '/process.Process/Start', { process: { cmd, args }, ...rest }, basic(user));
  await opened.started();
  return opened;
}

export function json(answer: Answer): unknown {
  return JSON.parse(answer.body.toString('utf8'));
}
