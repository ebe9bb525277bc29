import { closeSync, existsSync, fsyncSync, mkdirSync, openSync, readdirSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { StoreError } from '../errors.ts';

/** The files of a data folder. Certificates and the like may lie beside them. */
export function filesOf(folder: string) {
  const database = join(folder, 'store.db');
  return {
    folder,
    database,
    wal: `${database}-wal`,
    shm: `${database}-shm`,
    /** A database being made or restored; it becomes `database` by a rename, so that one is always whole. */
    unfinished: `${database}.unfinished`,
    lock: join(folder, 'lock.db'),
    holder: join(folder, 'lock.json'),
    backups: join(folder, 'backups'),
  };
}

export type Files = ReturnType<typeof filesOf>;

/** `present`: a store is there. `empty`: one may be made. Anything else is refused, because making one could bury data. */
export function inspectFolder(files: Files): 'present' | 'empty' {
  mkdirSync(files.folder, { recursive: true, mode: 0o700 });
  if (existsSync(files.database)) return 'present';
  if (existsSync(files.wal) || backupsIn(files).length > 0) {
    throw new StoreError('missing', `${files.database} is gone, but its folder was in use. ${adviceOn(files)}`);
  }
  const ours = [files.unfinished, files.lock, files.holder, files.backups].map((file) => basename(file));
  const foreign = readdirSync(files.folder).filter((name) => !ours.some((own) => name.startsWith(own)));
  if (foreign.length > 0) {
    throw new StoreError(
      'not-ours',
      `${files.folder} has no store but holds other files (${foreign.slice(0, 3).join(', ')}). Choose an empty folder or a new one.`,
    );
  }
  return 'empty';
}

/** Backups, oldest first: their names begin with the time. */
export function backupsIn(files: Files): string[] {
  if (!existsSync(files.backups)) return [];
  const names = readdirSync(files.backups).filter((name) => name.endsWith('.db'));
  return names.sort().map((name) => join(files.backups, name));
}

/** What a person can do about a store that cannot be opened. */
export function adviceOn(files: Files): string {
  const newest = backupsIn(files).at(-1);
  return newest
    ? `The newest backup is ${newest}: bring it back with \`sandbank restore ${newest}\`.`
    : `There is no backup in ${files.backups}: restore one of your own with \`sandbank restore FILE\`, or start over with \`sandbank reset\`.`;
}

/** A new or renamed file is durable only when its folder is. */
export function syncFolder(folder: string): void {
  const handle = openSync(folder, 'r');
  try {
    fsyncSync(handle);
  } finally {
    closeSync(handle);
  }
}

export function syncFile(file: string): void {
  const handle = openSync(file, 'r+');
  try {
    fsyncSync(handle);
  } finally {
    closeSync(handle);
  }
  syncFolder(dirname(file));
}
