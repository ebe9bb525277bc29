/**
 * G8 (c): the files as a loss of power could have left them. A write counts as on the disk when a sync of its file began
 * after it and ended before the cut; the others are at the mercy of the disk.
 */
import type { FileName, Step } from './trace.ts';

type Change = Extract<Step, { do: 'write' | 'truncate' }>;

/**
 * `lost`: nothing that was not synced is there. `torn`: each such write is there or not, by the coin.
 * `cut`: all writes are there, but each file ends where it ended at its last sync.
 */
export type Mercy = 'lost' | 'torn' | 'cut';

export type Files = Record<FileName, Buffer | undefined>;

export function filesAt(cut: number, steps: readonly Step[], before: Files, mercy: Mercy, coin: () => number): Files {
  return { 'store.db': fileAt('store.db'), 'store.db-wal': fileAt('store.db-wal') };

  function fileAt(file: FileName): Buffer | undefined {
    let image = before[file];
    let synced = image?.length ?? 0;
    const syncs = steps.filter((step) => step.do === 'sync' && step.file === file && step.end < cut);
    for (const step of steps) {
      if (step.do === 'say' || step.do === 'sync' || step.file !== file || step.start >= cut) continue;
      const safe = syncs.some((sync) => sync.start > step.end);
      if (!safe && (mercy === 'lost' || (mercy === 'torn' && coin() < 0.5))) continue;
      image = changed(image ?? Buffer.alloc(0), step);
      if (safe) synced = image.length;
    }
    return mercy === 'cut' ? image?.subarray(0, synced) : image;
  }
}

function changed(image: Buffer, step: Change): Buffer {
  if (step.do === 'truncate') return Buffer.concat([image], step.length);
  const end = step.offset + step.data.length;
  const grown = end > image.length ? Buffer.concat([image], end) : Buffer.from(image);
  step.data.copy(grown, step.offset);
  return grown;
}
