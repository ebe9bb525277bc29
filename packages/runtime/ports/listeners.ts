/** What listens in this network namespace, from /proc/net/tcp and tcp6. */
import { readFileSync } from 'node:fs';

export interface Listener {
  readonly address: string;
  readonly port: number;
  readonly inode: number;
}

const listenState = '0A';

export function readListeners(read: (path: string) => string = readText): Listener[] {
  return [...parseTable(read('/proc/net/tcp')), ...parseTable(read('/proc/net/tcp6'))];
}

function readText(path: string): string {
  try {
    return readFileSync(path, 'latin1');
  } catch {
    return '';
  }
}

export function parseTable(text: string): Listener[] {
  const found: Listener[] = [];
  for (const line of text.split('\n').slice(1)) {
    const [, local = '', , state, , , , , , inode = '0'] = line.trim().split(/\s+/);
    if (state !== listenState) continue;
    const [address = '', port = ''] = local.split(':');
    found.push({ address: parseAddress(address), port: Number.parseInt(port, 16), inode: Number(inode) });
  }
  return found;
}

/** Words of 32 bits in the order of the machine, which is little endian wherever we run. */
function parseAddress(hex: string): string {
  const bytes = (hex.match(/.{8}/g) ?? []).flatMap((word) => [...Buffer.from(word, 'hex')].reverse());
  if (bytes.length === 4) return bytes.join('.');
  const mapped = bytes.slice(0, 10).every((byte) => byte === 0) && bytes[10] === 0xff && bytes[11] === 0xff;
  if (mapped) return bytes.slice(12).join('.');
  if (bytes.every((byte, index) => byte === (index === 15 ? 1 : 0))) return '::1';
  if (bytes.every((byte) => byte === 0)) return '::';
  const groups = Array.from({ length: 8 }, (_, at) =>
    (((bytes[2 * at] ?? 0) << 8) | (bytes[2 * at + 1] ?? 0)).toString(16),
  );
  return groups.join(':');
}

export function isLoopback(address: string): boolean {
  return address === '::1' || address.startsWith('127.');
}
