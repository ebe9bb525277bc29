/** Paths as callers write them: `~`, relative to home, absolute kept as it is. e2b 3.4 */
import { posix } from 'node:path';
import type { User } from '../auth/users.ts';
import { RuntimeError } from '../server/errors.ts';

export function resolvePath(path: string, user: User, workdir: string | undefined): string {
  if (path.includes('\0')) {
    throw new RuntimeError('invalid_argument', 'path contains a NUL byte; send a path without it');
  }
  if (path === '') return workdir ?? user.home;
  const first = path.split('/', 1)[0] ?? '';
  if (first === '~') return clean(posix.join(user.home, path.slice(1)));
  if (first.startsWith('~')) {
    throw new RuntimeError(
      'invalid_argument',
      `failed to expand path '${path}' for user '${user.name}': cannot expand user-specific home dir`,
    );
  }
  // An absolute path is answered as it was asked, `..` included: the recorded daemon does not clean it.
  return path.startsWith('/') ? path : clean(posix.join(user.home, path));
}

function clean(path: string): string {
  return path.length > 1 && path.endsWith('/') ? path.slice(0, -1) : path;
}

/** Last element, the way Go's filepath.Base gives it. */
export function baseName(path: string): string {
  const trimmed = path.replace(/\/+$/, '');
  if (trimmed === '') return path === '' ? '.' : '/';
  return trimmed.slice(trimmed.lastIndexOf('/') + 1);
}
