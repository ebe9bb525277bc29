import type { Frame } from './frame.ts';
import { controlType, flag, version } from './frame.ts';
import { HeaderDecompressor } from './header-block.ts';
import { protocolError } from './protocol-error.ts';

/** Control frames are small; a peer that announces a large one is no SPDY peer. */
const controlLimit = 256 * 1024;
const headLength = 8;

/**
 * Bytes to frames, in whatever pieces they come. The payload of a long data frame is handed on as it arrives, as
 * several data frames of which the last carries the FIN: nothing larger than a control frame is ever held.
 */
export class FrameDecoder {
  readonly #headers = new HeaderDecompressor();
  #held: Buffer = Buffer.alloc(0);
  /** The data frame that is being received. */
  #open: { stream: number; fin: boolean; left: number } | undefined;

  *push(chunk: Buffer): Generator<Frame, void> {
    let rest = this.#held.length === 0 ? chunk : Buffer.concat([this.#held, chunk]);
    while (rest.length > 0) {
      if (this.#open) {
        const data = rest.subarray(0, this.#open.left);
        rest = rest.subarray(data.length);
        yield this.#dataFrame(this.#open, data);
        continue;
      }
      if (rest.length < headLength) break;
      const flags = rest.readUInt8(4);
      const length = rest.readUInt32BE(4) & 0xffffff;
      if ((rest.readUInt8(0) & 0x80) === 0) {
        const stream = rest.readUInt32BE(0);
        rest = rest.subarray(headLength);
        this.#open = { stream, fin: (flags & flag.fin) !== 0, left: length };
        if (length === 0) yield this.#dataFrame(this.#open, Buffer.alloc(0));
        continue;
      }
      if (length > controlLimit) throw protocolError(`a control frame of ${length} bytes`);
      if (rest.length < headLength + length) break;
      const frame = this.#control(
        rest.readUInt16BE(0) & 0x7fff,
        rest.readUInt16BE(2),
        flags,
        rest.subarray(headLength, headLength + length),
      );
      rest = rest.subarray(headLength + length);
      if (frame) yield frame;
    }
    this.#held = rest;
  }

  #dataFrame(open: { stream: number; fin: boolean; left: number }, data: Buffer): Frame {
    open.left -= data.length;
    const last = open.left === 0;
    if (last) this.#open = undefined;
    return { type: 'data', stream: open.stream, fin: last && open.fin, data };
  }

  /** Undefined for types that this version does not know: the protocol says to skip them. */
  #control(given: number, type: number, flags: number, payload: Buffer): Frame | undefined {
    if (given !== version) throw protocolError(`version ${given} instead of ${version}`);
    const fin = (flags & flag.fin) !== 0;
    const word = (index: number): number => {
      if (payload.length < index * 4 + 4) throw protocolError(`control frame ${type} is too short`);
      return payload.readUInt32BE(index * 4);
    };
    const id = (index: number): number => word(index) & 0x7fffffff;
    switch (type) {
      case controlType.synStream: {
        if (payload.length < 10) throw protocolError('SYN_STREAM is too short');
        return {
          type: 'syn-stream',
          stream: id(0),
          associated: id(1),
          priority: payload.readUInt8(8) >> 5,
          fin,
          unidirectional: (flags & flag.unidirectional) !== 0,
          headers: this.#headers.decompress(payload.subarray(10)),
        };
      }
      case controlType.synReply:
        return { type: 'syn-reply', stream: id(0), fin, headers: this.#headers.decompress(payload.subarray(4)) };
      case controlType.headers:
        return { type: 'headers', stream: id(0), fin, headers: this.#headers.decompress(payload.subarray(4)) };
      case controlType.rstStream:
        return { type: 'rst-stream', stream: id(0), status: word(1) };
      case controlType.settings: {
        const count = word(0);
        if (payload.length < 4 + count * 8) throw protocolError('SETTINGS is too short');
        const entries = Array.from({ length: count }, (_, index) => {
          const first = word(1 + index * 2);
          return { flags: first >>> 24, id: first & 0xffffff, value: word(2 + index * 2) };
        });
        return { type: 'settings', clear: (flags & flag.clearSettings) !== 0, entries };
      }
      case controlType.ping:
        return { type: 'ping', id: word(0) };
      case controlType.goaway:
        return { type: 'goaway', lastStream: id(0), status: word(1) };
      case controlType.windowUpdate:
        return { type: 'window-update', stream: id(0), delta: id(1) };
      default:
        return undefined;
    }
  }
}
