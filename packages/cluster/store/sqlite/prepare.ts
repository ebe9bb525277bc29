import { DatabaseSync } from 'node:sqlite';
import type { Clock } from '@sandbank/kube';
import { StoreError } from '../errors.ts';
import { backupInFolder } from './backup.ts';
import { createDatabase, inspectDatabase } from './database.ts';
import { adviceOn, type Files, inspectFolder } from './files.ts';
import { type Migration, migrate, migrations } from './schema.ts';
import { storeErrorFrom } from './sqlite-error.ts';

/** Brings the data folder to where the writer can open it: made if it was empty, backed up and migrated if it is older. */
export async function prepareFolder(
  files: Files,
  clock: Clock,
  steps: readonly Migration[] = migrations,
): Promise<void> {
  if (inspectFolder(files) === 'empty') return createDatabase(files, steps);
  if (inspectDatabase(files.database, steps) === steps.length) return;
  await backupInFolder(files, clock, `before-schema-${steps.length}`);
  const db = new DatabaseSync(files.database);
  try {
    db.exec('PRAGMA synchronous = FULL');
    migrate(db, steps);
  } finally {
    db.close();
  }
}

/** Any error of opening, in the store's family; one that means damage comes with the way out. */
export function openingError(error: unknown, files: Files): StoreError {
  const found = storeErrorFrom(error, `Cannot open ${files.folder}`);
  if (found.code !== 'corrupt') return found;
  return new StoreError('corrupt', `${found.message} ${adviceOn(files)}`, { cause: found });
}
