import type { DatabaseSync } from 'node:sqlite';
import { StoreError } from '../errors.ts';

/** In the header of the file, so that a store is told from any other SQLite database. */
const applicationId = 0x5362_4e6b;

export type Migration = (db: DatabaseSync) => void;

/**
 * Migration N brings a database from schema N to N+1. A released one is never edited.
 *
 * There is one table that grows at its end, and no index: a put dirties one leaf, and reads are answered from memory.
 * `sum` guards each row against damage that leaves the tree intact.
 */
export const migrations: readonly Migration[] = [
  (db) =>
    db.exec(`
      CREATE TABLE log (
        revision INTEGER PRIMARY KEY,
        key TEXT NOT NULL,
        value TEXT,
        replaces INTEGER,
        at INTEGER NOT NULL,
        sum INTEGER NOT NULL
      ) STRICT;
      CREATE TABLE head (revision INTEGER NOT NULL, compacted INTEGER NOT NULL) STRICT;
      INSERT INTO head VALUES (0, 0);
    `),
];

export function schemaOf(db: DatabaseSync): { applicationId: number; version: number } {
  return { applicationId: pragma(db, 'application_id'), version: pragma(db, 'user_version') };
}

/** Refuses what is not ours or too new, before anything is written to it. Returns the schema version. */
export function checkSchema(db: DatabaseSync, file: string, steps: readonly Migration[] = migrations): number {
  const schema = schemaOf(db);
  if (schema.applicationId !== applicationId) {
    throw new StoreError('not-ours', `${file} is a database of another program. Choose another folder.`);
  }
  if (schema.version > steps.length) {
    throw new StoreError(
      'newer-version',
      `${file} has schema ${schema.version}; this version knows up to ${steps.length}. Run the version that wrote it, or a newer one.`,
    );
  }
  return schema.version;
}

/** All steps that are due, in one transaction: a crash leaves the old schema whole. */
export function migrate(db: DatabaseSync, steps: readonly Migration[] = migrations): void {
  const { version } = schemaOf(db);
  if (version === steps.length) return;
  db.exec('BEGIN IMMEDIATE');
  try {
    for (const step of steps.slice(version)) step(db);
    db.exec(`PRAGMA application_id = ${applicationId}; PRAGMA user_version = ${steps.length}; COMMIT`);
  } catch (error) {
    if (db.isTransaction) db.exec('ROLLBACK');
    throw error;
  }
}

function pragma(db: DatabaseSync, name: 'application_id' | 'user_version'): number {
  return Number(db.prepare(`PRAGMA ${name}`).get()?.[name]);
}
