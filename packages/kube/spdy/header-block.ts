import { constants, deflateRawSync, inflateRawSync } from 'node:zlib';
import { dictionary, dictionaryId } from './dictionary.ts';
import { protocolError } from './protocol-error.ts';

/** Names in lower case. Several values of one name are joined by NUL on the wire. */
export type SpdyHeaders = Readonly<Record<string, string>>;

/** Deflate looks back at most this far. */
const windowSize = 32_768;
/** More than any Kubernetes peer sends; less than a decompression bomb wants. */
const blockLimit = 256 * 1024;

/**
 * All header blocks of one direction form a single zlib stream that is flushed to a byte boundary after each. So a block
 * is plain deflate data whose only memory is the 32 KiB of text before it, and Node's one-shot calls do, with that text
 * as their dictionary: no streams, no callbacks in the middle of framing.
 */
class History {
  #text: Buffer = dictionary;

  get text(): Buffer {
    return this.#text;
  }

  append(block: Buffer): void {
    this.#text = Buffer.concat([this.#text, block]).subarray(-windowSize);
  }
}

function zlibHeader(): Buffer {
  const header = Buffer.alloc(6);
  // 32 KiB window, dictionary follows, check bits to make it a multiple of 31 (RFC 1950, 2.2).
  header.writeUInt16BE(0x78bb);
  header.writeUInt32BE(dictionaryId, 2);
  return header;
}

export class HeaderCompressor {
  readonly #history = new History();
  #started = false;

  compress(headers: SpdyHeaders): Buffer {
    const block = encodePairs(headers);
    const data = deflateRawSync(block, { dictionary: this.#history.text, finishFlush: constants.Z_SYNC_FLUSH });
    this.#history.append(block);
    if (this.#started) return data;
    this.#started = true;
    return Buffer.concat([zlibHeader(), data]);
  }
}

export class HeaderDecompressor {
  readonly #history = new History();
  #started = false;

  decompress(data: Buffer): SpdyHeaders {
    const raw = this.#started ? data : skipZlibHeader(data);
    this.#started = true;
    let block: Buffer;
    try {
      block = inflateRawSync(raw, {
        dictionary: this.#history.text,
        finishFlush: constants.Z_SYNC_FLUSH,
        maxOutputLength: blockLimit,
      });
    } catch (cause) {
      throw protocolError('a header block cannot be decompressed', cause);
    }
    this.#history.append(block);
    return decodePairs(block);
  }
}

function skipZlibHeader(data: Buffer): Buffer {
  const usesDictionary = data.length >= 6 && ((data[1] ?? 0) & 0x20) !== 0;
  if (!usesDictionary || data.readUInt32BE(2) !== dictionaryId) {
    throw protocolError('the first header block does not name the dictionary of SPDY/3');
  }
  return data.subarray(6);
}

function encodePairs(headers: SpdyHeaders): Buffer {
  const entries = Object.entries(headers);
  const parts = [uint32(entries.length)];
  for (const [name, value] of entries) {
    for (const text of [name.toLowerCase(), value]) {
      const bytes = Buffer.from(text, 'utf8');
      parts.push(uint32(bytes.length), bytes);
    }
  }
  return Buffer.concat(parts);
}

function decodePairs(block: Buffer): SpdyHeaders {
  let at = 0;
  const number = (): number => {
    if (at + 4 > block.length) throw protocolError('a header block is cut off');
    at += 4;
    return block.readUInt32BE(at - 4);
  };
  const text = (): string => {
    const length = number();
    if (at + length > block.length) throw protocolError('a header block is cut off');
    at += length;
    return block.toString('utf8', at - length, at);
  };
  // No prototype: a peer that names a header `__proto__` names just a header.
  const headers: Record<string, string> = Object.create(null);
  for (let left = number(); left > 0; left -= 1) {
    const name = text();
    if (name === '' || name in headers) throw protocolError(`header name ${JSON.stringify(name)} is empty or doubled`);
    headers[name] = text();
  }
  return headers;
}

function uint32(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(value);
  return bytes;
}
