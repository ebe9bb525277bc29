/** Part of a file into a response, with two buffers: while one is on its way to the client, the other is being read. */
import type { FileHandle } from 'node:fs/promises';
import type { ServerResponse } from 'node:http';

const chunk = 256 * 1024;

/** A file that became shorter meanwhile cuts the connection: the promised length can't be kept. */
export async function sendRange(
  file: FileHandle,
  start: number,
  length: number,
  response: ServerResponse,
): Promise<void> {
  if (length === 0) {
    response.end();
    return;
  }
  const buffers = [0, 1].map(() => Buffer.allocUnsafeSlow(Math.min(chunk, length)));
  const sent: Promise<void>[] = [Promise.resolve(), Promise.resolve()];
  for (let at = 0, turn = 0; at < length; turn = 1 - turn) {
    await sent[turn];
    if (response.destroyed) return;
    const buffer = buffers[turn] ?? Buffer.alloc(0);
    const { bytesRead } = await file.read(buffer, 0, Math.min(buffer.byteLength, length - at), start + at);
    if (bytesRead === 0) {
      response.destroy();
      return;
    }
    at += bytesRead;
    const bytes = bytesRead === buffer.byteLength ? buffer : buffer.subarray(0, bytesRead);
    sent[turn] = new Promise((resolve) => {
      const last = at >= length;
      if (last) response.end(bytes, resolve);
      else response.write(bytes, () => resolve());
    });
  }
  await Promise.race([Promise.all(sent), new Promise<void>((resolve) => response.once('close', resolve))]);
}
