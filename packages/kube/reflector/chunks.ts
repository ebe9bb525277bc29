import { pipeline, Readable } from 'node:stream';
import { createGunzip } from 'node:zlib';
import type { Clock } from '../clock.ts';
import { KubeError } from '../errors.ts';
import type { KubeStream } from '../transport/contract.ts';

/**
 * The bytes of a stream, until its end or until nothing came for `silenceMs`: a peer that is frozen, or a proxy that
 * lost its other side, keeps the connection open for ever and TCP notices nothing. Only time spent waiting for the peer
 * counts; a reader that is slow itself does not make the peer look dead.
 */
export async function* chunksOf(stream: KubeStream, silenceMs: number, clock: Clock): AsyncGenerator<Buffer, void> {
  const body = stream.body[Symbol.asyncIterator]();
  // One timer per stream that looks back, instead of one per chunk: a busy watch has thousands of chunks per second.
  let waitingSince: number | undefined;
  let cancel = () => {};
  const look = () => {
    const waited = waitingSince === undefined ? 0 : clock.monotonic() - waitingSince;
    if (waited >= silenceMs) stream.close();
    else cancel = clock.after(silenceMs - waited, look, { unref: true });
  };
  cancel = clock.after(silenceMs, look, { unref: true });
  try {
    for (;;) {
      waitingSince = clock.monotonic();
      const { done, value } = await body.next();
      waitingSince = undefined;
      if (done) return;
      yield value;
    }
  } finally {
    cancel();
    stream.close();
  }
}

/** Undoes `Content-Encoding: gzip`, outside the event loop. */
export function inflated(stream: KubeStream, chunks: AsyncIterable<Buffer>): AsyncIterable<Buffer> {
  return stream.headers['content-encoding'] === 'gzip' ? gunzip(chunks) : chunks;
}

async function* gunzip(chunks: AsyncIterable<Buffer>): AsyncGenerator<Buffer, void> {
  const plain = createGunzip({ chunkSize: 64 * 1024 });
  pipeline(Readable.from(chunks), plain, () => {
    // The error, if any, comes out of the loop below.
  });
  try {
    for await (const chunk of plain) yield chunk as Buffer;
  } catch (cause) {
    if (cause instanceof KubeError) throw cause;
    throw new KubeError('connection-lost', 'a compressed answer was cut short; it will be asked for again', { cause });
  }
}
