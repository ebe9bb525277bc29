import { Worker } from 'node:worker_threads';
import type { Clock } from '@sandbank/kube';
import { StoreError } from '../errors.ts';
import type { Log, LogHead, Row } from '../log.ts';
import { backupInFolder, backupTo } from './backup.ts';
import type { Durability } from './database.ts';
import type { Files } from './files.ts';
import type { Failure, FromWriter, ToWriter, WriterOptions } from './protocol.ts';

export type SpawnWriter = (options: WriterOptions) => Worker;

export interface SqliteLogOptions {
  readonly files: Files;
  readonly durability: Durability;
  /** Released when the log is closed. It is held by the process, so that it outlives a writer that dies. */
  readonly lock: { release(): void };
  readonly clock: Clock;
  readonly spawn: SpawnWriter;
  readonly onTrouble: (error: StoreError) => void;
}

interface Commit extends PromiseWithResolvers<void> {
  readonly last: number;
}

const writerSource = new URL('./writer.ts', import.meta.url);

/** Sources run as they are; beside this file in a build is the built one. */
export const spawnWriter: SpawnWriter = (options) => {
  const built = import.meta.url.endsWith('.js');
  return new Worker(built ? new URL('./writer.js', import.meta.url) : writerSource, { workerData: options });
};

/**
 * The log in SQLite, seen from the server's thread. When the writer thread dies, another is started and asked how far the
 * log reaches: a commit is one transaction, so that answers whether the one under way was kept.
 */
export class SqliteLog implements Log {
  readonly #options: SqliteLogOptions;
  #worker: Worker | undefined;
  #starting: Promise<LogHead> | undefined;
  #commit: Commit | undefined;
  #dead: StoreError | undefined;
  #closed: PromiseWithResolvers<void> | undefined;

  constructor(options: SqliteLogOptions) {
    this.#options = options;
  }

  load(each: (rows: readonly Row[], head: LogHead) => void): Promise<LogHead> {
    this.#starting = this.#start(true, each);
    return this.#starting;
  }

  async append(rows: readonly Row[]): Promise<void> {
    await this.#starting;
    if (this.#dead) throw this.#dead;
    this.#commit = { ...Promise.withResolvers<void>(), last: rows.at(-1)?.revision ?? 0 };
    this.#send({ type: 'append', rows });
    return this.#commit.promise;
  }

  compact(revision: number): void {
    this.#send({ type: 'compact', revision });
  }

  backup(file: string | undefined): Promise<string> {
    const { files, clock } = this.#options;
    return file === undefined ? backupInFolder(files, clock, 'on-demand') : backupTo(files, file);
  }

  async close(): Promise<void> {
    await this.#starting?.catch(() => {});
    this.#closed = Promise.withResolvers();
    if (this.#worker) this.#send({ type: 'close' });
    else this.#closed.resolve();
    await this.#closed.promise;
    this.#options.lock.release();
  }

  #send(message: ToWriter): void {
    this.#worker?.postMessage(message);
  }

  #start(load: boolean, each: (rows: readonly Row[], head: LogHead) => void): Promise<LogHead> {
    const { files, durability, spawn, onTrouble } = this.#options;
    const ready = Promise.withResolvers<LogHead>();
    const worker = spawn({ file: files.database, durability, load });
    let crash: unknown;
    this.#worker = worker;
    worker.on('message', (message: FromWriter) => {
      switch (message.type) {
        case 'rows':
          return each(message.rows, message.head);
        case 'ready':
          return ready.resolve(message.head);
        case 'refused':
          return ready.reject(errorOf(message.failure));
        case 'appended':
          return this.#settle((commit) => commit.resolve());
        case 'failed':
          return this.#settle((commit) => commit.reject(errorOf(message.failure)));
        case 'trouble':
          return onTrouble(errorOf(message.failure));
      }
    });
    worker.on('error', (error) => {
      crash = error;
    });
    worker.on('exit', (code) => {
      this.#worker = undefined;
      ready.reject(
        new StoreError('io', `The writer thread ended with code ${code} before it was ready.`, { cause: crash }),
      );
      if (this.#closed) this.#closed.resolve();
      else void this.#startAgain(ready.promise, crash);
    });
    return ready.promise;
  }

  /** Only a thread that had been serving is replaced; one that could not open the store has said why. */
  async #startAgain(before: Promise<LogHead>, crash: unknown): Promise<void> {
    const served = await before.then(
      () => true,
      () => false,
    );
    if (!served || this.#closed) return;
    this.#starting = this.#start(false, () => {});
    try {
      const { revision } = await this.#starting;
      const lost = new StoreError('writer-crashed', 'The writer thread died; the write was not kept. Try again.', {
        cause: crash,
      });
      this.#options.onTrouble(
        new StoreError('writer-crashed', 'The writer thread died and was started again.', { cause: crash }),
      );
      this.#settle((commit) => (commit.last <= revision ? commit.resolve() : commit.reject(lost)));
    } catch (error) {
      const message =
        'The writer thread died and cannot be started again. The write under way may have been kept; restart.';
      this.#dead = new StoreError('unknown-outcome', message, { cause: error });
      this.#starting = undefined;
      this.#options.onTrouble(this.#dead);
      const dead = this.#dead;
      this.#settle((commit) => commit.reject(dead));
    }
  }

  #settle(how: (commit: Commit) => void): void {
    const commit = this.#commit;
    this.#commit = undefined;
    if (commit) how(commit);
  }
}

function errorOf(failure: Failure): StoreError {
  return new StoreError(failure.code, failure.message);
}
