import { StoreError, type StoreErrorCode } from '../errors.ts';

const primaryCodes: Readonly<Record<number, StoreErrorCode>> = {
  10: 'io', // SQLITE_IOERR
  11: 'corrupt', // SQLITE_CORRUPT
  13: 'disk-full', // SQLITE_FULL
  26: 'corrupt', // SQLITE_NOTADB
};

const advice: Partial<Record<StoreErrorCode, string>> = {
  'disk-full': 'The disk is full. Make room; the store goes on by itself.',
  corrupt: 'The store is damaged. Stop, and restore a backup.',
  io: 'The disk refused. Look at the system log.',
};

/** The numeric result code of SQLite, without the extension in its upper bits. */
export function sqliteCode(error: unknown): number | undefined {
  const code = (error as { errcode?: unknown } | null)?.errcode;
  return typeof code === 'number' ? code & 0xff : undefined;
}

/** Errors of SQLite and of the file system, in the family of the store. */
export function storeErrorFrom(error: unknown, what: string): StoreError {
  if (error instanceof StoreError) return error;
  const primary = sqliteCode(error);
  const system = (error as NodeJS.ErrnoException | null)?.code;
  const known = primary === undefined ? (system === 'ENOSPC' ? 'disk-full' : undefined) : primaryCodes[primary];
  const reason = error instanceof Error ? error.message : String(error);
  const message = `${what}: ${reason.replace(/\.$/, '')}. ${(known && advice[known]) ?? ''}`;
  return new StoreError(known ?? 'io', message.trimEnd(), { cause: error });
}
