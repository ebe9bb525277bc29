/** For tests: a runtime in this process, and raw Connect calls to it. */
import { type ClientRequest, type IncomingMessage, request } from 'node:http';
import { userInfo } from 'node:os';
import { parseConfig } from '../server/config.ts';
import { silentLog } from '../server/log.ts';
import { type Runtime, startRuntime } from '../server/runtime.ts';

export async function startTestRuntime(flags: readonly string[] = []): Promise<Runtime & { port: number }> {
  const args = [
    '--address',
    '127.0.0.1',
    '--port',
    '0',
    '--default-user',
    userInfo().username,
    '--log-level',
    'silent',
  ];
  const parsed = parseConfig([...args, '--insecure-no-token', ...flags], { PATH: process.env['PATH'] });
  if (!('config' in parsed)) throw new Error('no config');
  const runtime = await startRuntime(parsed.config, silentLog);
  const [address] = runtime.addresses;
  if (address === undefined || !('port' in address)) throw new Error('no port');
  return { ...runtime, port: address.port };
}

export type Message = Record<string, unknown>;
export type Target = number | { readonly socketPath: string };

export interface Answer {
  readonly status: number;
  readonly headers: IncomingMessage['headers'];
  readonly body: Buffer;
}

export function call(
  target: Target,
  method: string,
  path: string,
  headers: Record<string, string | number> = {},
  body: Buffer | string = '',
): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const sent = open(target, method, path, headers, (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.on('error', reject);
      response.on('end', () =>
        resolve({ status: response.statusCode ?? 0, headers: response.headers, body: Buffer.concat(chunks) }),
      );
    });
    sent.on('error', reject);
    sent.end(body);
  });
}

export function open(
  target: Target,
  method: string,
  path: string,
  headers: Record<string, string | number>,
  answered: (response: IncomingMessage) => void,
): ClientRequest {
  const where = typeof target === 'number' ? { host: '127.0.0.1', port: target } : target;
  return request({ ...where, method, path, headers, agent: false }, answered);
}

export async function unary(
  target: Target,
  path: string,
  message: Message,
  headers: Record<string, string> = {},
): Promise<{ status: number; message: Message }> {
  const sent = { 'content-type': 'application/json', ...headers };
  const answer = await call(target, 'POST', path, sent, JSON.stringify(message));
  return { status: answer.status, message: JSON.parse(answer.body.toString('utf8')) as Message };
}

export function enveloped(message: Message): Buffer {
  const payload = Buffer.from(JSON.stringify(message), 'utf8');
  const head = Buffer.alloc(5);
  head.writeUInt32BE(payload.byteLength, 1);
  return Buffer.concat([head, payload]);
}

export interface StreamMessage {
  readonly flags: number;
  readonly message: Message;
}

export function parseEnvelopes(bytes: Buffer): { messages: StreamMessage[]; rest: Buffer } {
  const messages: StreamMessage[] = [];
  let at = 0;
  while (at + 5 <= bytes.byteLength && at + 5 + bytes.readUInt32BE(at + 1) <= bytes.byteLength) {
    const end = at + 5 + bytes.readUInt32BE(at + 1);
    messages.push({ flags: bytes[at] ?? 0, message: JSON.parse(bytes.toString('utf8', at + 5, end)) as Message });
    at = end;
  }
  return { messages, rest: bytes.subarray(at) };
}

/** A whole stream, to its end. */
export async function stream(
  target: Target,
  path: string,
  message: Message,
  headers: Record<string, string> = {},
): Promise<StreamMessage[]> {
  const sent = { 'content-type': 'application/connect+json', ...headers };
  return parseEnvelopes((await call(target, 'POST', path, sent, enveloped(message))).body).messages;
}

/** What a command printed, by stream, and its end event. */
export function outcome(messages: readonly StreamMessage[]): {
  stdout: string;
  stderr: string;
  pty: string;
  end: Message;
} {
  const out = { stdout: '', stderr: '', pty: '' };
  let end: Message = {};
  for (const { message } of messages) {
    const event = (message['event'] ?? {}) as { data?: Record<string, string>; end?: Message };
    for (const kind of ['stdout', 'stderr', 'pty'] as const) {
      const text = event.data?.[kind];
      if (text !== undefined) out[kind] += Buffer.from(text, 'base64').toString('utf8');
    }
    if (event.end !== undefined) end = event.end;
  }
  return { ...out, end };
}

export function shell(script: string, extra: Message = {}): Message {
  return { process: { cmd: '/bin/sh', args: ['-c', script], cwd: '/' }, ...extra };
}

/** An open stream whose messages are awaited one by one. */
export class OpenStream {
  readonly #messages: StreamMessage[] = [];
  readonly #wake: (() => void)[] = [];
  #ended = false;
  readonly #request: ClientRequest;
  #response: IncomingMessage | undefined;

  constructor(target: Target, path: string, message: Message, headers: Record<string, string> = {}) {
    let rest: Buffer = Buffer.alloc(0);
    const sent = { 'content-type': 'application/connect+json', ...headers };
    this.#request = open(target, 'POST', path, sent, (response) => {
      this.#response = response;
      response.on('data', (chunk: Buffer) => {
        const parsed = parseEnvelopes(Buffer.concat([rest, chunk]));
        rest = parsed.rest;
        this.#messages.push(...parsed.messages);
        this.#notify();
      });
      response.on('error', () => {});
      response.on('close', () => {
        this.#ended = true;
        this.#notify();
      });
    });
    this.#request.on('error', () => {
      this.#ended = true;
      this.#notify();
    });
    this.#request.end(enveloped(message));
  }

  get messages(): readonly StreamMessage[] {
    return this.#messages;
  }

  get response(): IncomingMessage | undefined {
    return this.#response;
  }

  async until(done: (messages: readonly StreamMessage[]) => boolean): Promise<readonly StreamMessage[]> {
    while (!done(this.#messages)) {
      if (this.#ended) throw new Error(`the stream ended: ${JSON.stringify(this.#messages.slice(-3))}`);
      await new Promise<void>((resolve) => this.#wake.push(resolve));
    }
    return this.#messages;
  }

  async end(): Promise<readonly StreamMessage[]> {
    while (!this.#ended) await new Promise<void>((resolve) => this.#wake.push(resolve));
    return this.#messages;
  }

  close(): void {
    this.#request.destroy();
  }

  #notify(): void {
    for (const wake of this.#wake.splice(0)) wake();
  }
}

/** Waits for the thing itself, looking often; fails with what it waited for. */
export async function eventually<T>(what: string, look: () => Promise<T | undefined> | T | undefined): Promise<T> {
  const end = performance.now() + 15_000;
  for (;;) {
    const found = await look();
    if (found !== undefined) return found;
    if (performance.now() > end) throw new Error(`waited in vain for: ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}
