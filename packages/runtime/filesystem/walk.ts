/** ListDir: lexical, depth first, without descending into links. e2b 3.4 */
import { readdir, realpath, stat } from 'node:fs/promises';
import { posix } from 'node:path';
import { type EntryInfo, FileType } from '../generated/filesystem_pb.js';
import { describeErrno, errno, RuntimeError } from '../server/errors.ts';
import { type EntrySource, type Located, readEntries } from './entry.ts';

/** Entries whose attributes are read at once: enough to keep the thread pool busy, few enough to let others in between. */
const batch = 256;

export async function listDirectory(source: EntrySource, path: string, depth: number): Promise<EntryInfo[]> {
  await checkDirectory(path);
  const entries: EntryInfo[] = [];
  await walk(source, { path, shown: path }, depth, entries);
  return entries;
}

async function checkDirectory(path: string): Promise<void> {
  let target: string;
  try {
    target = await realpath(path);
  } catch (cause) {
    const code = errno(cause);
    if (code === 'ENOENT') {
      throw new RuntimeError('not_found', describeErrno(`path not found: lstat ${path}`, cause), { cause });
    }
    if (code === 'ELOOP') {
      throw new RuntimeError('failed_precondition', `cyclic symlink or chain >255 links at "${path}"`, { cause });
    }
    throw new RuntimeError('internal', describeErrno(`error resolving path: lstat ${path}`, cause), { cause });
  }
  if (!(await stat(target)).isDirectory()) {
    throw new RuntimeError('invalid_argument', `path is not a directory: ${target}`);
  }
}

async function walk(source: EntrySource, folder: Located, depth: number, into: EntryInfo[]): Promise<void> {
  let names: Located[];
  try {
    names = await entriesOf(folder);
  } catch (cause) {
    // Folders that vanish during the walk are left out, like files.
    if (into.length > 0) return;
    throw new RuntimeError('internal', describeErrno(`error reading directory: open ${folder.shown}`, cause), {
      cause,
    });
  }
  for (let at = 0; at < names.length; at += batch) {
    const part = names.slice(at, at + batch);
    const entries = await readEntries(source, part);
    for (const [index, entry] of entries.entries()) {
      if (entry === undefined) continue;
      into.push(entry);
      const descend = depth > 1 && entry.type === FileType.DIRECTORY && entry.symlinkTarget === undefined;
      const child = part[index];
      if (descend && child !== undefined) await walk(source, child, depth - 1, into);
    }
  }
}

/** Names that are not UTF-8 are shown with replacement characters and found by their bytes. */
async function entriesOf(folder: Located): Promise<Located[]> {
  const names = await readdir(folder.path);
  if (!names.some((name) => name.includes('\ufffd'))) {
    sortByBytes(names);
    return names.map((name) => {
      const shown = posix.join(folder.shown, name);
      const path = typeof folder.path === 'string' ? shown : Buffer.concat([folder.path, Buffer.from(`/${name}`)]);
      return { path, shown };
    });
  }
  const raw = await readdir(folder.path, { encoding: 'buffer' });
  const start = Buffer.concat([Buffer.from(folder.path), Buffer.from('/')]);
  return raw
    .sort(Buffer.compare)
    .map((name) => ({ path: Buffer.concat([start, name]), shown: posix.join(folder.shown, name.toString('utf8')) }));
}

/** Order of UTF-8 bytes. JavaScript's own order, which is much faster, differs only where surrogates are involved. */
function sortByBytes(names: string[]): void {
  if (names.some((name) => surrogate.test(name))) {
    names.sort((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)));
  } else {
    names.sort();
  }
}

const surrogate = /[\ud800-\udfff]/;
