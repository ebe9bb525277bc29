/** What the SDKs see of a file: EntryInfo. e2b 3.4 */
import type { BigIntStats } from 'node:fs';
import { lstat, realpath, stat } from 'node:fs/promises';
import { create } from '@bufbuild/protobuf';
import type { UserDatabase } from '../auth/users.ts';
import { type EntryInfo, EntryInfoSchema, FileType } from '../generated/filesystem_pb.js';
import { baseName } from './paths.ts';
import { permissionText } from './permissions.ts';

/** Metadata of files is in extended attributes, which only the helper can read. */
export interface MetadataReader {
  metadata(paths: readonly string[]): Promise<readonly Readonly<Record<string, string>>[]>;
}

export interface EntrySource {
  readonly users: UserDatabase;
  readonly metadata: MetadataReader | undefined;
}

/** A file: how to reach it, and how its path is shown. They differ only for names that are not UTF-8. */
export interface Located {
  readonly path: string | Buffer;
  readonly shown: string;
}

/** In the given order; undefined for those that vanished meanwhile. */
export async function readEntries(
  source: EntrySource,
  files: readonly Located[],
): Promise<readonly (EntryInfo | undefined)[]> {
  const found = await Promise.all(files.map((file) => entryOrNothing(source, file)));
  await addMetadata(
    source,
    found.filter((entry) => entry !== undefined),
  );
  return found;
}

/** Throws what lstat throws. */
export async function readEntry(source: EntrySource, path: string): Promise<EntryInfo> {
  const entry = await describe(source, { path, shown: path }, await lstat(path, { bigint: true }));
  await addMetadata(source, [entry]);
  return entry;
}

async function entryOrNothing(source: EntrySource, file: Located): Promise<EntryInfo | undefined> {
  try {
    return await describe(source, file, await lstat(file.path, { bigint: true }));
  } catch {
    return undefined;
  }
}

async function describe(source: EntrySource, file: Located, own: BigIntStats): Promise<EntryInfo> {
  const link = own.isSymbolicLink() ? await followLink(file) : undefined;
  const shown = own.isSymbolicLink() ? link?.stats : own;
  const nanos = own.mtimeNs;
  return create(EntryInfoSchema, {
    name: baseName(file.shown),
    type: shown === undefined ? FileType.UNSPECIFIED : typeOf(shown),
    path: file.shown,
    size: own.isFIFO() || own.isCharacterDevice() || own.isBlockDevice() ? 0n : own.size,
    mode: shown === undefined ? 0 : Number(shown.mode) & 0o777,
    permissions: permissionText(Number(own.mode)),
    owner: source.users.userName(Number(own.uid)),
    group: source.users.groupName(Number(own.gid)),
    modifiedTime: { seconds: floorDiv(nanos), nanos: Number(nanos - floorDiv(nanos) * billion) },
    ...(link === undefined ? {} : { symlinkTarget: link.target }),
  });
}

const billion = 1_000_000_000n;

function floorDiv(nanos: bigint): bigint {
  const quotient = nanos / billion;
  return nanos < 0n && quotient * billion !== nanos ? quotient - 1n : quotient;
}

/** Type and mode are those of the target, the target path is fully resolved; a broken or looping link names itself. */
async function followLink(file: Located): Promise<{ stats: BigIntStats | undefined; target: string }> {
  try {
    const [stats, target] = await Promise.all([stat(file.path, { bigint: true }), realpath(file.path)]);
    return { stats, target };
  } catch {
    return { stats: undefined, target: file.shown };
  }
}

function typeOf(stats: BigIntStats): FileType {
  if (stats.isDirectory()) return FileType.DIRECTORY;
  return stats.isFile() ? FileType.FILE : FileType.UNSPECIFIED;
}

async function addMetadata(source: EntrySource, entries: EntryInfo[]): Promise<void> {
  const files = entries.filter((entry) => entry.type !== FileType.UNSPECIFIED);
  if (source.metadata === undefined || files.length === 0) return;
  const found = await source.metadata.metadata(files.map((entry) => entry.path));
  for (const [index, entry] of files.entries()) entry.metadata = { ...found[index] };
}
