/** What a program needs to run without the image's own libraries: its dynamic loader and every shared library. */
import { execFileSync } from 'node:child_process';
import { closeSync, openSync, readSync } from 'node:fs';

export interface Libraries {
  /** Undefined for a static program. */
  readonly loader: string | undefined;
  readonly paths: readonly string[];
}

/** Asks the loader itself, the way ldd does; the program is not run. */
export function librariesOf(program: string): Libraries {
  const loader = interpreterOf(program);
  if (loader === undefined) return { loader, paths: [] };
  const text = execFileSync(loader, ['--list', program], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] });
  const paths = [...text.matchAll(/^\s*\S+ => (\/\S+) \(0x/gm)].map((match) => match[1] ?? '');
  const missing = /^\s*(\S+) => not found/m.exec(text);
  if (missing !== null) throw new Error(`${program} needs ${missing[1]}, which is not on this machine`);
  return { loader, paths };
}

/** The PT_INTERP entry of an ELF64 program. */
export function interpreterOf(program: string): string | undefined {
  const fd = openSync(program, 'r');
  try {
    const read = (length: number, at: number): Buffer => {
      const bytes = Buffer.alloc(length);
      readSync(fd, bytes, 0, length, at);
      return bytes;
    };
    const header = read(64, 0);
    if (header.toString('latin1', 0, 4) !== '\x7fELF' || header[4] !== 2) {
      throw new Error(`${program} is not a 64-bit ELF program`);
    }
    const table = Number(header.readBigUInt64LE(32));
    const size = header.readUInt16LE(54);
    const count = header.readUInt16LE(56);
    for (let index = 0; index < count; index += 1) {
      const entry = read(size, table + index * size);
      if (entry.readUInt32LE(0) !== 3) continue;
      const text = read(Number(entry.readBigUInt64LE(32)), Number(entry.readBigUInt64LE(8)));
      return text.toString('utf8').replace(/\0.*$/s, '');
    }
    return undefined;
  } finally {
    closeSync(fd);
  }
}
