import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { DatabaseSync } from 'node:sqlite';
import type { Clock } from '@sandbank/kube';
import { StoreError } from '../errors.ts';
import type { Files } from './files.ts';
import { sqliteCode, storeErrorFrom } from './sqlite-error.ts';

interface Holder {
  readonly pid: number;
  readonly host: string;
  readonly since: string;
}

/**
 * One process per data folder. The lock is the one that SQLite takes on a database of its own: the kernel drops it with the
 * process, however that ended, so there is no stale lock to guess about. Who holds it is in a file beside, for people.
 */
export function lockFolder(files: Files, clock: Clock): { release(): void } {
  let lock: DatabaseSync | undefined;
  try {
    lock = new DatabaseSync(files.lock, { timeout: 0 });
    lock.exec('BEGIN EXCLUSIVE');
  } catch (error) {
    lock?.close();
    if (sqliteCode(error) !== 5) throw storeErrorFrom(error, `Cannot lock ${files.folder}`);
    throw new StoreError(
      'locked',
      `${files.folder} is in use ${holderText(readHolder(files))}. Stop it first, or choose another folder.`,
      {
        cause: error,
      },
    );
  }
  const held = lock;
  try {
    const holder: Holder = { pid: process.pid, host: hostname(), since: new Date(clock.now()).toISOString() };
    writeFileSync(files.holder, `${JSON.stringify(holder)}\n`, { mode: 0o600 });
  } catch (error) {
    held.close();
    throw storeErrorFrom(error, `Cannot lock ${files.folder}`);
  }
  return {
    release() {
      if (!held.isOpen) return;
      rmSync(files.holder, { force: true });
      held.close();
    },
  };
}

function readHolder(files: Files): Holder | undefined {
  try {
    return JSON.parse(readFileSync(files.holder, 'utf8')) as Holder;
  } catch {
    return undefined; // The holder is between taking the lock and saying so.
  }
}

function holderText(holder: Holder | undefined): string {
  return holder
    ? `by process ${holder.pid} on ${holder.host} since ${holder.since}`
    : 'by a process that has just begun';
}
