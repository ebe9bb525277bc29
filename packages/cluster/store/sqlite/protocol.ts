import type { StoreErrorCode } from '../errors.ts';
import type { LogHead, Row } from '../log.ts';
import type { Durability } from './database.ts';

/** Between the store and its writer thread. */
export interface WriterOptions {
  readonly file: string;
  readonly durability: Durability;
  /** Check the file and hand over all rows; false when the thread replaces one that died. */
  readonly load: boolean;
}

export type ToWriter =
  | { readonly type: 'append'; readonly rows: readonly Row[] }
  | { readonly type: 'compact'; readonly revision: number }
  | { readonly type: 'close' };

/** Errors cross threads as plain data. */
export interface Failure {
  readonly code: StoreErrorCode;
  readonly message: string;
}

export type FromWriter =
  | { readonly type: 'rows'; readonly rows: readonly Row[]; readonly head: LogHead }
  | { readonly type: 'ready'; readonly head: LogHead }
  | { readonly type: 'refused'; readonly failure: Failure }
  | { readonly type: 'appended' }
  | { readonly type: 'failed'; readonly failure: Failure }
  /** Work in the background did not succeed; it will be tried again. */
  | { readonly type: 'trouble'; readonly failure: Failure };
