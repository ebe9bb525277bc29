/** The bytes of an upload, unpacked when they come gzipped. e2b 3.5 */
import type { IncomingMessage } from 'node:http';
import { HttpError } from '../server/errors.ts';

export async function decodedBody(request: IncomingMessage): Promise<AsyncIterable<Buffer>> {
  const encoding = request.headers['content-encoding']?.trim().toLowerCase();
  if (encoding === undefined || encoding === '' || encoding === 'identity') return request;
  if (encoding !== 'gzip') {
    throw new HttpError(
      400,
      `error decompressing request body: unsupported Content-Encoding: ${encoding}, supported: [gzip]`,
    );
  }
  return await gunzipped(request);
}

/** The first chunk is awaited here: what is not gzip at all must not leave an empty file behind. */
async function gunzipped(request: IncomingMessage): Promise<AsyncIterable<Buffer>> {
  const { createGunzip } = await import('node:zlib');
  const gunzip = createGunzip({ chunkSize: 64 * 1024 });
  request.on('error', (error) => gunzip.destroy(error));
  request.on('aborted', () => gunzip.destroy(new Error('the client went away')));
  request.pipe(gunzip);
  const chunks = (gunzip as AsyncIterable<Buffer>)[Symbol.asyncIterator]();
  let first: IteratorResult<Buffer>;
  try {
    first = await chunks.next();
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new HttpError(400, `error decompressing request body: failed to create gzip reader: ${reason}`, { cause });
  }
  return (async function* () {
    if (first.done === true) return;
    yield first.value;
    for (;;) {
      const next = await chunks.next();
      if (next.done === true) return;
      yield next.value;
    }
  })();
}
