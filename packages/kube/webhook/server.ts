import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import { type Clock, systemClock } from '../clock.ts';
import { KubeError } from '../errors.ts';
import type { Webhook } from './admission.ts';
import type { CertificateSource } from './certificates/source.ts';
import { answerReview, parseReview, type ReviewRequest } from './review.ts';

export interface WebhookServerOptions {
  readonly webhooks: readonly Webhook[];
  readonly certificates: CertificateSource;
  /** Default 9443, the port that manifests for webhooks usually name; 0 picks a free one. */
  readonly port?: number;
  readonly host?: string;
  /** An object may have 3 MiB, and an update carries two. Default 8 MiB. */
  readonly bodyLimit?: number;
  /** For how long a handler may think when the API server does not say. Default 10 s. */
  readonly timeoutMs?: number;
  readonly clock?: Clock;
  /** What went wrong while answering: the caller learns only that something did. Must not throw. */
  readonly onError?: (error: unknown, path: string) => void;
}

/**
 * Serves admission webhooks over TLS. A certificate that changes is used for new connections at once; those that
 * are open go on. A handler that fails is answered with 500, so that the failurePolicy of the configuration decides.
 */
export class WebhookServer {
  readonly #options: WebhookServerOptions;
  readonly #webhooks: ReadonlyMap<string, Webhook>;
  #server: Server | undefined;
  #unsubscribe: (() => void) | undefined;

  constructor(options: WebhookServerOptions) {
    this.#options = options;
    this.#webhooks = new Map(options.webhooks.map((webhook) => [webhook.path, webhook]));
    if (this.#webhooks.size !== options.webhooks.length) {
      throw new KubeError('invalid', 'two webhooks have the same path; give one of them a path of its own');
    }
  }

  /** Resolves when requests are served; rejects when there is no certificate, or the port is taken. */
  async start(): Promise<AddressInfo> {
    const { certificates, port = 9443, host } = this.#options;
    const pair = await certificates.start();
    const server = createServer(
      { key: pair.key, cert: pair.certificate, minVersion: 'TLSv1.2', requestTimeout: 30_000, headersTimeout: 10_000 },
      (request, response) => void this.#serve(request, response),
    );
    // Longer than the 90 s after which the API server drops an idle connection: were we first, a request might meet it.
    server.keepAliveTimeout = 120_000;
    this.#unsubscribe = certificates.onChange(({ key, certificate }) =>
      server.setSecureContext({ key, cert: certificate, minVersion: 'TLSv1.2' }),
    );
    this.#server = server;
    try {
      await new Promise<void>((resolve, reject) => {
        server.once('error', reject);
        server.listen(port, host, () => {
          server.off('error', reject);
          resolve();
        });
      });
    } catch (cause) {
      await this.close();
      throw new KubeError(
        'bad-config',
        `the webhook server cannot listen on port ${port}: ${(cause as Error).message}`,
        { cause },
      );
    }
    return server.address() as AddressInfo;
  }

  /** Takes no new connections, lets requests finish for `graceMs`, then cuts what is left. */
  async close({ graceMs = 5_000 }: { readonly graceMs?: number } = {}): Promise<void> {
    this.#unsubscribe?.();
    await this.#options.certificates.close();
    const server = this.#server;
    this.#server = undefined;
    if (!server?.listening) return;
    const clock = this.#options.clock ?? systemClock;
    const cancel = clock.after(graceMs, () => server.closeAllConnections(), { unref: true });
    await new Promise<void>((resolve) => {
      server.close(() => resolve());
      server.closeIdleConnections();
    });
    cancel();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const [path = '', query = ''] = (request.url ?? '').split('?', 2);
    try {
      const { status, text } = await this.#answer(path, query, request);
      // A refusal closes the connection: whoever sends such a thing should start over.
      const headers = status === 200 ? { 'content-type': 'application/json' } : { ...plain, connection: 'close' };
      response.writeHead(status, { ...headers, 'content-length': Buffer.byteLength(text) }).end(text);
    } catch (error) {
      this.#options.onError?.(error, path);
      // What a handler throws may hold what the caller must not see.
      response.writeHead(500, { ...plain, connection: 'close' }).end('the webhook failed; its log says why\n');
    }
  }

  async #answer(path: string, query: string, request: IncomingMessage): Promise<{ status: number; text: string }> {
    const refuse = (status: number, message: string) => ({ status, text: `${message}\n` });
    const webhook = this.#webhooks.get(path);
    if (!webhook) return refuse(404, `there is no webhook here; there are ${[...this.#webhooks.keys()].join(', ')}`);
    if (request.method !== 'POST') return refuse(405, 'a webhook is asked by POST');
    const type = request.headers['content-type'] ?? '';
    if (!/^application\/json\b/.test(type)) return refuse(415, 'the body must be application/json');
    const body = await readBody(request, this.#options.bodyLimit ?? 8 * 1024 * 1024);
    if (body === undefined) return refuse(413, 'the body is larger than this webhook takes');
    let review: ReviewRequest;
    try {
      review = parseReview(webhook, body);
    } catch (error) {
      return refuse(400, (error as Error).message);
    }
    const ms = timeoutIn(query) ?? this.#options.timeoutMs ?? 10_000;
    const answer = await this.#within(ms, (signal) => answerReview(webhook, review, signal));
    if (answer !== undefined) return { status: 200, text: JSON.stringify(answer) };
    const message = `the webhook did not answer within ${ms} ms`;
    this.#options.onError?.(new KubeError('timeout', message), path);
    return refuse(504, message);
  }

  /** Undefined when it takes longer. */
  async #within<R>(ms: number, work: (signal: AbortSignal) => Promise<R>): Promise<R | undefined> {
    const abort = new AbortController();
    const late = Promise.withResolvers<undefined>();
    const cancel = (this.#options.clock ?? systemClock).after(ms, () => {
      abort.abort(new KubeError('timeout', 'the API server no longer waits for the answer'));
      late.resolve(undefined);
    });
    try {
      return await Promise.race([work(abort.signal), late.promise]);
    } finally {
      cancel();
    }
  }
}

const plain = { 'content-type': 'text/plain; charset=utf-8' };

/** `?timeout=10s`: for how long the API server will wait. Go's durations in whole seconds or milliseconds; others are ignored. */
function timeoutIn(query: string): number | undefined {
  const match = /^(\d{1,6})(ms|s)$/.exec(new URLSearchParams(query).get('timeout') ?? '');
  return match ? Number(match[1]) * (match[2] === 's' ? 1000 : 1) : undefined;
}

/** Undefined when it is larger than the limit. It is read to its end all the same, but not kept: else the answer is lost. */
async function readBody(request: IncomingMessage, limit: number): Promise<string | undefined> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size <= limit) chunks.push(chunk);
    else chunks.length = 0;
  }
  return size <= limit ? Buffer.concat(chunks).toString('utf8') : undefined;
}
