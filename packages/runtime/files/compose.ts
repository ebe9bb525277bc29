/** `POST /files/compose`: several files into one, which appears at once; the sources go. e2b 3.5 */

import { open, rm } from 'node:fs/promises';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { dirname } from 'node:path';
import { DirectoryError, ensureDirectories } from '../filesystem/directories.ts';
import { baseName, resolvePath } from '../filesystem/paths.ts';
import type { RuntimeContext } from '../server/context.ts';
import { errno, HttpError, RuntimeError } from '../server/errors.ts';
import { replyJson } from '../server/reply.ts';
import { fileUser } from './access.ts';
import { FileSink } from './sink.ts';

interface ComposeRequest {
  readonly sources: readonly string[];
  readonly destination: string;
  readonly username: string | undefined;
}

export async function compose(
  context: RuntimeContext,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const asked = await readRequest(request);
  const user = fileUser(context, asked.username);
  const resolve = (path: string): string => {
    try {
      return resolvePath(path, user, context.state.defaultWorkdir);
    } catch (cause) {
      if (!(cause instanceof RuntimeError)) throw cause;
      throw new HttpError(400, `error resolving path: ${cause.message}`, { cause });
    }
  };
  const sources = asked.sources.map(resolve);
  const path = resolve(asked.destination);
  await ensureDirectories(dirname(path), user).catch((cause: unknown) => {
    if (!(cause instanceof DirectoryError)) throw cause;
    throw new HttpError(500, `error ensuring directories: ${cause.message}`, { cause });
  });
  const sink = await FileSink.open({ path, user, atomic: true });
  try {
    for (const source of sources) await append(source, sink);
  } catch (thrown) {
    await sink.abort();
    throw thrown;
  }
  await sink.finish();
  for (const source of sources) {
    if (source !== path) await rm(source, { force: true });
  }
  replyJson(response, 200, { name: baseName(path), path, type: 'file' });
}

async function append(source: string, sink: FileSink): Promise<void> {
  const file = await open(source, 'r').catch((cause: unknown) => {
    if (errno(cause) === 'ENOENT') throw new HttpError(404, `source file not found: ${source}`, { cause });
    throw new HttpError(500, `error opening source file: ${source}`, { cause });
  });
  try {
    if (!(await file.stat()).isFile()) throw new HttpError(400, `source is not a regular file: ${source}`);
    const stream = file.createReadStream({ autoClose: false, highWaterMark: 256 * 1024 });
    for await (const chunk of stream as AsyncIterable<Buffer>) await sink.write(chunk);
  } finally {
    await file.close();
  }
}

async function readRequest(request: IncomingMessage): Promise<ComposeRequest> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    size += chunk.byteLength;
    if (size > 1024 * 1024) throw new HttpError(400, 'request body is larger than 1 MiB');
    chunks.push(chunk);
  }
  let value: { source_paths?: unknown; destination?: unknown; username?: unknown } | null;
  try {
    value = JSON.parse(Buffer.concat(chunks).toString('utf8'));
  } catch (cause) {
    throw new HttpError(400, 'request body is not JSON', { cause });
  }
  const sources = value?.source_paths;
  if (!Array.isArray(sources) || sources.length === 0 || !sources.every((each) => typeof each === 'string')) {
    throw new HttpError(400, 'source_paths must not be empty');
  }
  if (typeof value?.destination !== 'string' || value.destination === '') {
    throw new HttpError(400, 'destination must not be empty');
  }
  const { username } = value;
  return { sources, destination: value.destination, username: typeof username === 'string' ? username : undefined };
}
