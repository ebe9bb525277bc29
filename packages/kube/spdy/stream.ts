import { Duplex } from 'node:stream';
import { KubeError } from '../errors.ts';
import { resetStatus } from './frame.ts';
import type { SpdyHeaders } from './header-block.ts';
import { SendWindow } from './window.ts';

/** What a stream asks of its session. */
export interface StreamHost {
  sendData(stream: SpdyStream, data: Buffer): Promise<void>;
  sendFin(stream: SpdyStream): Promise<void>;
  sendReply(stream: SpdyStream, headers: SpdyHeaders): Promise<void>;
  sendReset(stream: SpdyStream, status: number): void;
  /** Tells the peer that `bytes` were read, when this side keeps windows. */
  acknowledge(stream: SpdyStream, bytes: number): void;
  forget(stream: SpdyStream): void;
}

export interface StreamInit {
  readonly id: number;
  readonly headers: SpdyHeaders;
  readonly priority: number;
  readonly host: StreamHost;
  /** What this side lets the peer send unread. */
  readonly receiveWindow: number;
  readonly sendWindow: number;
  /** The other side will send nothing, or we shall not. */
  readonly remoteClosed: boolean;
  readonly localClosed: boolean;
}

/** One SPDY stream as a Node stream. Each direction ends by itself; `destroy` resets both. */
export class SpdyStream extends Duplex {
  readonly id: number;
  /** Of the SYN_STREAM that opened it. */
  readonly headers: SpdyHeaders;
  readonly priority: number;
  /** The headers of SYN_REPLY; rejects when the stream ends without one. */
  readonly replied: Promise<SpdyHeaders>;
  /** @internal */
  readonly window: SendWindow;
  readonly #host: StreamHost;
  readonly #receiveWindow: number;
  readonly #reply = Promise.withResolvers<SpdyHeaders>();
  #remoteClosed: boolean;
  #localClosed: boolean;
  #ended = false;
  /** Received and not yet wanted by the reader. Node's own buffer stays small, so that windows count what is unread. */
  readonly #queue: Buffer[] = [];
  #queued = 0;
  #wanted = false;
  #unacknowledged = 0;
  #drained: (() => void) | undefined;
  #reset: number | undefined;

  constructor(init: StreamInit) {
    super({ allowHalfOpen: true });
    this.id = init.id;
    this.headers = init.headers;
    this.priority = init.priority;
    this.window = new SendWindow(init.sendWindow);
    this.replied = this.#reply.promise;
    this.replied.catch(() => undefined);
    this.#host = init.host;
    this.#receiveWindow = init.receiveWindow;
    this.#remoteClosed = init.remoteClosed;
    this.#localClosed = init.localClosed;
    if (init.remoteClosed) this.#flush();
    if (init.localClosed) this.end();
  }

  /** Accepts a stream that the peer opened. */
  reply(headers: SpdyHeaders = {}): Promise<void> {
    return this.#host.sendReply(this, headers);
  }

  /** Ends both directions at once, and tells the peer why. */
  reset(status: number = resetStatus.cancel): void {
    this.#reset ??= status;
    this.destroy();
  }

  /** @internal A promise when the peer sent more than it may: the session then reads nothing until this is drained. */
  receive(data: Buffer): Promise<void> | undefined {
    if (this.#remoteClosed || this.destroyed) return undefined;
    this.#queue.push(data);
    this.#queued += data.length;
    this.#flush();
    if (this.#queued <= this.#receiveWindow) return undefined;
    return new Promise((resolve) => {
      this.#drained = resolve;
    });
  }

  /** @internal */
  receiveReply(headers: SpdyHeaders): void {
    this.#reply.resolve(headers);
  }

  /** @internal */
  receiveFin(): void {
    if (this.#remoteClosed) return;
    this.#remoteClosed = true;
    this.#flush();
    this.#settle();
  }

  /** @internal The peer reset the stream, or the session is gone: nothing is to be sent any more. No error when we ended it. */
  abandon(error: KubeError | undefined): void {
    this.#localClosed = true;
    this.#remoteClosed = true;
    this.destroy(error);
  }

  override _read(): void {
    this.#wanted = true;
    this.#flush();
  }

  override _write(chunk: Buffer, _encoding: string, done: (error?: Error | null) => void): void {
    this.#host.sendData(this, chunk).then(() => done(), done);
  }

  override _final(done: (error?: Error | null) => void): void {
    if (this.#localClosed) {
      done();
      return;
    }
    this.#host.sendFin(this).then(() => {
      this.#localClosed = true;
      this.#settle();
      done();
    }, done);
  }

  override _destroy(error: Error | null, done: (error: Error | null) => void): void {
    if (!this.#localClosed || !this.#remoteClosed) this.#host.sendReset(this, this.#reset ?? resetStatus.cancel);
    this.#localClosed = true;
    this.#remoteClosed = true;
    this.#reply.reject(
      error ?? new KubeError('connection-lost', `SPDY stream ${this.id} ended before it was accepted. Connect again.`),
    );
    this.window.wake();
    this.#release();
    this.#host.forget(this);
    done(error);
  }

  #flush(): void {
    while (this.#wanted) {
      const data = this.#queue.shift();
      if (!data) break;
      this.#queued -= data.length;
      this.#unacknowledged += data.length;
      this.#wanted = this.push(data);
    }
    if (this.#remoteClosed && this.#queue.length === 0 && !this.#ended) {
      this.#ended = true;
      this.push(null);
    }
    if (this.#queued <= this.#receiveWindow) this.#release();
    this.#acknowledge();
  }

  /** In halves of the window: one update per read would cost a frame each. */
  #acknowledge(): void {
    const bytes = this.#unacknowledged;
    if (this.#remoteClosed || bytes < this.#receiveWindow / 2) return;
    this.#unacknowledged = 0;
    this.#host.acknowledge(this, bytes);
  }

  #release(): void {
    const drained = this.#drained;
    this.#drained = undefined;
    drained?.();
  }

  #settle(): void {
    if (this.#localClosed && this.#remoteClosed) this.#host.forget(this);
  }
}
