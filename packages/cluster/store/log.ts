/**
 * The port below: where writes become durable. A store is a log and the memory of it; SQLite and plain memory are the two
 * logs there are.
 */
export interface Row {
  readonly revision: number;
  readonly key: string;
  /** Null: the key was deleted. */
  readonly value: string | null;
  /** The revision that this row replaces, null when the key was absent. Compaction follows it. */
  readonly replaces: number | null;
  /** Milliseconds since the epoch, for compaction by age. */
  readonly at: number;
}

/** Where a log stands when it is opened. */
export interface LogHead {
  /** The newest revision; beyond the last row after a restore. */
  readonly revision: number;
  /** Rows up to here are the live ones only; after it, every row there was. */
  readonly compacted: number;
}

export interface Log {
  /** Hands over all rows in order of revision, in slices. */
  load(each: (rows: readonly Row[], head: LogHead) => void): Promise<LogHead>;
  /** All rows durable, or none of them and a rejection. One at a time. */
  append(rows: readonly Row[]): Promise<void>;
  /** Rows that are not needed after this revision may go, in the background. */
  compact(revision: number): void;
  backup(file: string | undefined): Promise<string>;
  close(): Promise<void>;
}
