import { gunzip } from 'node:zlib';
import type { Dispatcher } from 'undici';
import type { Clock } from '../clock.ts';
import type { Auth, Credentials } from '../config/credentials.ts';
import type { KubeError } from '../errors.ts';
import { ByteQueue } from './byte-queue.ts';
import type { KubeRequest, KubeResponse, KubeStream } from './contract.ts';
import { rateLimitChannel, requestChannel, retryChannel } from './diagnostics.ts';
import type { Peer } from './failure.ts';
import { abortedError, closedError, failureOf, timeoutError } from './failure.ts';
import type { Lanes } from './lanes.ts';
import { requestTarget } from './query.ts';
import type { TokenBucket } from './rate-limit.ts';
import type { RetryPolicy, Tried } from './retry.ts';
import { retryAfterMs, waitAfterAnswer, waitAfterFailure } from './retry.ts';
import { pushTraceContext } from './trace.ts';

/** What all exchanges of one transport share. */
export interface Line {
  readonly peer: Peer;
  readonly host: string;
  readonly basePath: string;
  /** Flat pairs that every request carries: user agent, impersonation. */
  readonly headers: readonly string[];
  readonly compression: boolean;
  readonly lanes: Lanes;
  readonly credentials: Credentials;
  readonly limiter: TokenBucket | undefined;
  readonly retry: RetryPolicy;
  readonly timeoutMs: number;
  readonly clock: Clock;
  readonly random: () => number;
  readonly live: Set<Disposable>;
}

type Headers = KubeResponse['headers'];

/** Who waits: for the whole answer, or for a stream as soon as its headers are there. */
export type Receiver =
  | { readonly whole: (answer: KubeResponse) => void }
  | { readonly stream: (answer: KubeStream) => void };

/**
 * One call, from the first attempt to its answer. It is itself the handler that undici calls back, itself the listener
 * of the abort signal, and holds one timer: the hot path allocates this object, its promise and its headers.
 * `Pool.request` would add a stream, a second promise and their bookkeeping for each.
 */
export class Exchange implements Dispatcher.DispatchHandler, Disposable {
  readonly #line: Line;
  readonly #request: KubeRequest;
  readonly #to: Receiver;
  readonly #reject: (error: KubeError) => void;
  readonly #timeoutMs: number;
  readonly #deadline: number;
  #cancelDeadline: (() => void) | undefined;
  #cancelWait: (() => void) | undefined;
  #settled = false;
  #body: ByteQueue | undefined;

  #attempt = 0;
  #reauthenticated = false;
  #lastFailure: KubeError | undefined;

  #auth: Auth | undefined;
  #controller: Dispatcher.DispatchController | undefined;
  #startedAt = 0;
  #status = 0;
  #headers: Headers = {};
  #chunks: Buffer[] = [];
  #received = 0;

  constructor(line: Line, request: KubeRequest, to: Receiver, reject: (error: KubeError) => void) {
    this.#line = line;
    this.#request = request;
    this.#to = to;
    this.#reject = reject;
    this.#timeoutMs = request.timeoutMs ?? line.timeoutMs;
    this.#deadline = line.clock.monotonic() + this.#timeoutMs;
  }

  start(): void {
    const { signal } = this.#request;
    if (signal?.aborted) {
      this.#reject(abortedError(this.#what(), signal));
      return;
    }
    signal?.addEventListener('abort', this);
    this.#line.live.add(this);
    this.#cancelDeadline = this.#line.clock.after(this.#timeoutMs, () => this.#expire());
    this.#reserve();
  }

  /** Called by the abort signal. */
  handleEvent(): void {
    const { signal } = this.#request;
    if (signal) this.#fail(abortedError(this.#what(), signal));
  }

  /** The transport closes: whatever waits gets its answer now. */
  [Symbol.dispose](): void {
    this.#fail(closedError(this.#line.peer));
  }

  #expire(): void {
    this.#fail(timeoutError(this.#what(), this.#timeoutMs, this.#line.peer, this.#lastFailure));
  }

  #reserve(): void {
    const wait = this.#line.limiter?.reserve() ?? 0;
    if (wait <= 0) {
      this.#authorize();
      return;
    }
    if (rateLimitChannel.hasSubscribers) {
      rateLimitChannel.publish({ verb: this.#verb(), host: this.#line.host, waitMs: wait });
    }
    const cancel = this.#line.clock.after(wait, () => {
      this.#cancelWait = undefined;
      this.#authorize();
    });
    this.#cancelWait = () => {
      cancel();
      this.#line.limiter?.release();
    };
  }

  #authorize(): void {
    let auth: Auth | Promise<Auth>;
    try {
      auth = this.#line.credentials.current();
    } catch (error) {
      this.#fail(failureOf(error, this.#line.peer, false));
      return;
    }
    if (auth instanceof Promise) {
      auth.then(
        (ready) => this.#dispatch(ready),
        (error: unknown) => this.#fail(failureOf(error, this.#line.peer, false)),
      );
    } else {
      this.#dispatch(auth);
    }
  }

  #dispatch(auth: Auth): void {
    if (this.#settled) return;
    const line = this.#line;
    const request = this.#request;
    this.#auth = auth;
    this.#attempt += 1;
    this.#startedAt = line.clock.monotonic();
    this.#controller = undefined;
    this.#status = 0;
    this.#chunks = [];
    this.#received = 0;
    const lane = line.lanes.for(auth.certificate);
    const idle = request.idleTimeoutMs;
    ('stream' in this.#to ? lane.streams : lane.requests).dispatch(
      {
        method: request.method,
        path: requestTarget(line.basePath, request),
        headers: this.#requestHeaders(auth),
        ...(request.body === undefined ? {} : { body: request.body }),
        ...(idle === undefined ? {} : { bodyTimeout: idle }),
      },
      this,
    );
  }

  #requestHeaders(auth: Auth): string[] {
    const headers = this.#line.headers.slice();
    const own = this.#request.headers;
    for (const name in own) headers.push(name, own[name] ?? '');
    if (own?.['accept'] === undefined) headers.push('accept', 'application/json');
    if (auth.authorization !== undefined) headers.push('authorization', auth.authorization);
    const compress = this.#line.compression && 'whole' in this.#to && this.#request.method === 'GET';
    if (compress && own?.['accept-encoding'] === undefined) headers.push('accept-encoding', 'gzip');
    pushTraceContext(headers);
    return headers;
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller;
    // Given up while it waited for a connection.
    if (this.#settled) controller.abort(closedError(this.#line.peer));
  }

  onResponseStart(_controller: Dispatcher.DispatchController, status: number, headers: Headers): void {
    if (status < 200) return;
    this.#status = status;
    this.#headers = headers;
    if ('stream' in this.#to && status < 400) this.#openStream(this.#to.stream);
  }

  onResponseData(_controller: Dispatcher.DispatchController, chunk: Buffer): void {
    this.#received += chunk.length;
    if (this.#body) this.#body.push(chunk);
    else this.#chunks.push(chunk);
  }

  onResponseEnd(): void {
    if (this.#body) this.#closeStream(undefined);
    if (this.#settled) return;
    const [first] = this.#chunks;
    const body = this.#chunks.length === 1 && first ? first : Buffer.concat(this.#chunks, this.#received);
    this.#publish(undefined);
    if (this.#retryAnswer()) return;
    if (this.#headers['content-encoding'] === 'gzip') this.#inflate(body);
    else this.#succeed(body);
  }

  onResponseError(_controller: Dispatcher.DispatchController | undefined, error: Error): void {
    const sent = this.#controller !== undefined;
    const failure = failureOf(error, this.#line.peer, sent);
    if (this.#body) this.#closeStream(failure);
    if (this.#settled) return;
    this.#publish(failure);
    this.#lastFailure = failure;
    const wait =
      this.#request.retry === false ? undefined : waitAfterFailure(failure, sent, this.#tried(), this.#line.retry);
    if (wait === undefined) this.#fail(failure);
    else this.#again(wait, failure.code);
  }

  #retryAnswer(): boolean {
    const status = this.#status;
    if (status < 400) return false;
    if (status === 401 && !this.#reauthenticated && this.#auth && this.#line.credentials.refused(this.#auth)) {
      this.#reauthenticated = true;
      this.#again(0, '401');
      return true;
    }
    if (this.#request.retry === false) return false;
    const after = retryAfterMs(this.#headers['retry-after'], this.#line.clock.now());
    const wait = waitAfterAnswer(status, after, this.#tried(), this.#line.retry);
    if (wait === undefined) return false;
    this.#again(wait, String(status));
    return true;
  }

  #again(waitMs: number, reason: string): void {
    if (retryChannel.hasSubscribers) {
      const { host } = this.#line;
      retryChannel.publish({
        verb: this.#verb(),
        resource: this.#resource(),
        host,
        attempt: this.#attempt,
        waitMs,
        reason,
      });
    }
    this.#cancelWait = this.#line.clock.after(waitMs, () => {
      this.#cancelWait = undefined;
      this.#reserve();
    });
  }

  #tried(): Tried {
    const { clock, random } = this.#line;
    const retried = this.#attempt - 1;
    return { method: this.#request.method, retried, leftMs: this.#deadline - clock.monotonic(), random };
  }

  #inflate(body: Buffer): void {
    gunzip(body, (error, whole) => {
      if (error) this.#fail(failureOf(error, this.#line.peer, true));
      else this.#succeed(whole);
    });
  }

  #succeed(body: Buffer): void {
    if (this.#settled) return;
    this.#release();
    const answer = { status: this.#status, headers: this.#headers, body };
    // An error answer to a stream request is read whole, so that it can be judged and retried like any other.
    if ('stream' in this.#to) this.#to.stream(wholeStream(answer));
    else this.#to.whole(answer);
  }

  #openStream(resolve: (answer: KubeStream) => void): void {
    const controller = this.#controller;
    if (!controller) return;
    this.#cancelDeadline?.();
    this.#settled = true;
    this.#publish(undefined);
    const body = new ByteQueue({
      pause: () => controller.pause(),
      resume: () => controller.resume(),
      cancel: () => this.#cancelStream(),
    });
    this.#body = body;
    resolve({ status: this.#status, headers: this.#headers, body, close: () => this.#cancelStream() });
  }

  #cancelStream(): void {
    this.#body?.discard();
    this.#release();
    this.#controller?.abort(closedError(this.#line.peer));
  }

  #closeStream(error: KubeError | undefined): void {
    this.#body?.end(error);
    this.#release();
  }

  #fail(error: KubeError): void {
    if (this.#body) this.#body.end(error);
    else if (!this.#settled) this.#reject(error);
    this.#cancelWait?.();
    this.#release();
    this.#controller?.abort(error);
  }

  #release(): void {
    this.#settled = true;
    this.#cancelDeadline?.();
    this.#request.signal?.removeEventListener('abort', this);
    this.#line.live.delete(this);
  }

  #publish(failure: KubeError | undefined): void {
    if (!requestChannel.hasSubscribers) return;
    const { body } = this.#request;
    requestChannel.publish({
      verb: this.#verb(),
      resource: this.#resource(),
      method: this.#request.method,
      host: this.#line.host,
      status: failure ? 0 : this.#status,
      error: failure?.code,
      durationMs: this.#line.clock.monotonic() - this.#startedAt,
      requestBytes: body === undefined ? 0 : Buffer.byteLength(body),
      responseBytes: this.#received,
      attempt: this.#attempt,
    });
  }

  #verb(): string {
    return this.#request.operation?.verb ?? this.#request.method.toLowerCase();
  }

  #resource(): string {
    return this.#request.operation?.resource ?? '';
  }

  /** `list pods`, `PATCH /api/v1/…`: how messages name this call. */
  #what(): string {
    const { operation, method, path } = this.#request;
    return operation ? `${operation.verb} ${operation.resource}` : `${method} ${path}`;
  }
}

function wholeStream({ status, headers, body }: KubeResponse): KubeStream {
  async function* once(): AsyncGenerator<Buffer, void> {
    if (body.length > 0) yield body;
  }
  return { status, headers, body: once(), close: () => undefined };
}
