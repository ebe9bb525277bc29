/**
 * One error family for the store. `code` is what programs branch on, `message` says what happened, why and what to do.
 * The API server above turns `compacted` into 410 and `disk-full` into 507-like answers; the command prints the rest.
 */
export const storeErrorCodes = {
  compacted: 'The history before this revision is gone; list again and watch from the revision of that list.',
  'future-revision': 'The revision has not happened yet in this store.',
  'bad-continue': 'The continue token was not made by this list.',
  'bad-input': 'A key, a value or an option is not acceptable.',
  closed: 'The store was closed.',
  locked: 'Another process has the data folder open.',
  'not-ours': 'The folder or file holds something that this store did not write.',
  'newer-version': 'The store was written by a newer version of this program.',
  corrupt: 'The store is damaged.',
  missing: 'The store file is gone while its traces are still in the folder.',
  'not-a-backup': 'The file cannot be restored: it is not an intact backup of this store.',
  exists: 'The target file exists already.',
  'disk-full': 'The disk is full; nothing of the write was kept.',
  io: 'The operating system refused a read or a write; nothing of the write was kept.',
  'writer-crashed': 'The writer thread died and was started again; nothing of the write was kept.',
  'unknown-outcome': 'The writer thread died and could not be started again; the write may or may not have been kept.',
} as const;

export type StoreErrorCode = keyof typeof storeErrorCodes;

export class StoreError extends Error {
  override readonly name = 'StoreError';
  readonly code: StoreErrorCode;

  constructor(code: StoreErrorCode, message: string, options?: { cause?: unknown }) {
    super(message, options);
    this.code = code;
  }
}

export function isStoreError(error: unknown, code?: StoreErrorCode): error is StoreError {
  return error instanceof StoreError && (code === undefined || error.code === code);
}
