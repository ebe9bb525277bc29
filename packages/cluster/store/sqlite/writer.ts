/** The writer thread: it owns the connection, so that no fsync ever holds the event loop of the server. */
import { parentPort, workerData } from 'node:worker_threads';
import type { Row } from '../log.ts';
import { Database, pageBytes } from './database.ts';
import type { Failure, FromWriter, ToWriter, WriterOptions } from './protocol.ts';
import { storeErrorFrom } from './sqlite-error.ts';

/**
 * Bytes of the write-ahead log after which it is moved into the database. Small, because a log that is written over syncs
 * faster than one that grows.
 */
const checkpointBytes = 4 * 1024 * 1024;
/** Rows that one slice of compaction looks at; commits go between slices. */
const compactionSlice = 500;

const port = parentPort;
if (!port) throw new Error('The writer runs as a worker thread.');

const { file, durability, load } = workerData as WriterOptions;
const send = (message: FromWriter): void => port.postMessage(message);
let database: Database | undefined;
let written = 0;
let compactTo = 0;
let compacting = false;

try {
  database = new Database(file, durability);
  if (load) {
    database.check();
    const head = database.head();
    for (const rows of database.rows()) send({ type: 'rows', rows, head });
  }
  send({ type: 'ready', head: database.head() });
  serve(database);
} catch (error) {
  database?.close();
  send({ type: 'refused', failure: failureOf(error, `Cannot open ${file}`) });
}

function serve(db: Database): void {
  port?.on('message', (message: ToWriter) => {
    switch (message.type) {
      case 'append':
        return append(db, message.rows);
      case 'compact':
        compactTo = message.revision;
        if (!compacting) compact(db);
        return;
      case 'close':
        return close(db);
    }
  });
}

function append(db: Database, rows: readonly Row[]): void {
  try {
    db.append(rows);
  } catch (error) {
    send({ type: 'failed', failure: failureOf(error, 'The write was not kept') });
    return;
  }
  send({ type: 'appended' });
  for (const row of rows) written += row.key.length + (row.value?.length ?? 0) + 64;
  written += pageBytes;
  if (written >= checkpointBytes) background('The write-ahead log could not be checkpointed', () => checkpoint(db));
}

function checkpoint(db: Database): void {
  db.checkpoint('PASSIVE');
  written = 0;
}

function compact(db: Database): void {
  compacting = background('Old history could not be removed', () => {
    const reached = db.compact(compactTo, compactionSlice);
    written += 4 * pageBytes;
    if (written >= checkpointBytes) checkpoint(db);
    return reached < compactTo;
  });
  // In the next turn of the event loop, so that a commit that waits goes first.
  if (compacting) setImmediate(() => compact(db));
}

function close(db: Database): void {
  background('The write-ahead log could not be checkpointed', () => db.checkpoint('TRUNCATE'));
  db.close();
  port?.close();
}

function background(what: string, work: () => unknown): boolean {
  try {
    return work() === true;
  } catch (error) {
    send({ type: 'trouble', failure: failureOf(error, what) });
    return false;
  }
}

function failureOf(error: unknown, what: string): Failure {
  const { code, message } = storeErrorFrom(error, what);
  return { code, message };
}
