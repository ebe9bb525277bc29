/** Folders made on the way to a file or a folder, owned by the user. e2b 3.4 */
import { chown, mkdir, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { User } from '../auth/users.ts';
import { describeErrno, errno } from '../server/errors.ts';

export class DirectoryError extends Error {
  readonly code: string | undefined;

  constructor(message: string, cause?: unknown) {
    super(message, { cause });
    this.code = errno(cause);
  }
}

/** Like `mkdir -p`, 0755, each new folder given to the user. Throws DirectoryError. */
export async function ensureDirectories(path: string, user: User): Promise<void> {
  const missing: string[] = [];
  for (let at = path; ; at = dirname(at)) {
    const kind = await kindOf(at);
    if (kind === 'directory') break;
    if (kind === 'other') throw new DirectoryError(`path is a file: ${at}`);
    missing.push(at);
    if (at === '/' || at === '.') break;
  }
  for (const folder of missing.reverse()) await makeDirectory(folder, user);
}

async function makeDirectory(folder: string, user: User): Promise<void> {
  try {
    await mkdir(folder, 0o755);
  } catch (cause) {
    // Somebody else may have made it since; a link that leads nowhere fails below.
    if (errno(cause) !== 'EEXIST') {
      throw new DirectoryError(describeErrno(`failed to create directory: mkdir ${folder}`, cause), cause);
    }
  }
  try {
    await chown(folder, user.uid, user.gid);
  } catch (cause) {
    if (errno(cause) === 'EPERM' && process.getuid?.() !== 0) return;
    throw new DirectoryError(describeErrno(`failed to chown directory: chown ${folder}`, cause), cause);
  }
}

async function kindOf(path: string): Promise<'directory' | 'other' | 'missing'> {
  try {
    return (await stat(path)).isDirectory() ? 'directory' : 'other';
  } catch (cause) {
    const code = errno(cause);
    if (code === 'ENOENT') return 'missing';
    // Below a file: the loop above climbs to the file itself and names it.
    if (code === 'ENOTDIR') return 'missing';
    throw new DirectoryError(describeErrno(`failed to stat directory: stat ${path}`, cause), cause);
  }
}
