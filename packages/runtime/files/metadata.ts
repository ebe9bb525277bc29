/** Metadata of uploads: headers `X-Metadata-<key>`, stored as extended attributes `user.e2b.<key>`. e2b 3.5 */
import type { IncomingMessage } from 'node:http';
import { HttpError } from '../server/errors.ts';

const prefix = 'x-metadata-';
const metadataName = /^x-metadata-/i;
const maxKeyBytes = 246;
const maxTotalBytes = 4096;
/** Each pair costs its key with the attribute prefix, as the limit of the original counts. */
const attributePrefixBytes = 'user.e2b.'.length;

export function metadataOf(request: IncomingMessage): Record<string, string> {
  const metadata: Record<string, string> = {};
  if (!request.rawHeaders.some((text) => text.length > prefix.length && metadataName.test(text))) return metadata;
  let total = 0;
  for (const [name, values] of Object.entries(request.headersDistinct)) {
    if (!name.startsWith(prefix) || name.length === prefix.length) continue;
    const key = name.slice(prefix.length).toLowerCase();
    const value = values?.[0] ?? '';
    if (key.length > maxKeyBytes) {
      throw new HttpError(400, `invalid metadata: metadata key "${key}" exceeds ${maxKeyBytes} bytes`);
    }
    checkPrintable(key, value);
    total += attributePrefixBytes + key.length + value.length;
    metadata[key] = value;
  }
  if (total > maxTotalBytes) {
    throw new HttpError(400, `invalid metadata: total metadata size ${total} exceeds ${maxTotalBytes} bytes`);
  }
  return metadata;
}

function checkPrintable(key: string, value: string): void {
  for (let at = 0; at < value.length; at += 1) {
    const byte = value.charCodeAt(at);
    if (byte >= 0x20 && byte <= 0x7e) continue;
    throw new HttpError(
      400,
      `invalid metadata: metadata value for key "${key}" contains non-printable-ASCII byte 0x${byte.toString(16).padStart(2, '0')} at offset ${at}`,
    );
  }
}
