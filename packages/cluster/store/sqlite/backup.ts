import {
  chmodSync,
  copyFileSync,
  existsSync,
  linkSync,
  mkdirSync,
  readdirSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { open } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { backup, DatabaseSync } from 'node:sqlite';
import { type Clock, systemClock } from '@sandbank/kube';
import { StoreError } from '../errors.ts';
import { Database, inspectDatabase, readHead } from './database.ts';
import { backupsIn, type Files, filesOf, syncFile, syncFolder } from './files.ts';
import { lockFolder } from './lock.ts';
import { migrate } from './schema.ts';
import { storeErrorFrom } from './sqlite-error.ts';

const kept = 3;
/** One step: a backup of several would begin anew at every commit between them. */
const allPages = 0x7fff_ffff;
/** How far revisions jump at a restore: beyond what the lost store can have handed out since the backup. */
const restoreJump = 1_000_000;

/**
 * A consistent copy, beside running writes: one step of SQLite's backup, on a thread of the pool, from a connection of its
 * own. The file appears under its name when it is whole and on the disk; one that exists is not replaced.
 */
export async function backupTo(files: Files, target: string): Promise<string> {
  if (existsSync(target)) throw new StoreError('exists', `${target} exists. Choose another name, or remove it first.`);
  const partial = `${target}.partial`;
  const source = new DatabaseSync(files.database, { readOnly: true });
  try {
    mkdirSync(dirname(target), { recursive: true, mode: 0o700 });
    writeFileSync(partial, '', { mode: 0o600 });
    await backup(source, partial, { rate: allPages });
    makeSelfContained(partial);
    await sync(partial);
    linkSync(partial, target); // Unlike a rename, it does not replace a file that has appeared since.
    await sync(dirname(target));
    return target;
  } catch (error) {
    throw storeErrorFrom(error, `Cannot make the backup ${target}`);
  } finally {
    rmSync(partial, { force: true });
    source.close();
  }
}

/** Without a write-ahead log beside it, so that a backup is one file that may be copied anywhere. */
function makeSelfContained(file: string): void {
  const db = new DatabaseSync(file);
  try {
    db.exec('PRAGMA synchronous = OFF; PRAGMA journal_mode = DELETE');
  } finally {
    db.close();
  }
}

/** Off the event loop, which a backup shares with the server. */
async function sync(path: string): Promise<void> {
  const handle = await open(path, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/** Into the data folder, where the last three are kept. */
export async function backupInFolder(files: Files, clock: Clock, why: string): Promise<string> {
  const target = join(files.backups, `${stamp(clock)}-${why}.db`);
  await backupTo(files, target);
  for (const old of backupsIn(files).slice(0, -kept)) rmSync(old, { force: true });
  return target;
}

/**
 * Replaces the store of a folder that nobody has open. What was there is moved to `backups/…-replaced`, damaged or not.
 * A crash on the way leaves the old store, the new one, or none and an error that says to restore again; never a mixture.
 */
export function restoreStore(folder: string, file: string, clock: Clock = systemClock): { revision: number } {
  const files = filesOf(folder);
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const lock = lockFolder(files, clock);
  try {
    const revision = prepare(files, file);
    setAside(files, clock);
    renameSync(files.unfinished, files.database);
    syncFolder(folder);
    return { revision };
  } catch (error) {
    throw storeErrorFrom(error, `Cannot restore ${file}`);
  } finally {
    lock.release();
  }
}

function prepare(files: Files, file: string): number {
  if (!existsSync(file)) throw new StoreError('not-a-backup', `${file} does not exist.`);
  for (const suffix of ['', '-wal', '-shm']) rmSync(files.unfinished + suffix, { force: true });
  copyFileSync(file, files.unfinished);
  chmodSync(files.unfinished, 0o600);
  try {
    inspectDatabase(files.unfinished);
    const raw = new DatabaseSync(files.unfinished);
    try {
      migrate(raw);
    } finally {
      raw.close();
    }
    const copy = new Database(files.unfinished, 'full');
    try {
      copy.check();
      for (const _ of copy.rows());
      const revision = Math.max(copy.head().revision, revisionOf(files)) + restoreJump;
      copy.jumpTo(revision);
      copy.checkpoint('TRUNCATE');
      return revision;
    } finally {
      copy.close();
      syncFile(files.unfinished);
    }
  } catch (error) {
    const reason = storeErrorFrom(error, 'It cannot be read');
    if (reason.code === 'newer-version') throw reason;
    const message = reason.message.replaceAll(files.unfinished, file);
    throw new StoreError('not-a-backup', `${file} cannot be restored. ${message}`, { cause: error });
  }
}

/** Of the store that is about to be replaced, as far as it can be read. */
function revisionOf(files: Files): number {
  try {
    const old = new DatabaseSync(files.database, { readOnly: true });
    try {
      return readHead(old).revision;
    } finally {
      old.close();
    }
  } catch {
    return 0; // Damaged, foreign or absent: that is why somebody restores.
  }
}

/** The database goes first: a log without its database is refused, a database without its log would pass for whole. */
function setAside(files: Files, clock: Clock): void {
  const moved = [files.database, files.wal].filter((file) => existsSync(file));
  if (moved.length === 0) return;
  const aside = join(files.backups, `${stamp(clock)}-replaced`);
  mkdirSync(aside, { recursive: true, mode: 0o700 });
  for (const file of moved) {
    renameSync(file, join(aside, file === files.wal ? 'store.db-wal' : 'store.db'));
    syncFolder(files.folder);
  }
  rmSync(files.shm, { force: true });
  const replaced = readdirSync(files.backups).filter((name) => name.endsWith('-replaced'));
  for (const old of replaced.sort().slice(0, -kept)) rmSync(join(files.backups, old), { recursive: true });
}

function stamp(clock: Clock): string {
  return new Date(clock.now()).toISOString().replaceAll(':', '-');
}
