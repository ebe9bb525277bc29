import { KubeError } from '../errors.ts';
import { FrameDecoder } from './decoder.ts';
import { FrameEncoder } from './encoder.ts';
import type { Frame } from './frame.ts';
import { goawayStatus, resetStatus, setting } from './frame.ts';
import type { SpdyHeaders } from './header-block.ts';
import type { StreamHost } from './stream.ts';
import { SpdyStream } from './stream.ts';
import { SendWindow } from './window.ts';

/** The bytes below: a WebSocket's messages or a socket's chunks; where one ends and the next begins means nothing. */
export interface SpdyLink {
  /** Resolves when more may be sent. */
  send(data: Uint8Array): Promise<void>;
  readonly messages: AsyncIterable<Buffer>;
  close(): void;
}

export interface SpdyOptions {
  readonly side: 'client' | 'server';
  readonly link: SpdyLink;
  /** A stream that the peer opened. Not accepting it is done by `stream.reset()`. */
  readonly onStream?: ((stream: SpdyStream) => void) | undefined;
  /** Keep windows, and tell the peer so. Off by default: Kubernetes' own peers do not. */
  readonly flowControl?: boolean | undefined;
  /** Bytes that may wait unread in one stream. */
  readonly windowBytes?: number | undefined;
  /** Streams that the peer may hold open. */
  readonly maxStreams?: number | undefined;
}

/** What a peer may send before it has said anything. */
const initialWindow = 64 * 1024;
/** Long writes are cut, so that streams take turns. */
const frameBytes = 16 * 1024;

/** One SPDY/3.1 connection, either side of it. */
export class SpdySession implements StreamHost {
  /** Settles when the session is over: rejects when it did not end properly. */
  readonly closed: Promise<void>;
  readonly #options: SpdyOptions;
  readonly #encoder = new FrameEncoder();
  readonly #decoder = new FrameDecoder();
  readonly #streams = new Map<number, SpdyStream>();
  readonly #pings = new Map<number, () => void>();
  readonly #sessionWindow = new SendWindow(initialWindow);
  #peerKeepsWindows = false;
  #peerWindow = initialWindow;
  #nextStream: number;
  #nextPing: number;
  #lastPeerStream = 0;
  /** Set by GOAWAY of the peer: what is open may end, nothing new may begin. */
  #leaving = false;
  #ending: KubeError | undefined;

  constructor(options: SpdyOptions) {
    this.#options = options;
    this.#nextStream = options.side === 'client' ? 1 : 2;
    this.#nextPing = this.#nextStream;
    if (options.flowControl) {
      const entries = [{ id: setting.initialWindowSize, value: this.#windowBytes, flags: 0 }];
      this.#post({ type: 'settings', clear: false, entries });
    }
    this.closed = this.#run();
    this.closed.catch(() => undefined);
  }

  /** Opens a stream; it can be written at once, `stream.replied` tells when the peer took it. */
  open(headers: SpdyHeaders, options: { fin?: boolean; priority?: number } = {}): SpdyStream {
    if (this.#ending || this.#leaving) throw this.#ending ?? gone();
    const id = this.#nextStream;
    this.#nextStream += 2;
    const { fin = false, priority = 0 } = options;
    this.#post({ type: 'syn-stream', stream: id, associated: 0, priority, fin, unidirectional: false, headers });
    return this.#add(id, headers, priority, false, fin);
  }

  /** Resolves when the peer answers. */
  ping(): Promise<void> {
    if (this.#ending) return Promise.reject(this.#ending);
    const id = this.#nextPing;
    this.#nextPing += 2;
    return new Promise((resolve, reject) => {
      this.#pings.set(id, resolve);
      this.closed.finally(() => {
        if (this.#pings.delete(id)) reject(this.#ending ?? gone());
      });
      this.#post({ type: 'ping', id });
    });
  }

  /** Says goodbye and ends everything. */
  close(): void {
    if (this.#ending) return;
    this.#post({ type: 'goaway', lastStream: this.#lastPeerStream, status: goawayStatus.ok });
    this.#finish(new KubeError('aborted', 'The SPDY session was closed on this side.'));
  }

  async sendData(stream: SpdyStream, data: Buffer): Promise<void> {
    let rest = data;
    while (rest.length > 0) {
      if (stream.destroyed)
        throw new KubeError('connection-lost', `SPDY stream ${stream.id} was reset while data was on its way.`);
      const part = rest.subarray(0, Math.min(frameBytes, this.#allowance(stream)));
      if (part.length === 0) {
        await (stream.window.left <= 0 ? stream.window : this.#sessionWindow).opened();
        continue;
      }
      stream.window.use(part.length);
      this.#sessionWindow.use(part.length);
      rest = rest.subarray(part.length);
      await this.#send({ type: 'data', stream: stream.id, fin: false, data: part });
    }
  }

  sendFin(stream: SpdyStream): Promise<void> {
    return this.#send({ type: 'data', stream: stream.id, fin: true, data: Buffer.alloc(0) });
  }

  sendReply(stream: SpdyStream, headers: SpdyHeaders): Promise<void> {
    return this.#send({ type: 'syn-reply', stream: stream.id, fin: false, headers });
  }

  sendReset(stream: SpdyStream, status: number): void {
    this.#post({ type: 'rst-stream', stream: stream.id, status });
  }

  acknowledge(stream: SpdyStream, bytes: number): void {
    if (this.#options.flowControl) this.#post({ type: 'window-update', stream: stream.id, delta: bytes });
  }

  forget(stream: SpdyStream): void {
    this.#streams.delete(stream.id);
    if (this.#leaving && this.#streams.size === 0) this.#finish(gone());
  }

  get #windowBytes(): number {
    return this.#options.windowBytes ?? initialWindow;
  }

  #allowance(stream: SpdyStream): number {
    if (!this.#peerKeepsWindows) return Number.POSITIVE_INFINITY;
    return Math.max(0, Math.min(stream.window.left, this.#sessionWindow.left));
  }

  #add(id: number, headers: SpdyHeaders, priority: number, remoteClosed: boolean, localClosed: boolean): SpdyStream {
    const receiveWindow = this.#windowBytes;
    const sendWindow = this.#peerWindow;
    const stream = new SpdyStream({
      id,
      headers,
      priority,
      host: this,
      receiveWindow,
      sendWindow,
      remoteClosed,
      localClosed,
    });
    this.#streams.set(id, stream);
    return stream;
  }

  async #run(): Promise<void> {
    try {
      for await (const chunk of this.#options.link.messages) {
        for (const frame of this.#decoder.push(chunk)) {
          const stalled = this.#receive(frame);
          if (stalled) await stalled;
          if (this.#ending) return;
        }
      }
      this.#finish(gone());
    } catch (error) {
      if (this.#ending?.code === 'aborted') return;
      this.#post({ type: 'goaway', lastStream: this.#lastPeerStream, status: goawayStatus.protocolError });
      const failure =
        error instanceof KubeError
          ? error
          : new KubeError('connection-lost', `The SPDY session broke: ${String(error)}`, { cause: error });
      this.#finish(failure);
      throw failure;
    }
  }

  #receive(frame: Frame): Promise<void> | undefined {
    switch (frame.type) {
      case 'data':
        return this.#receiveData(frame.stream, frame.data, frame.fin);
      case 'syn-stream':
        return void this.#accept(frame);
      case 'syn-reply':
        this.#streams.get(frame.stream)?.receiveReply(frame.headers);
        if (frame.fin) this.#streams.get(frame.stream)?.receiveFin();
        return undefined;
      case 'headers':
        // Kubernetes gives later headers no meaning; their compression state had to be followed all the same.
        if (frame.fin) this.#streams.get(frame.stream)?.receiveFin();
        return undefined;
      case 'rst-stream':
        return void this.#streams.get(frame.stream)?.abandon(resetError(frame.stream, frame.status));
      case 'settings':
        return void this.#settings(frame.entries);
      case 'window-update':
        this.#peerKeepsWindows = true;
        (frame.stream === 0 ? this.#sessionWindow : this.#streams.get(frame.stream)?.window)?.grow(frame.delta);
        return undefined;
      case 'ping':
        return void this.#pong(frame.id);
      case 'goaway':
        return void this.#leave(frame.lastStream);
    }
  }

  #receiveData(id: number, data: Buffer, fin: boolean): Promise<void> | undefined {
    // Memory is bounded by the window of each stream; the session's own must not let one slow reader stop the rest.
    if (this.#options.flowControl && data.length > 0)
      this.#post({ type: 'window-update', stream: 0, delta: data.length });
    const stream = this.#streams.get(id);
    if (!stream) {
      if (this.#isPeers(id) ? id > this.#lastPeerStream : id >= this.#nextStream) {
        this.#post({ type: 'rst-stream', stream: id, status: resetStatus.invalidStream });
      }
      return undefined;
    }
    const stalled = data.length > 0 ? stream.receive(data) : undefined;
    if (fin) stream.receiveFin();
    return stalled;
  }

  #accept(frame: Frame & { type: 'syn-stream' }): void {
    const { stream: id, headers, priority, fin, unidirectional } = frame;
    const refused = this.#refusal(id);
    if (refused !== undefined) {
      this.#post({ type: 'rst-stream', stream: id, status: refused });
      return;
    }
    this.#lastPeerStream = id;
    this.#options.onStream?.(this.#add(id, headers, priority, fin, unidirectional));
  }

  #refusal(id: number): number | undefined {
    if (!this.#isPeers(id) || id <= this.#lastPeerStream) return resetStatus.protocolError;
    const full = this.#streams.size >= (this.#options.maxStreams ?? 1000);
    return !this.#options.onStream || full || this.#leaving ? resetStatus.refusedStream : undefined;
  }

  #isPeers(id: number): boolean {
    return (id % 2 === 1) === (this.#options.side === 'server');
  }

  #settings(entries: readonly { id: number; value: number }[]): void {
    for (const { id, value } of entries) {
      if (id !== setting.initialWindowSize) continue;
      this.#peerKeepsWindows = true;
      for (const stream of this.#streams.values()) stream.window.grow(value - this.#peerWindow);
      this.#peerWindow = value;
    }
  }

  #pong(id: number): void {
    const waiter = this.#pings.get(id);
    this.#pings.delete(id);
    if (waiter) waiter();
    else if (this.#isPeers(id)) this.#post({ type: 'ping', id });
  }

  #leave(lastStream: number): void {
    this.#leaving = true;
    for (const stream of [...this.#streams.values()]) {
      if (!this.#isPeers(stream.id) && stream.id > lastStream) stream.abandon(gone());
    }
    if (this.#streams.size === 0) this.#finish(gone());
  }

  #finish(reason: KubeError): void {
    if (this.#ending) return;
    this.#ending = reason;
    const error = reason.code === 'aborted' ? undefined : reason;
    for (const stream of [...this.#streams.values()]) stream.abandon(error);
    this.#sessionWindow.wake();
    this.#options.link.close();
  }

  /** For frames that nobody waits for: a link that is gone shows in the read loop. */
  #post(frame: Frame): void {
    this.#send(frame).catch(() => undefined);
  }

  #send(frame: Frame): Promise<void> {
    return this.#ending ? Promise.reject(this.#ending) : this.#options.link.send(this.#encoder.encode(frame));
  }
}

function gone(): KubeError {
  return new KubeError('connection-lost', 'The peer ended the SPDY session. Connect again.');
}

function resetError(stream: number, status: number): KubeError {
  const name = Object.entries(resetStatus).find(([, value]) => value === status)?.[0] ?? `status ${status}`;
  return new KubeError('connection-lost', `The peer reset SPDY stream ${stream} (${name}). Connect again.`);
}
