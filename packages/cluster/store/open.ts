import { mkdirSync } from 'node:fs';
import { systemClock } from '@sandbank/kube';
import type { StoreError } from './errors.ts';
import { LogStore, type LogStoreOptions } from './log-store.ts';
import { memoryLog } from './memory-log.ts';
import type { Durability } from './sqlite/database.ts';
import { filesOf } from './sqlite/files.ts';
import { lockFolder } from './sqlite/lock.ts';
import { openingError, prepareFolder } from './sqlite/prepare.ts';
import { type SpawnWriter, SqliteLog, spawnWriter } from './sqlite/sqlite-log.ts';
import type { Store } from './store.ts';

export interface StoreOptions extends LogStoreOptions {
  /** The data folder; made when it does not exist. A real disk: on tmpfs nothing is durable. */
  readonly folder: string;
  readonly durability?: Durability | undefined;
  /** Work in the background that did not succeed and will be tried again. By default a process warning. */
  readonly onTrouble?: ((error: StoreError) => void) | undefined;
  /** How the writer thread is started. */
  readonly spawn?: SpawnWriter | undefined;
}

/** Opens the store of a data folder, or makes one. Rejects with a `StoreError` that says what to do. */
export async function openStore(options: StoreOptions): Promise<Store> {
  const files = filesOf(options.folder);
  const clock = options.clock ?? systemClock;
  let lock: { release(): void } | undefined;
  try {
    mkdirSync(files.folder, { recursive: true, mode: 0o700 });
    lock = lockFolder(files, clock);
    await prepareFolder(files, clock);
    const log = new SqliteLog({
      files,
      clock,
      lock,
      durability: options.durability ?? 'full',
      spawn: options.spawn ?? spawnWriter,
      onTrouble: options.onTrouble ?? ((error) => process.emitWarning(error)),
    });
    return await LogStore.open(log, options);
  } catch (error) {
    lock?.release();
    throw openingError(error, files);
  }
}

/** A store that lives as long as the process: the same code over a log in memory. */
export function openMemoryStore(options: LogStoreOptions = {}): Promise<Store> {
  return LogStore.open(memoryLog(), options);
}
