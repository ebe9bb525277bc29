/** The frames between the runtime and its helper: u32 length, u8 type, u32 id, body; little endian. See source/helper.h. */
export const frame = {
  spawn: 'S',
  signal: 'K',
  killTree: 'T',
  resize: 'R',
  closeStdin: 'C',
  forget: 'F',
  list: 'L',
  killAll: 'Q',
  ready: 'H',
  keep: 'N',
  watch: 'W',
  unwatch: 'U',
  getMetadata: 'X',
  setMetadata: 'Y',
  scan: 'B',
  ipc: 'I',
  started: 's',
  exited: 'e',
  treeGone: 't',
  events: 'i',
  reply: 'r',
  listed: 'l',
} as const;

export const frameHeader = 9;

export class FrameWriter {
  #parts: Buffer[] = [];
  #size = 0;

  u8(value: number): this {
    return this.#push(Buffer.of(value));
  }

  u16(value: number): this {
    const bytes = Buffer.allocUnsafe(2);
    bytes.writeUInt16LE(Math.min(value, 0xffff));
    return this.#push(bytes);
  }

  u32(value: number): this {
    const bytes = Buffer.allocUnsafe(4);
    bytes.writeUInt32LE(value >>> 0);
    return this.#push(bytes);
  }

  text(value: string): this {
    const length = Buffer.byteLength(value, 'utf8');
    const bytes = Buffer.allocUnsafe(4 + length + 1);
    bytes.writeUInt32LE(length);
    bytes.write(value, 4, 'utf8');
    bytes[4 + length] = 0;
    return this.#push(bytes);
  }

  texts(values: readonly string[]): this {
    this.u32(values.length);
    for (const value of values) this.text(value);
    return this;
  }

  frame(type: string, id: number): Buffer {
    const head = Buffer.allocUnsafe(frameHeader);
    head.writeUInt32LE(this.#size);
    head[4] = type.charCodeAt(0);
    head.writeUInt32LE(id >>> 0, 5);
    return Buffer.concat([head, ...this.#parts], frameHeader + this.#size);
  }

  #push(bytes: Buffer): this {
    this.#parts.push(bytes);
    this.#size += bytes.byteLength;
    return this;
  }
}

export class FrameReader {
  readonly #bytes: Buffer;
  #at = 0;

  constructor(bytes: Buffer) {
    this.#bytes = bytes;
  }

  get left(): number {
    return this.#bytes.byteLength - this.#at;
  }

  u8(): number {
    const value = this.#bytes.readUInt8(this.#at);
    this.#at += 1;
    return value;
  }

  u32(): number {
    const value = this.#bytes.readUInt32LE(this.#at);
    this.#at += 4;
    return value;
  }

  i32(): number {
    const value = this.#bytes.readInt32LE(this.#at);
    this.#at += 4;
    return value;
  }

  u64(): bigint {
    const value = this.#bytes.readBigUInt64LE(this.#at);
    this.#at += 8;
    return value;
  }

  bytes(count: number): Buffer {
    const value = this.#bytes.subarray(this.#at, this.#at + count);
    this.#at += count;
    return value;
  }

  text(): string {
    return this.#string('utf8');
  }

  /** Bytes as characters: for paths, which need not be UTF-8. */
  binary(): string {
    return this.#string('latin1');
  }

  #string(encoding: 'utf8' | 'latin1'): string {
    const length = this.u32();
    const value = this.#bytes.toString(encoding, this.#at, this.#at + length);
    this.#at += length + 1;
    return value;
  }
}

/** Cuts a stream of bytes into frames. */
export class FrameSplitter {
  #rest: Buffer = Buffer.alloc(0);

  *push(bytes: Buffer): Generator<{ type: string; id: number; body: Buffer }> {
    let all = this.#rest.byteLength === 0 ? bytes : Buffer.concat([this.#rest, bytes]);
    while (all.byteLength >= frameHeader) {
      const length = all.readUInt32LE(0);
      if (all.byteLength < frameHeader + length) break;
      const type = String.fromCharCode(all[4] ?? 0);
      yield { type, id: all.readUInt32LE(5), body: all.subarray(frameHeader, frameHeader + length) };
      all = all.subarray(frameHeader + length);
    }
    this.#rest = all;
  }
}
