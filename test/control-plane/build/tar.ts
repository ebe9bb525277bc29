import { Buffer } from 'node:buffer';

export type TarEntry = {
  readonly name: string;
  readonly data: Uint8Array;
  readonly mode?: number;
  readonly link?: string;
};

const BLOCK = 512;

/** Writes a POSIX archive: enough for an image, whose names are short and whose owner is root. */
export function writeTar(entries: readonly TarEntry[]): Buffer {
  const blocks: Buffer[] = [];
  for (const entry of entries) {
    blocks.push(header(entry), Buffer.from(entry.data));
    const rest = entry.data.length % BLOCK;
    if (rest > 0) blocks.push(Buffer.alloc(BLOCK - rest));
  }
  blocks.push(Buffer.alloc(2 * BLOCK));
  return Buffer.concat(blocks);
}

/** Finds one file in an archive. */
export function readTarFile(archive: Uint8Array, wanted: string): Buffer | undefined {
  const bytes = Buffer.from(archive.buffer, archive.byteOffset, archive.byteLength);
  for (let at = 0; at + BLOCK <= bytes.length; ) {
    const name = text(bytes, at, 100);
    if (name === '') return undefined;
    const size = Number.parseInt(text(bytes, at + 124, 12), 8);
    if (name === wanted) return bytes.subarray(at + BLOCK, at + BLOCK + size);
    at += BLOCK + Math.ceil(size / BLOCK) * BLOCK;
  }
  return undefined;
}

function header(entry: TarEntry): Buffer {
  const block = Buffer.alloc(BLOCK);
  const folder = entry.name.endsWith('/');
  block.write(entry.name, 0, 100);
  block.write(octal(entry.mode ?? 0o644, 7), 100);
  block.write(octal(0, 7), 108);
  block.write(octal(0, 7), 116);
  block.write(octal(entry.data.length, 11), 124);
  block.write(octal(0, 11), 136);
  block.write(' '.repeat(8), 148);
  block.write(entry.link !== undefined ? '2' : folder ? '5' : '0', 156);
  block.write(entry.link ?? '', 157, 100);
  block.write('ustar\0' + '00', 257);
  const sum = block.reduce((total, byte) => total + byte, 0);
  block.write(`${octal(sum, 6)}\0 `, 148);
  return block;
}

function octal(value: number, digits: number): string {
  return value.toString(8).padStart(digits, '0');
}

function text(bytes: Buffer, at: number, length: number): string {
  const field = bytes.subarray(at, at + length);
  const end = field.indexOf(0);
  return field.toString('latin1', 0, end === -1 ? length : end).trim();
}
