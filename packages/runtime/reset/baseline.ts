/** The clean state, taken before anybody could use the sandbox. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { HelperClient } from '../helper/client.ts';
import { abstractSockets, systemObjects } from './kernel-objects.ts';
import { readMounts, scanRoots } from './mounts.ts';
import { scanFolders } from './scan.ts';

export interface Baseline {
  /** Everything that changes later than this is the tenant's. */
  readonly takenAtMs: number;
  readonly roots: readonly string[];
  /** Digest by folder. */
  readonly folders: ReadonlyMap<string, string>;
  readonly mounts: string;
  readonly objects: ReadonlySet<string>;
  readonly abstractSockets: ReadonlySet<string>;
}

/** The kernel stamps changes with a clock that lags by up to a tick of 10 ms; the wait keeps before and after apart. */
const tickMs = 25;
/** Nothing is newer: the baseline takes every entry as it is. */
const endOfTimeMs = 8.64e15;

export async function takeBaseline(helper: HelperClient, resetRoots: readonly string[]): Promise<Baseline> {
  const mounts = readMounts();
  const roots = scanRoots(resetRoots, mounts);
  const scan = await scanFolders(helper, roots, endOfTimeMs);
  const takenAtMs = Date.now();
  await sleep(tickMs);
  return {
    takenAtMs,
    roots,
    folders: new Map([...scan].map(([path, { digest }]) => [path, digest])),
    mounts: mountKey(mounts),
    objects: systemObjects(),
    abstractSockets: abstractSockets(),
  };
}

export function mountKey(mounts: ReturnType<typeof readMounts>): string {
  return mounts.map(({ point, type, writable }) => `${point} ${type} ${writable}`).join('\n');
}
