/** Content types by extension, and by the first bytes where there is none. e2b 3.5 */
import { posix } from 'node:path';

const types: Readonly<Record<string, string>> = {
  avif: 'image/avif',
  css: 'text/css; charset=utf-8',
  csv: 'text/csv; charset=utf-8',
  gif: 'image/gif',
  gz: 'application/gzip',
  htm: 'text/html; charset=utf-8',
  html: 'text/html; charset=utf-8',
  ico: 'image/vnd.microsoft.icon',
  jpeg: 'image/jpeg',
  jpg: 'image/jpeg',
  js: 'text/javascript; charset=utf-8',
  json: 'application/json',
  md: 'text/markdown; charset=utf-8',
  mjs: 'text/javascript; charset=utf-8',
  mp3: 'audio/mpeg',
  mp4: 'video/mp4',
  pdf: 'application/pdf',
  png: 'image/png',
  py: 'text/x-python; charset=utf-8',
  svg: 'image/svg+xml',
  tar: 'application/x-tar',
  ts: 'text/plain; charset=utf-8',
  txt: 'text/plain; charset=utf-8',
  wasm: 'application/wasm',
  webp: 'image/webp',
  xml: 'text/xml; charset=utf-8',
  yaml: 'application/yaml',
  yml: 'application/yaml',
  zip: 'application/zip',
};

export const octetStream = 'application/octet-stream';

export function typeByName(name: string): string | undefined {
  const extension = posix.extname(name).slice(1).toLowerCase();
  if (extension === '') return undefined;
  return types[extension] ?? (extension === 'bin' ? octetStream : undefined);
}

const magic: readonly (readonly [string, string])[] = [
  ['89504e470d0a1a0a', 'image/png'],
  ['ffd8ff', 'image/jpeg'],
  ['474946383761', 'image/gif'],
  ['474946383961', 'image/gif'],
  ['255044462d', 'application/pdf'],
  ['504b0304', 'application/zip'],
  ['1f8b08', 'application/x-gzip'],
  ['0061736d', 'application/wasm'],
];

/** From the first 512 bytes: a known signature, else text if there is no binary byte. An empty file is text. */
export function typeByContent(start: Buffer): string {
  const hex = start.subarray(0, 16).toString('hex');
  const known = magic.find(([signature]) => hex.startsWith(signature));
  if (known !== undefined) return known[1];
  if (/^\s*<(!doctype html|html|head|body|script)\b/i.test(start.toString('latin1'))) return 'text/html; charset=utf-8';
  if (/^\s*<\?xml/.test(start.toString('latin1'))) return 'text/xml; charset=utf-8';
  return start.some(isBinary) ? octetStream : 'text/plain; charset=utf-8';
}

function isBinary(byte: number): boolean {
  return byte <= 0x08 || byte === 0x0b || (byte >= 0x0e && byte <= 0x1a) || (byte >= 0x1c && byte <= 0x1f);
}
