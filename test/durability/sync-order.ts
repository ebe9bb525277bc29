/**
 * G8 (b), the check: every acknowledged write has an fsync or fdatasync of the log that starts after the last write of its
 * commit and ends before the first byte of its acknowledgement. The page cache survives a kill -9, so only this shows it.
 */
import type { Step } from './trace.ts';
import { markerOf } from './value.ts';

const frameHeader = 24;

export interface SyncOrder {
  readonly acknowledged: number;
  readonly syncs: number;
  /** Numbers of the writes whose acknowledgement came before their sync. */
  readonly early: readonly number[];
}

export function syncOrderOf(steps: readonly Step[]): SyncOrder {
  const log = steps.filter((step) => step.do === 'write').filter((step) => step.file === 'store.db-wal');
  const syncs = steps.filter((step) => step.do === 'sync').filter((step) => step.file === 'store.db-wal');
  const early: number[] = [];
  let acknowledged = 0;
  for (const step of steps) {
    if (step.do !== 'say') continue;
    for (const [, n] of step.text.matchAll(/^ack (\d+) /gm)) {
      acknowledged++;
      const written = lastWriteOf(Number(n), log);
      if (!syncs.some((sync) => sync.start > written && sync.end < step.start)) early.push(Number(n));
    }
  }
  return { acknowledged, syncs: syncs.length, early };
}

/** Where the commit that first holds the write's value ended: at the page of the frame that is marked as the commit's last. */
function lastWriteOf(n: number, log: readonly (Step & { do: 'write' })[]): number {
  const first = log.findIndex((write) => write.data.includes(markerOf(n)));
  if (first < 0) throw new Error(`write ${n} was acknowledged, but is not in the log at all`);
  // The header of the frame is the write before its page. Bytes 4 to 8 are zero but in the last frame of a commit.
  for (let page = first; page < log.length; page += 2) {
    const header = log[page - 1]?.data;
    if (header?.length !== frameHeader)
      throw new Error('the log is not written frame by frame: the check is out of date');
    if (header.readUInt32BE(4) !== 0) return log[page]?.end ?? Number.POSITIVE_INFINITY;
  }
  throw new Error(`the commit of write ${n} has no end`);
}
