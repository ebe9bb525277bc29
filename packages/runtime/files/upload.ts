/** `POST /files`: multipart or a raw body, into one or several files. e2b 3.5 */
import { IncomingMessage, type ServerResponse } from 'node:http';
import { dirname } from 'node:path';
import type { User } from '../auth/users.ts';
import { DirectoryError, ensureDirectories } from '../filesystem/directories.ts';
import { baseName, resolvePath } from '../filesystem/paths.ts';
import type { RuntimeContext } from '../server/context.ts';
import { describeErrno, errno, HttpError, RuntimeError } from '../server/errors.ts';
import { replyText } from '../server/reply.ts';
import { checkFileAccess, fileUser } from './access.ts';
import { decodedBody } from './body.ts';
import { metadataOf } from './metadata.ts';
import { boundaryOf, MultipartError, readParts } from './multipart.ts';
import { type FileQuery, parseFileQuery } from './query.ts';
import { FileSink, type Target, writeSmall } from './sink.ts';

/** Bodies up to this size are gathered and written at once. */
const smallBody = 64 * 1024;

export interface UploadedFile {
  readonly metadata?: Readonly<Record<string, string>>;
  readonly name: string;
  readonly path: string;
  readonly type: 'file';
}

interface Upload {
  readonly context: RuntimeContext;
  readonly user: User;
  readonly query: FileQuery;
  readonly metadata: Readonly<Record<string, string>>;
  readonly atomic: boolean;
  readonly small: boolean;
}

export async function upload(
  context: RuntimeContext,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const query = parseFileQuery(request);
  if (typeof query === 'string') {
    request.resume();
    replyText(response, 400, query);
    return;
  }
  try {
    checkFileAccess(context, request, query, 'write');
    const length = Number(request.headers['content-length'] ?? Number.NaN);
    const job: Upload = {
      context,
      user: fileUser(context, query.username),
      query,
      metadata: metadataOf(request),
      atomic: request.headers['sandbank-atomic'] === '1',
      small: length <= smallBody && request.headers['content-encoding'] === undefined,
    };
    const files = await receive(job, request);
    const body = Buffer.from(JSON.stringify(files), 'utf8');
    // JSON under a text type: recorded.
    response.writeHead(200, { 'content-type': 'text/plain; charset=utf-8', 'content-length': body.byteLength });
    response.end(body);
  } catch (thrown) {
    request.resume();
    throw thrown;
  }
}

async function receive(job: Upload, request: IncomingMessage): Promise<UploadedFile[]> {
  const contentType = request.headers['content-type'] ?? '';
  const mediaType = contentType.split(';', 1)[0]?.trim().toLowerCase();
  if (mediaType === 'application/octet-stream') {
    if (job.query.path === undefined) {
      throw new HttpError(400, 'path query parameter is required for raw body upload');
    }
    return [await receiveFile(job, job.query.path, await decodedBody(request))];
  }
  if (mediaType === 'multipart/form-data') return await receiveParts(job, contentType, await decodedBody(request));
  throw new HttpError(
    400,
    `unsupported content type: ${contentType}, expected multipart/form-data or application/octet-stream`,
  );
}

async function receiveParts(job: Upload, contentType: string, body: AsyncIterable<Buffer>): Promise<UploadedFile[]> {
  const boundary = boundaryOf(contentType);
  if (boundary === undefined) {
    throw new HttpError(500, 'error parsing multipart form: no multipart boundary param in Content-Type');
  }
  const files: UploadedFile[] = [];
  try {
    for await (const part of readParts(body, boundary)) {
      if (part.name !== 'file') continue;
      const asked = job.query.path ?? part.filename;
      if (asked === undefined) {
        throw new HttpError(
          400,
          'error getting multipart custom part file name: filename not found in Content-Disposition header',
        );
      }
      const path = resolved(job, asked);
      if (files.some((file) => file.path === path)) {
        throw new HttpError(
          400,
          `you cannot upload multiple files to the same path '${path}' in one upload request, only the first specified file was uploaded`,
        );
      }
      files.push(await receiveFile(job, asked, part.body));
    }
  } catch (cause) {
    if (cause instanceof MultipartError)
      throw new HttpError(500, `error reading multipart: ${cause.message}`, { cause });
    throw cause;
  }
  return files;
}

function resolved(job: Upload, asked: string): string {
  try {
    return resolvePath(asked, job.user, job.context.state.defaultWorkdir);
  } catch (cause) {
    if (!(cause instanceof RuntimeError)) throw cause;
    throw new HttpError(400, `error resolving path: ${cause.message}`, { cause });
  }
}

async function receiveFile(job: Upload, asked: string, body: AsyncIterable<Buffer>): Promise<UploadedFile> {
  const path = resolved(job, asked);
  const target: Target = { path, user: job.user, atomic: job.atomic };
  const { existed } = await retryWithParents(target, body, job.small);
  await storeMetadata(job, path, existed);
  const name = baseName(path);
  const described = Object.keys(job.metadata).length > 0 ? { metadata: job.metadata } : {};
  return { ...described, name, path, type: 'file' };
}

/** Most parents exist: they are only looked at when opening the file has failed for want of them. */
async function retryWithParents(
  target: Target,
  body: AsyncIterable<Buffer>,
  small: boolean,
): Promise<{ existed: boolean }> {
  if (target.path.endsWith('/')) await makeParents(target.path.replace(/\/+$/, '') || '/', target.user);
  try {
    if (small) return await writeGathered(target, body);
    const sink = await FileSink.open(target).catch(async (thrown: unknown) => {
      if (!wantsParents(thrown)) throw thrown;
      await makeParents(dirname(target.path), target.user);
      return await FileSink.open(target);
    });
    await pour(body, sink);
    return { existed: sink.existed };
  } catch (thrown) {
    throw writeError(thrown, target.path);
  }
}

async function writeGathered(target: Target, body: AsyncIterable<Buffer>): Promise<{ existed: boolean }> {
  const { chunks, broken } = body instanceof IncomingMessage ? await gather(body) : await gatherPart(body);
  const bytes = chunks.length === 1 ? (chunks[0] ?? Buffer.alloc(0)) : Buffer.concat(chunks);
  let written: { existed: boolean };
  if (broken !== undefined && target.atomic) throw broken;
  try {
    written = await writeSmall(target, bytes);
  } catch (thrown) {
    if (!wantsParents(thrown)) throw thrown;
    await makeParents(dirname(target.path), target.user);
    written = await writeSmall(target, bytes);
  }
  if (broken !== undefined) throw broken;
  return written;
}

interface Gathered {
  readonly chunks: readonly Buffer[];
  /** What came before a cut is written all the same: recorded. */
  readonly broken: unknown;
}

/** By events: iterating a request costs more than writing a small file. */
function gather(request: IncomingMessage): Promise<Gathered> {
  return new Promise((resolve) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.once('end', () => resolve({ chunks, broken: undefined }));
    request.once('error', (broken) => resolve({ chunks, broken }));
  });
}

async function gatherPart(body: AsyncIterable<Buffer>): Promise<Gathered> {
  const chunks: Buffer[] = [];
  try {
    for await (const chunk of body) chunks.push(chunk);
    return { chunks, broken: undefined };
  } catch (broken) {
    return { chunks, broken };
  }
}

async function pour(body: AsyncIterable<Buffer>, sink: FileSink): Promise<void> {
  try {
    for await (const chunk of body) await sink.write(chunk);
  } catch (thrown) {
    await sink.abort();
    throw thrown;
  }
  await sink.finish();
}

function wantsParents(thrown: unknown): boolean {
  return errno(thrown) === 'ENOENT' || errno(thrown) === 'ENOTDIR';
}

async function makeParents(folder: string, user: User): Promise<void> {
  try {
    await ensureDirectories(folder, user);
  } catch (cause) {
    if (!(cause instanceof DirectoryError)) throw cause;
    const status = cause.code === 'ENOSPC' || cause.code === 'EDQUOT' ? 507 : 500;
    throw new HttpError(status, `error ensuring directories: ${cause.message}`, { cause });
  }
}

function writeError(thrown: unknown, path: string): unknown {
  if (thrown instanceof HttpError) return thrown;
  const code = errno(thrown);
  if (code === 'EISDIR') return new HttpError(400, `path is a directory: ${path}`, { cause: thrown });
  if (code === 'ENOSPC' || code === 'EDQUOT') {
    return new HttpError(
      507,
      `not enough disk space available to write '${path}'; remove files or use a larger sandbox`,
      {
        cause: thrown,
      },
    );
  }
  if (code === 'ENOTREG' || code === 'ENXIO') {
    return new HttpError(400, `path is not a regular file: ${path}`, { cause: thrown });
  }
  if (code === 'ENAMETOOLONG') return new HttpError(400, describeErrno(`error opening file: open ${path}`, thrown));
  if (thrown instanceof MultipartError || code === undefined || code.startsWith('Z_') || code.startsWith('ERR_')) {
    const reason = thrown instanceof Error ? thrown.message : String(thrown);
    return new HttpError(500, `error writing file: ${reason}`, { cause: thrown });
  }
  return new HttpError(500, describeErrno(`error opening file: open ${path}`, thrown), { cause: thrown });
}

async function storeMetadata(job: Upload, path: string, existed: boolean): Promise<void> {
  const some = Object.keys(job.metadata).length > 0;
  if (!some && !existed) return;
  const helper = await job.context.helper();
  if (helper === undefined) {
    if (some) throw new HttpError(501, 'metadata needs the helper, which is not running here; see docs/runtime.md');
    return;
  }
  try {
    await helper.setMetadata(path, job.metadata);
  } catch (cause) {
    if (!some) return;
    throw new HttpError(500, `error storing metadata: ${cause instanceof Error ? cause.message : cause}`, { cause });
  }
}
