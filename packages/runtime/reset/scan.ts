/** Folders of the sandbox with a digest of what has not changed and the names of what has. See source/scan.c for the proof. */
import { lstatSync } from 'node:fs';
import type { HelperClient } from '../helper/client.ts';
import { FrameWriter } from '../helper/protocol.ts';

export interface ScannedFolder {
  readonly digest: string;
  /** Entries, folders excepted, whose inode changed after the given time. */
  readonly fresh: readonly string[];
}

/** By path. Paths are bytes as characters (latin1) here, because names need not be UTF-8. */
export type Scan = ReadonlyMap<string, ScannedFolder>;

export function pathBytes(path: string): Buffer {
  return Buffer.from(path, 'latin1');
}

export async function scanFolders(helper: HelperClient, roots: readonly string[], sinceMs: number): Promise<Scan> {
  const seconds = BigInt(Math.floor(sinceMs / 1000));
  const body = new FrameWriter()
    .u32(Number(seconds & 0xffff_ffffn))
    .u32(Number(seconds >> 32n))
    .u32(Math.floor((sinceMs % 1000) * 1_000_000))
    // A file that is mounted into the sandbox is an entry of the folder that holds it.
    .texts(roots.filter((root) => lstatSync(root, { throwIfNoEntry: false })?.isDirectory() === true));
  const reader = await helper.resetRequest('scan', body);
  const folders = new Map<string, ScannedFolder>();
  const count = reader.u32();
  for (let index = 0; index < count; index += 1) {
    const path = reader.binary();
    const digest = `${reader.u64().toString(16)}-${reader.u64().toString(16)}`;
    const fresh = Array.from({ length: reader.u32() }, () => reader.binary());
    folders.set(path, { digest, fresh });
  }
  return folders;
}

export interface ScanDifference {
  /** New files and folders; removing them brings the baseline back. */
  readonly remove: readonly string[];
  /** What can't be brought back: changed or missing. */
  readonly broken: readonly string[];
}

export function compareScans(baseline: ReadonlyMap<string, string>, now: Scan): ScanDifference {
  const remove: string[] = [];
  const broken: string[] = [];
  for (const path of baseline.keys()) if (!now.has(path)) broken.push(path);
  for (const [path, { digest, fresh }] of now) {
    const expected = baseline.get(path);
    if (expected === undefined) {
      // Its parent is new too, or known; only the topmost new folder is removed.
      if (baseline.has(parentOf(path))) remove.push(path);
    } else {
      if (expected !== digest) broken.push(path);
      for (const name of fresh) remove.push(path === '/' ? `/${name}` : `${path}/${name}`);
    }
  }
  return { remove, broken };
}

function parentOf(path: string): string {
  const slash = path.lastIndexOf('/');
  return slash <= 0 ? '/' : path.slice(0, slash);
}
