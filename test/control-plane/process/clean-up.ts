import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync, rmdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { identify, isAlive, type ProcessIdentity, signal } from './identity.ts';

/** Everything that one control plane put on this machine. */
export type Belongings = {
  /** Set in the environment of every process of the instance: finds those that were never listed. */
  readonly marker: string;
  readonly folder: string;
  readonly processes: readonly ProcessIdentity[];
  readonly networkNamespaces: readonly string[];
  readonly links: readonly string[];
  /** Names of cgroups, looked for under every mounted hierarchy. */
  readonly cgroups: readonly string[];
};

/** The environment variable that carries the marker. */
export const MARKER_VARIABLE = 'SANDBANK_CONTROL_PLANE';

/**
 * Ends and removes all of it, and nothing else. Used by `dispose` and, after a crash, by the reaper: one path,
 * exercised by every test. May run twice.
 */
export async function cleanUp(belongings: Belongings): Promise<void> {
  const deadline = Date.now() + 15_000;
  for (;;) {
    const alive = [
      ...belongings.processes.filter(isAlive),
      ...marked(belongings.marker),
      ...insideOf(belongings.cgroups),
    ];
    if (alive.length === 0 || Date.now() > deadline) break;
    for (const one of alive) signal(one, 'SIGKILL');
    await delay(10);
  }
  for (const name of belongings.links) quietly('ip', ['link', 'delete', name]);
  for (const name of belongings.networkNamespaces) quietly('ip', ['netns', 'delete', name]);
  for (const cgroup of cgroupFolders(belongings.cgroups)) removeCgroup(cgroup);
  rmSync(belongings.folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 });
}

/**
 * Processes that carry the marker but were never listed: the crash came between their start and the listing, or a
 * daemon started them by itself. Only Linux lets us see another process' environment.
 */
function marked(marker: string): ProcessIdentity[] {
  if (process.platform !== 'linux') return [];
  const wanted = `${MARKER_VARIABLE}=${marker}`;
  const found: ProcessIdentity[] = [];
  for (const entry of readdirSync('/proc')) {
    const pid = Number(entry);
    if (!Number.isInteger(pid) || pid === process.pid) continue;
    try {
      if (!readFileSync(`/proc/${pid}/environ`, 'latin1').split('\0').includes(wanted)) continue;
    } catch {
      continue;
    }
    const identity = identify(pid);
    if (identity !== undefined) found.push(identity);
  }
  return found;
}

/** Version 1 has a hierarchy per controller below /sys/fs/cgroup, version 2 is that folder itself. */
export function cgroupHierarchies(): string[] {
  let mounts: string;
  try {
    mounts = readFileSync('/proc/self/mounts', 'utf8');
  } catch {
    return [];
  }
  return mounts
    .split('\n')
    .map((line) => line.split(' '))
    .filter(([, , type]) => type === 'cgroup' || type === 'cgroup2')
    .map(([, path = '']) => path);
}

function cgroupFolders(names: readonly string[]): string[] {
  return names.flatMap((name) => cgroupHierarchies().map((root) => join(root, name)));
}

function insideOf(cgroups: readonly string[]): ProcessIdentity[] {
  return cgroupFolders(cgroups)
    .flatMap(withDescendants)
    .flatMap((folder) => {
      try {
        return readFileSync(join(folder, 'cgroup.procs'), 'utf8').split('\n').filter(Boolean).map(Number);
      } catch {
        return [];
      }
    })
    .map(identify)
    .filter((one) => one !== undefined);
}

function withDescendants(folder: string): string[] {
  let children: string[];
  try {
    children = readdirSync(folder, { withFileTypes: true })
      .filter((entry) => entry.isDirectory())
      .map((entry) => join(folder, entry.name));
  } catch {
    return [];
  }
  return [...children.flatMap(withDescendants), folder];
}

function removeCgroup(folder: string): void {
  for (const one of withDescendants(folder)) {
    try {
      rmdirSync(one);
    } catch {
      // Busy only while a process in it is being reaped; the caller waited for that.
    }
  }
}

function quietly(command: string, args: string[]): void {
  try {
    execFileSync(command, args, { stdio: 'ignore' });
  } catch {
    // Already gone, or never made.
  }
}
