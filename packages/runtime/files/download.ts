/** `GET /files`. No permission check beyond the token: the runtime reads with its own rights, as recorded. e2b 3.5 */
import type { Stats } from 'node:fs';
import { constants } from 'node:fs';
import { type FileHandle, open, stat } from 'node:fs/promises';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { pipeline } from 'node:stream/promises';
import { baseName, resolvePath } from '../filesystem/paths.ts';
import type { RuntimeContext } from '../server/context.ts';
import { describeErrno, errno, HttpError, RuntimeError } from '../server/errors.ts';
import { replyError, replyText } from '../server/reply.ts';
import { checkFileAccess, fileUser } from './access.ts';
import { conditionalStatus } from './conditions.ts';
import { octetStream, typeByContent, typeByName } from './content-type.ts';
import { inlineDisposition } from './disposition.ts';
import { negotiate } from './encoding.ts';
import { parseFileQuery } from './query.ts';
import { parseRange } from './range.ts';
import { sendRange } from './send.ts';

const conditional = ['range', 'if-range', 'if-match', 'if-none-match', 'if-modified-since', 'if-unmodified-since'];

export async function download(
  context: RuntimeContext,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  request.resume();
  const query = parseFileQuery(request);
  if (typeof query === 'string') {
    replyText(response, 400, query);
    return;
  }
  checkFileAccess(context, request, query, 'read');
  const user = fileUser(context, query.username);
  const asked = query.path ?? '';
  let path: string;
  try {
    path = resolvePath(asked, user, context.state.defaultWorkdir);
  } catch (cause) {
    if (!(cause instanceof RuntimeError)) throw cause;
    throw new HttpError(400, `error expanding and resolving path '${asked}': ${cause.message}`, { cause });
  }
  const stats = await checkedStat(path);
  const encoding = acceptedEncoding(request, response);
  if (encoding === undefined) return;
  // Non-blocking, so that a pipe that took the file's place since can't hold a thread.
  const file = await open(path, constants.O_RDONLY | constants.O_NONBLOCK);
  try {
    response.setHeader('vary', 'Accept-Encoding');
    response.setHeader('content-disposition', inlineDisposition(baseName(path)));
    if (encoding === 'gzip') await sendGzip(file, path, response);
    else await sendIdentity(file, path, stats, request, response);
  } finally {
    await file.close();
  }
}

async function checkedStat(path: string): Promise<Stats> {
  let stats: Stats;
  try {
    stats = await stat(path);
  } catch (cause) {
    if (errno(cause) === 'ENOENT') throw new HttpError(404, `path '${path}' does not exist`);
    const reason = describeErrno(`error checking if path exists '${path}': stat ${path}`, cause);
    throw new HttpError(errno(cause) === 'ENAMETOOLONG' ? 400 : 500, reason, { cause });
  }
  if (stats.isDirectory()) throw new HttpError(400, `path '${path}' is a directory`);
  if (!stats.isFile()) throw new HttpError(400, `path '${path}' is not a regular file`);
  return stats;
}

function acceptedEncoding(request: IncomingMessage, response: ServerResponse): 'gzip' | 'identity' | undefined {
  const header = request.headers['accept-encoding'];
  const { choice, identityRefused } = negotiate(Array.isArray(header) ? header.join(',') : header);
  if (conditional.some((name) => request.headers[name] !== undefined)) {
    if (!identityRefused) return 'identity';
    response.setHeader('vary', 'Accept-Encoding');
    replyError(response, 406, 'identity encoding not acceptable for Range or conditional request');
    return undefined;
  }
  if (choice !== 'none') return choice;
  throw new HttpError(406, 'error parsing Accept-Encoding: no acceptable encoding found, supported: [gzip]');
}

async function sendGzip(file: FileHandle, path: string, response: ServerResponse): Promise<void> {
  const { createGzip, constants: levels } = await import('node:zlib');
  response.writeHead(200, { 'content-type': typeByName(baseName(path)) ?? octetStream, 'content-encoding': 'gzip' });
  const source = file.createReadStream({ highWaterMark: 256 * 1024, autoClose: false });
  // A client that goes away is not a failure of ours.
  await pipeline(source, createGzip({ level: levels.Z_BEST_SPEED }), response).catch(() => response.destroy());
}

async function sendIdentity(
  file: FileHandle,
  path: string,
  stats: Stats,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const modified = new Date(stats.mtimeMs).toUTCString();
  const decided = conditionalStatus(request.headers, stats.mtimeMs);
  if (decided.status !== 200) {
    if (decided.status === 304) response.setHeader('last-modified', modified);
    response.writeHead(decided.status, decided.status === 304 ? {} : { 'content-length': 0 }).end();
    return;
  }
  const range = parseRange(decided.ignoreRange ? undefined : request.headers.range, stats.size);
  if (range.kind === 'malformed' || range.kind === 'unsatisfiable') {
    if (range.kind === 'unsatisfiable') response.setHeader('content-range', `bytes */${stats.size}`);
    replyText(response, 416, range.kind === 'malformed' ? 'invalid range' : 'invalid range: failed to overlap');
    return;
  }
  const start = range.kind === 'part' ? range.start : 0;
  const length = range.kind === 'part' ? range.end - range.start + 1 : stats.size;
  response.writeHead(range.kind === 'part' ? 206 : 200, {
    'accept-ranges': 'bytes',
    'content-type': typeByName(baseName(path)) ?? (await sniff(file, stats.size)),
    'content-length': length,
    'last-modified': modified,
    ...(range.kind === 'part' ? { 'content-range': `bytes ${range.start}-${range.end}/${stats.size}` } : {}),
  });
  await sendRange(file, start, length, response);
}

async function sniff(file: FileHandle, size: number): Promise<string> {
  if (size === 0) return typeByContent(Buffer.alloc(0));
  const start = Buffer.alloc(512);
  const { bytesRead } = await file.read(start, 0, start.byteLength, 0);
  return typeByContent(start.subarray(0, bytesRead));
}
