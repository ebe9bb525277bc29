import { StoreError } from './errors.ts';
import type { Log, LogHead, Row } from './log.ts';

/** A log that lives as long as the process. Opening a store on it again finds what the one before wrote. */
export function memoryLog(): Log {
  let rows: Row[] = [];
  let head: LogHead = { revision: 0, compacted: 0 };
  return {
    async load(each) {
      each(rows, head);
      return head;
    },
    async append(added) {
      rows.push(...added);
      head = { ...head, revision: added.at(-1)?.revision ?? head.revision };
    },
    compact(revision) {
      const replaced = new Set(rows.filter((row) => row.revision <= revision).map((row) => row.replaces));
      rows = rows.filter((row) => row.revision > revision || (row.value !== null && !replaced.has(row.revision)));
      head = { ...head, compacted: revision };
    },
    async backup() {
      throw new StoreError('bad-input', 'A store in memory has no backup; give it a data folder.');
    },
    async close() {},
  };
}
