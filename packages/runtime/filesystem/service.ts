/** `filesystem.Filesystem`, method by method. Everything runs with the runtime's own rights; new objects go to the user. e2b 3.4 */
import { lstat, rename, rm, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { setImmediate as immediate } from 'node:timers/promises';
import { create, toJson } from '@bufbuild/protobuf';
import { type CallContext, type Method, unary } from '../connect/method.ts';
import {
  type EntryInfo,
  EntryInfoSchema,
  ListDirRequestSchema,
  ListDirResponseSchema,
  MakeDirRequestSchema,
  MakeDirResponseSchema,
  MoveRequestSchema,
  MoveResponseSchema,
  RemoveRequestSchema,
  RemoveResponseSchema,
  StatRequestSchema,
  StatResponseSchema,
} from '../generated/filesystem_pb.js';
import type { RuntimeContext } from '../server/context.ts';
import { describeErrno, errno, RuntimeError } from '../server/errors.ts';
import { DirectoryError, ensureDirectories } from './directories.ts';
import { type EntrySource, readEntry } from './entry.ts';
import { resolvePath } from './paths.ts';
import { listDirectory } from './walk.ts';
import { watchMethods } from './watch-service.ts';

export function filesystemMethods(context: RuntimeContext): Map<string, Method> {
  const source = async (): Promise<EntrySource> => ({ users: context.users, metadata: await context.helper() });
  const resolve = (path: string, call: CallContext): string =>
    resolvePath(path, call.user(), context.state.defaultWorkdir);
  return new Map<string, Method>([
    [
      'Stat',
      unary(StatRequestSchema, StatResponseSchema, async (input, call) => {
        const path = resolve(input.path, call);
        return { entry: forClient(call, await statEntry(await source(), path)) };
      }),
    ],
    [
      'MakeDir',
      unary(MakeDirRequestSchema, MakeDirResponseSchema, async (input, call) => {
        const path = resolve(input.path, call);
        await refuseExisting(path);
        await ensureDirectories(path, call.user()).catch(asInternal);
        return { entry: forClient(call, await statEntry(await source(), path)) };
      }),
    ],
    [
      'Move',
      unary(MoveRequestSchema, MoveResponseSchema, async (input, call) => {
        const from = resolve(input.source, call);
        const to = resolve(input.destination, call);
        await ensureDirectories(dirname(to), call.user()).catch(asInternal);
        await move(from, to);
        return { entry: forClient(call, await statEntry(await source(), to)) };
      }),
    ],
    [
      'ListDir',
      unary(
        ListDirRequestSchema,
        ListDirResponseSchema,
        async (input, call) => {
          const path = resolve(input.path, call);
          const entries = await listDirectory(await source(), path, input.depth === 0 ? 1 : input.depth);
          return { entries: entries.map((entry) => forClient(call, entry)) };
        },
        listJson,
      ),
    ],
    [
      'Remove',
      unary(RemoveRequestSchema, RemoveResponseSchema, async (input, call) => {
        await remove(resolve(input.path, call));
        return {};
      }),
    ],
    ...watchMethods(context, source),
  ]);
}

/** A folder of 100,000 entries is 20 MB of JSON. */
async function listJson({ entries }: { entries: readonly EntryInfo[] }): Promise<Buffer> {
  if (entries.length === 0) return Buffer.from('{}');
  const parts: string[] = [];
  for (let at = 0; at < entries.length; at += jsonSlice) {
    if (at > 0) await immediate();
    const slice = entries.slice(at, at + jsonSlice);
    parts.push(slice.map((entry) => JSON.stringify(toJson(EntryInfoSchema, entry))).join(','));
  }
  return Buffer.from(`{"entries":[${parts.join(',')}]}`, 'utf8');
}

const jsonSlice = 500;

async function statEntry(source: EntrySource, path: string): Promise<EntryInfo> {
  try {
    return await readEntry(source, path);
  } catch (cause) {
    if (errno(cause) === 'ENOENT') {
      throw new RuntimeError('not_found', describeErrno(`file not found: lstat ${path}`, cause), { cause });
    }
    throw new RuntimeError('internal', describeErrno(`error getting file info: lstat ${path}`, cause), { cause });
  }
}

async function refuseExisting(path: string): Promise<void> {
  let directory: boolean;
  try {
    directory = (await stat(path)).isDirectory();
  } catch (cause) {
    if (errno(cause) === 'ENOENT') return;
    throw new RuntimeError('internal', describeErrno(`error getting file info: stat ${path}`, cause), { cause });
  }
  if (directory) throw new RuntimeError('already_exists', `directory already exists: ${path}`);
  throw new RuntimeError('invalid_argument', `path already exists but it is not a directory: ${path}`);
}

/** rename(2), but an existing folder is never replaced, not even an empty one: recorded. */
async function move(from: string, to: string): Promise<void> {
  const operation = `rename ${from} ${to}`;
  const [source, target] = await Promise.all([lstat(from).catch(() => undefined), lstat(to).catch(() => undefined)]);
  const same = source !== undefined && source.ino === target?.ino && source.dev === target.dev && from !== to;
  if (source !== undefined && target?.isDirectory() === true && !same) {
    throw new RuntimeError('internal', `error renaming: ${operation}: file exists`);
  }
  try {
    await rename(from, to);
  } catch (cause) {
    if (errno(cause) === 'ENOENT') {
      throw new RuntimeError('not_found', describeErrno(`source file not found: ${operation}`, cause), { cause });
    }
    throw new RuntimeError('internal', describeErrno(`error renaming: ${operation}`, cause), { cause });
  }
}

async function remove(path: string): Promise<void> {
  if (path.endsWith('/.')) {
    throw new RuntimeError('internal', `error removing file or directory: RemoveAll ${path}: invalid argument`);
  }
  try {
    await rm(path, { recursive: true, force: true });
  } catch (cause) {
    throw new RuntimeError('internal', describeErrno(`error removing file or directory: unlinkat ${path}`, cause), {
      cause,
    });
  }
}

function asInternal(cause: unknown): never {
  if (!(cause instanceof DirectoryError)) throw cause;
  throw new RuntimeError('internal', cause.message, { cause });
}

/** Old Python SDKs break on fields that came later: they get three. e2b 3.4, legacy quirk */
function forClient(call: CallContext, entry: EntryInfo): EntryInfo {
  if (call.header('user-agent') !== 'connect-python') return entry;
  call.answerHeader('x-e2b-legacy-sdk', 'true');
  return create(EntryInfoSchema, { name: entry.name, type: entry.type, path: entry.path });
}
