/** multipart/form-data as a stream of parts; nothing is buffered but the headers of a part. RFC 7578 */
export interface Part {
  readonly name: string | undefined;
  /** The whole file name, directories included. */
  readonly filename: string | undefined;
  /** Must be read to its end before the next part. */
  readonly body: AsyncIterable<Buffer>;
}

export class MultipartError extends Error {}

export function boundaryOf(contentType: string): string | undefined {
  const match = /;\s*boundary=(?:"((?:[^"\\]|\\.)*)"|([^\s;]+))/i.exec(contentType);
  const boundary = match?.[1]?.replace(/\\(.)/g, '$1') ?? match?.[2];
  return boundary === '' ? undefined : boundary;
}

const maxHeaderBytes = 64 * 1024;
const blankLine = Buffer.from('\r\n\r\n');

/** Reads forward through the request's bytes. Everything is looked for in `rest`, which grows only while nothing is found. */
class Reader {
  readonly #chunks: AsyncIterator<Buffer>;
  rest: Buffer = Buffer.alloc(0);

  constructor(source: AsyncIterable<Buffer>) {
    this.#chunks = source[Symbol.asyncIterator]();
  }

  /** False at the end of the request. */
  async more(): Promise<boolean> {
    const next = await this.#chunks.next();
    if (next.done === true) return false;
    this.rest = this.rest.byteLength === 0 ? next.value : Buffer.concat([this.rest, next.value]);
    return true;
  }

  take(count: number): Buffer {
    const taken = this.rest.subarray(0, count);
    this.rest = this.rest.subarray(count);
    return taken;
  }
}

export async function* readParts(source: AsyncIterable<Buffer>, boundary: string): AsyncGenerator<Part> {
  const reader = new Reader(source);
  const delimiter = Buffer.from(`\r\n--${boundary}`);
  // The first delimiter may stand at the very start, without its line break.
  reader.rest = Buffer.from('\r\n');
  for await (const _ of untilDelimiter(reader, delimiter, 'preamble')) {
    // A preamble means nothing.
  }
  while (await partFollows(reader)) {
    const headers = await readHeaders(reader);
    const disposition = headers.get('content-disposition') ?? '';
    const body = untilDelimiter(reader, delimiter, 'part');
    yield { name: parameter(disposition, 'name'), filename: parameter(disposition, 'filename'), body };
    for await (const _ of body) {
      // What the consumer left is skipped.
    }
  }
}

/** After a delimiter: `--` ends the message, a line break begins a part. */
async function partFollows(reader: Reader): Promise<boolean> {
  while (reader.rest.byteLength < 2) {
    if (!(await reader.more())) return false;
  }
  if (reader.rest[0] === 0x2d && reader.rest[1] === 0x2d) return false;
  let end = reader.rest.indexOf('\r\n');
  while (end === -1) {
    if (reader.rest.byteLength > maxHeaderBytes || !(await reader.more())) throw new MultipartError('unexpected EOF');
    end = reader.rest.indexOf('\r\n');
  }
  // The line break stays: it is the one before the headers, and alone it means that there are none.
  reader.take(end);
  return true;
}

async function readHeaders(reader: Reader): Promise<Map<string, string>> {
  let end = reader.rest.indexOf(blankLine);
  while (end === -1) {
    if (reader.rest.byteLength > maxHeaderBytes) throw new MultipartError('part headers are too long');
    if (!(await reader.more())) throw new MultipartError('unexpected EOF');
    end = reader.rest.indexOf(blankLine);
  }
  const text = reader.take(end + blankLine.byteLength).toString('utf8');
  const headers = new Map<string, string>();
  for (const line of text.split('\r\n')) {
    const colon = line.indexOf(':');
    if (colon > 0) headers.set(line.slice(0, colon).trim().toLowerCase(), line.slice(colon + 1).trim());
  }
  return headers;
}

async function* untilDelimiter(reader: Reader, delimiter: Buffer, what: 'preamble' | 'part'): AsyncGenerator<Buffer> {
  for (;;) {
    const at = reader.rest.indexOf(delimiter);
    if (at !== -1) {
      if (at > 0) yield reader.take(at);
      reader.take(delimiter.byteLength);
      return;
    }
    // The end of what we have may be the start of a delimiter: that much is held back.
    const safe = reader.rest.byteLength - delimiter.byteLength + 1;
    if (safe > 0) yield reader.take(safe);
    if (await reader.more()) continue;
    if (what === 'preamble') return;
    if (reader.rest.byteLength > 0) yield reader.take(reader.rest.byteLength);
    throw new MultipartError('unexpected EOF');
  }
}

function parameter(disposition: string, name: string): string | undefined {
  const match = new RegExp(`;\\s*${name}=(?:"((?:[^"\\\\]|\\\\.)*)"|([^;\\s]+))`, 'i').exec(disposition);
  return match?.[1]?.replace(/\\(["\\])/g, '$1') ?? match?.[2];
}
