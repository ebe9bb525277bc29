/**
 * The answer of a streaming RPC: envelopes, then exactly one end envelope. It tells its writer when the client is slow
 * (`write` gives false, `onDrain` follows) and when it is gone, and it ends a client that takes nothing at all.
 */
import type { ServerResponse } from 'node:http';
import type { DescMessage, MessageShape } from '@bufbuild/protobuf';
import { RuntimeError } from '../server/errors.ts';
import { encode, type Format } from './codec.ts';
import { envelope, flagEnd } from './envelope.ts';

/** How long a client may take nothing at all while bytes wait for it. */
export const stallLimitMs = 60_000;

export class ServerStream {
  readonly format: Format;
  readonly #response: ServerResponse;
  readonly #stallMs: number;
  #state: 'open' | 'ended' | 'gone' = 'open';
  #drain: (() => void)[] = [];
  #close: (() => void)[] = [];
  #stall: NodeJS.Timeout | undefined;
  #pending = 0;

  constructor(response: ServerResponse, format: Format, contentType: string, stallMs = stallLimitMs) {
    this.format = format;
    this.#response = response;
    this.#stallMs = stallMs;
    response.setHeader('content-type', contentType);
    response.on('drain', () => this.#drained());
    response.on('close', () => this.#closed());
  }

  get open(): boolean {
    return this.#state === 'open';
  }

  /** Writes bytes that are already enveloped. False: wait for `onDrain` before writing more. */
  write(bytes: Buffer): boolean {
    if (this.#state !== 'open') return true;
    const room = this.#response.write(bytes);
    if (!room && this.#stall === undefined) this.#watchStall();
    return room;
  }

  send<Desc extends DescMessage>(desc: Desc, message: MessageShape<Desc>): boolean {
    return this.write(envelope(0, encode(desc, this.format, message)));
  }

  end(error?: RuntimeError): void {
    if (this.#state !== 'open') return;
    this.#state = 'ended';
    const body = error === undefined ? {} : { error: { code: error.code, message: error.message } };
    this.#response.end(envelope(flagEnd, Buffer.from(JSON.stringify(body), 'utf8')));
    this.#release();
  }

  onDrain(callback: () => void): void {
    this.#drain.push(callback);
  }

  /** Called once, when the client is gone or the stream has ended. */
  onClose(callback: () => void): void {
    if (this.#state === 'open') this.#close.push(callback);
    else callback();
  }

  #drained(): void {
    clearTimeout(this.#stall);
    this.#stall = undefined;
    for (const callback of this.#drain) callback();
  }

  #closed(): void {
    clearTimeout(this.#stall);
    if (this.#state === 'open') this.#state = 'gone';
    this.#release();
  }

  #release(): void {
    const callbacks = this.#close;
    this.#close = [];
    this.#drain = [];
    for (const callback of callbacks) callback();
  }

  #watchStall(): void {
    this.#pending = queuedBytes(this.#response);
    this.#stall = setTimeout(() => {
      this.#stall = undefined;
      if (this.#state === 'gone') return;
      const now = queuedBytes(this.#response);
      if (now > 0 && now === this.#pending) this.#abandon();
      else if (now > 0) this.#watchStall();
    }, this.#stallMs);
    this.#stall.unref();
  }

  #abandon(): void {
    const socket = this.#response.socket;
    this.end(
      new RuntimeError(
        'resource_exhausted',
        `the client took no byte for ${this.#stallMs / 1000} s; connect again and read faster`,
      ),
    );
    // The end envelope waits behind what the client does not take; it gets one more interval for it.
    const timer = setTimeout(() => socket?.destroy(), this.#stallMs);
    timer.unref();
    this.#response.once('close', () => clearTimeout(timer));
  }
}

/** Bytes that the kernel has not taken yet; shrinks while the client reads, unlike `bytesWritten`, which counts queued ones. */
function queuedBytes(response: ServerResponse): number {
  const socket = response.socket as { _handle?: { writeQueueSize?: number }; writableLength: number } | null;
  return socket?._handle?.writeQueueSize ?? socket?.writableLength ?? 0;
}
