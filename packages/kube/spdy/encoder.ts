import type { Frame } from './frame.ts';
import { controlType, flag, version } from './frame.ts';
import { HeaderCompressor } from './header-block.ts';

/** Frames to bytes. Keeps the compression state of its direction, so frames must be sent in the order of encoding. */
export class FrameEncoder {
  readonly #headers = new HeaderCompressor();

  encode(frame: Frame): Buffer {
    switch (frame.type) {
      case 'data':
        return Buffer.concat([head(frame.stream, frame.fin ? flag.fin : 0, frame.data.length), frame.data]);
      case 'syn-stream': {
        const fixed = Buffer.alloc(10);
        fixed.writeUInt32BE(frame.stream, 0);
        fixed.writeUInt32BE(frame.associated, 4);
        fixed.writeUInt8((frame.priority & 0x07) << 5, 8);
        const flags = (frame.fin ? flag.fin : 0) | (frame.unidirectional ? flag.unidirectional : 0);
        return control(controlType.synStream, flags, fixed, this.#headers.compress(frame.headers));
      }
      case 'syn-reply':
      case 'headers': {
        const type = frame.type === 'headers' ? controlType.headers : controlType.synReply;
        return control(type, frame.fin ? flag.fin : 0, words(frame.stream), this.#headers.compress(frame.headers));
      }
      case 'rst-stream':
        return control(controlType.rstStream, 0, words(frame.stream, frame.status));
      case 'settings': {
        const entries = frame.entries.flatMap(({ flags, id, value }) => [
          ((flags & 0xff) << 24) | (id & 0xffffff),
          value,
        ]);
        const flags = frame.clear ? flag.clearSettings : 0;
        return control(controlType.settings, flags, words(frame.entries.length, ...entries));
      }
      case 'ping':
        return control(controlType.ping, 0, words(frame.id));
      case 'goaway':
        return control(controlType.goaway, 0, words(frame.lastStream, frame.status));
      case 'window-update':
        return control(controlType.windowUpdate, 0, words(frame.stream, frame.delta));
    }
  }
}

function control(type: number, flags: number, ...payload: Buffer[]): Buffer {
  const length = payload.reduce((sum, part) => sum + part.length, 0);
  return Buffer.concat([head(((0x8000 | version) << 16) | type, flags, length), ...payload]);
}

function head(first: number, flags: number, length: number): Buffer {
  const bytes = Buffer.alloc(8);
  bytes.writeUInt32BE(first >>> 0, 0);
  bytes.writeUInt32BE(((flags << 24) | length) >>> 0, 4);
  return bytes;
}

function words(...values: number[]): Buffer {
  const bytes = Buffer.alloc(values.length * 4);
  values.forEach((value, index) => {
    bytes.writeUInt32BE(value >>> 0, index * 4);
  });
  return bytes;
}
