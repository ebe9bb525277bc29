/** What outlives processes outside of files: System V objects, sockets, processes of the tenant's users that are not ours. */
import { readdirSync, readFileSync, statSync } from 'node:fs';
import type { HelperClient } from '../helper/client.ts';
import { FrameWriter } from '../helper/protocol.ts';

export type ObjectKind = 'm' | 'q' | 's';
const tables: readonly (readonly [ObjectKind, string])[] = [
  ['m', '/proc/sysvipc/shm'],
  ['q', '/proc/sysvipc/msg'],
  ['s', '/proc/sysvipc/sem'],
];

/** `kind:id` of every System V object in this namespace. */
export function systemObjects(): Set<string> {
  const found = new Set<string>();
  for (const [kind, path] of tables) {
    for (const line of lines(path).slice(1)) {
      const [, id] = line.trim().split(/\s+/);
      if (id !== undefined) found.add(`${kind}:${id}`);
    }
  }
  return found;
}

export async function removeObject(helper: HelperClient, object: string): Promise<void> {
  const [kind = 'm', id = '0'] = object.split(':');
  await helper.resetRequest('ipc', new FrameWriter().u8(kind.charCodeAt(0)).u32(Number(id)));
}

export async function clearKeys(helper: HelperClient, uid: number): Promise<void> {
  await helper.resetRequest('ipc', new FrameWriter().u8('k'.charCodeAt(0)).u32(uid));
}

/** Sockets of these users that others could reach: listening or bound, and named ones of unix. */
export function openSockets(uids: ReadonlySet<number>): Set<string> {
  const found = new Set<string>();
  for (const table of ['tcp', 'tcp6', 'udp', 'udp6', 'raw', 'raw6', 'udplite', 'sctp/eps']) {
    for (const line of lines(`/proc/net/${table}`).slice(1)) {
      const [, local = '', , state = '', , , , uid = ''] = line.trim().split(/\s+/);
      const waiting = table.startsWith('tcp') && state !== '0A';
      if (!waiting && uids.has(Number(uid))) found.add(`${table} ${local}`);
    }
  }
  return found;
}

/** Abstract names live as long as a process has them; the table has no owner, so all of them count. */
export function abstractSockets(): Set<string> {
  return new Set(
    lines('/proc/net/unix')
      .slice(1)
      .map((line) => line.trim().split(/\s+/)[7] ?? '')
      .filter((name) => name.startsWith('@')),
  );
}

export function processesOf(uids: ReadonlySet<number>): Set<number> {
  const found = new Set<number>();
  for (const name of readdirSync('/proc')) {
    if (!/^\d+$/.test(name)) continue;
    const stats = statSync(`/proc/${name}`, { throwIfNoEntry: false });
    if (stats !== undefined && uids.has(stats.uid)) found.add(Number(name));
  }
  return found;
}

function lines(path: string): string[] {
  try {
    return readFileSync(path, 'latin1')
      .split('\n')
      .filter((line) => line !== '');
  } catch {
    return [];
  }
}
