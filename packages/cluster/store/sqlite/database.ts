import { renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { DatabaseSync, type StatementSync } from 'node:sqlite';
import { crc32 } from 'node:zlib';
import { StoreError } from '../errors.ts';
import type { LogHead, Row } from '../log.ts';
import { type Files, syncFile } from './files.ts';
import { checkSchema, type Migration, migrate, migrations } from './schema.ts';

/**
 * `full`: a write is acknowledged after its fsync; it survives the loss of power.
 * `relaxed`: no fsync per commit. What was acknowledged survives the death of the process, but a crash of the kernel or the
 * loss of power may take the last writes, in order, back to the last checkpoint. The store is never corrupt.
 */
export type Durability = 'full' | 'relaxed';

/** Objects are of 2 to 4 KiB: several fit on a page of this size, and a commit of many writes has few frames. Measured. */
export const pageBytes = 16_384;

/** Rows handed over at once while loading: small enough that applying them does not hold the event loop. */
const slice = 500;

/** The log in SQLite, synchronous: it is used in the writer thread, and by the tools that work on closed stores. */
export class Database {
  readonly #db: DatabaseSync;
  readonly #file: string;
  readonly #insert: StatementSync;
  readonly #begin: StatementSync;
  readonly #commit: StatementSync;

  constructor(file: string, durability: Durability) {
    this.#file = file;
    this.#db = connect(file, durability);
    this.#insert = this.#db.prepare('INSERT INTO log VALUES (?, ?, ?, ?, ?, ?)');
    this.#begin = this.#db.prepare('BEGIN IMMEDIATE');
    this.#commit = this.#db.prepare('COMMIT');
  }

  head(): LogHead {
    return readHead(this.#db);
  }

  /** Rows in order. Throws `corrupt` at the first that is not what was written. */
  *rows(): Generator<Row[], void> {
    let rows: Row[] = [];
    for (const found of this.#db.prepare('SELECT * FROM log ORDER BY revision').iterate()) {
      const { sum, ...row } = found as unknown as Row & { sum: number };
      if (sum !== sumOf(row)) {
        throw new StoreError('corrupt', `${this.#file} is damaged: revision ${row.revision} is not what was written.`);
      }
      rows.push(row);
      if (rows.length < slice) continue;
      yield rows;
      rows = [];
    }
    if (rows.length > 0) yield rows;
  }

  /** Damage to the structure of the file. Values are checked as they are read. */
  check(): void {
    const found = this.#db.prepare('PRAGMA quick_check(1)').get()?.quick_check;
    if (found !== 'ok') throw new StoreError('corrupt', `${this.#file} is damaged: ${found}.`);
  }

  append(rows: readonly Row[]): void {
    this.#transaction(() => {
      for (const row of rows) {
        this.#insert.run(row.revision, row.key, row.value, row.replaces, row.at, sumOf(row));
      }
    });
  }

  /** One slice of a compaction, itself a whole compaction to an earlier revision. Returns how far it came. */
  compact(to: number, most: number): number {
    const from = this.head().compacted;
    const last = this.#db
      .prepare(
        'SELECT max(revision) AS last FROM (SELECT revision FROM log WHERE revision > ? AND revision <= ? ORDER BY revision LIMIT ?)',
      )
      .get(from, to, most)?.last;
    const until = this.#db.prepare('SELECT 1 FROM log WHERE revision > ? AND revision <= ?').get(Number(last ?? to), to)
      ? Number(last)
      : to;
    this.#transaction(() => {
      const range = [from, until] as const;
      this.#db
        .prepare('DELETE FROM log WHERE revision IN (SELECT replaces FROM log WHERE revision > ? AND revision <= ?)')
        .run(...range);
      this.#db.prepare('DELETE FROM log WHERE revision > ? AND revision <= ? AND value IS NULL').run(...range);
      this.#db.prepare('UPDATE head SET compacted = ?, revision = max(revision, ?)').run(until, until);
    });
    return until;
  }

  /** After a restore no client may find a revision that it has seen with other contents: jump, and forget all history. */
  jumpTo(revision: number): void {
    this.compact(this.head().revision, Number.MAX_SAFE_INTEGER);
    this.#db.prepare('UPDATE head SET revision = ?, compacted = ?').run(revision, revision);
  }

  checkpoint(mode: 'PASSIVE' | 'TRUNCATE'): void {
    this.#db.exec(`PRAGMA wal_checkpoint(${mode})`);
  }

  close(): void {
    this.#db.close();
  }

  #transaction(work: () => void): void {
    this.#begin.run();
    try {
      work();
      this.#commit.run();
    } catch (error) {
      if (this.#db.isTransaction) this.#db.exec('ROLLBACK');
      throw error;
    }
  }
}

function connect(file: string, durability: Durability): DatabaseSync {
  const db = new DatabaseSync(file, { timeout: 5000 });
  try {
    // The writer makes its own checkpoints, after it has answered.
    const synchronous = durability === 'full' ? 'FULL' : 'NORMAL';
    db.exec(`PRAGMA journal_mode = WAL; PRAGMA synchronous = ${synchronous}; PRAGMA wal_autocheckpoint = 0`);
    return db;
  } catch (error) {
    db.close();
    throw error;
  }
}

function sumOf(row: Row): number {
  return crc32(row.value ?? '', crc32(row.key, row.revision % 0x1_0000_0000));
}

/** Under another name first: `store.db` is never half made, and one of no length is damage, not a beginning. */
export function createDatabase(files: Files, steps: readonly Migration[] = migrations): void {
  for (const suffix of ['', '-wal', '-shm', '-journal']) rmSync(files.unfinished + suffix, { force: true });
  // Secrets will be in it. The files that SQLite puts beside a database get the mode of the database.
  writeFileSync(files.unfinished, '', { mode: 0o600 });
  const db = new DatabaseSync(files.unfinished);
  try {
    db.exec(`PRAGMA page_size = ${pageBytes}; PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL`);
    migrate(db, steps);
  } finally {
    db.close();
  }
  renameSync(files.unfinished, files.database);
  syncFile(files.database);
}

/** What can be told of a file without changing it. Returns its schema version. */
export function inspectDatabase(file: string, steps: readonly Migration[] = migrations): number {
  if (statSync(file).size === 0) throw new StoreError('corrupt', `${file} is damaged: it has no content.`);
  const db = new DatabaseSync(file, { readOnly: true });
  try {
    return checkSchema(db, file, steps);
  } finally {
    db.close();
  }
}

export function readHead(db: DatabaseSync): LogHead {
  const head = db
    .prepare('SELECT max(revision, ifnull((SELECT max(revision) FROM log), 0)) AS revision, compacted FROM head')
    .get();
  return { revision: Number(head?.revision), compacted: Number(head?.compacted) };
}
