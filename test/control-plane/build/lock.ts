import { randomUUID } from 'node:crypto';
import { linkSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { hasCode } from '../errors.ts';
import { identify, isAlive, type ProcessIdentity } from '../process/identity.ts';

/**
 * Runs one at a time across processes. The lock is a file that names its holder; one whose holder is dead is taken
 * over, so a killed build blocks nobody.
 */
export async function withLock<T>(
  path: string,
  work: () => Promise<T>,
  onWait: (holder: ProcessIdentity) => void = () => {},
): Promise<T> {
  mkdirSync(dirname(path), { recursive: true });
  const me = identify(process.pid) ?? { pid: process.pid, startedAt: 'unknown' };
  let told = false;
  while (!acquire(path, me)) {
    const holder = readHolder(path);
    if (holder === undefined || !isAlive(holder)) {
      evict(path, holder);
      continue;
    }
    if (!told) onWait(holder);
    told = true;
    await delay(200);
  }
  try {
    return await work();
  } finally {
    rmSync(path, { force: true });
  }
}

/** Written aside and then linked: whoever finds the file finds it whole. */
function acquire(path: string, me: ProcessIdentity): boolean {
  const draft = `${path}.${randomUUID()}`;
  writeFileSync(draft, JSON.stringify(me));
  try {
    linkSync(draft, path);
    return true;
  } catch (error) {
    if (hasCode(error, 'EEXIST')) return false;
    throw error;
  } finally {
    rmSync(draft, { force: true });
  }
}

function readHolder(path: string): ProcessIdentity | undefined {
  try {
    const holder: unknown = JSON.parse(readFileSync(path, 'utf8'));
    return isIdentity(holder) ? holder : undefined;
  } catch {
    return undefined;
  }
}

/**
 * Moves a dead holder's file away. Another waiter may have done so and got the lock meanwhile: then what was moved is
 * the living one's, and goes back. Should even that race be lost, two builds run and the last rename wins: a waste, no
 * harm.
 */
function evict(path: string, dead: ProcessIdentity | undefined): void {
  const aside = `${path}.${randomUUID()}`;
  try {
    renameSync(path, aside);
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return;
    throw error;
  }
  const moved = readHolder(aside);
  if (moved !== undefined && (moved.pid !== dead?.pid || moved.startedAt !== dead.startedAt)) {
    try {
      linkSync(aside, path);
    } catch (error) {
      if (!hasCode(error, 'EEXIST')) throw error;
    }
  }
  rmSync(aside, { force: true });
}

function isIdentity(value: unknown): value is ProcessIdentity {
  return typeof value === 'object' && value !== null && 'pid' in value && 'startedAt' in value;
}
