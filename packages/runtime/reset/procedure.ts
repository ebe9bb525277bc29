/**
 * Brings a used sandbox back to its baseline and proves it, or says why it can't. A refusal is final: the sandbox answers
 * nothing but /health from then on and has to be deleted. Nothing of a tenant reaches the next one (G10).
 */

import { statSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import type { HelperClient } from '../helper/client.ts';
import type { RuntimeContext } from '../server/context.ts';
import { clearState, keptState } from '../server/state.ts';
import { type Baseline, mountKey } from './baseline.ts';
import { abstractSockets, clearKeys, openSockets, processesOf, removeObject, systemObjects } from './kernel-objects.ts';
import { readMounts } from './mounts.ts';
import { compareScans, pathBytes, scanFolders } from './scan.ts';

export interface ResetResult {
  readonly clean: boolean;
  /** Why not; empty when clean. Names of files, never their content. */
  readonly reasons: readonly string[];
  readonly removed: { readonly entries: number; readonly objects: number };
}

const shown = 20;
const settleMs = 5000;

export async function resetSandbox(context: RuntimeContext): Promise<ResetResult> {
  const refuse = (...reasons: string[]): ResetResult => ({
    clean: false,
    reasons,
    removed: { entries: 0, objects: 0 },
  });
  const helper = await context.helper();
  const { baseline } = context;
  if (helper === undefined) return refuse('there is no helper: process trees and files cannot be checked');
  if (baseline === undefined) {
    return refuse(
      context.config.resetRoots.length === 0
        ? 'no --reset-root is set: the runtime does not know which files are the sandbox'
        : 'there is no baseline: the runtime was started again while the sandbox was in use',
    );
  }
  if (Date.now() < baseline.takenAtMs) return refuse('the clock has gone back: times of files prove nothing');
  const rights = rightsRefusal(context);
  if (rights !== undefined) return refuse(rights);

  const left = await helper.killAll();
  if (left > 0) return refuse(`${left} processes could not be killed`);
  // Their ends must have come before they are forgotten, or the next owner could still ask for them.
  if (!(await context.registry.settled(settleMs))) return refuse('processes were killed, but their ends did not come');
  context.watchers?.clear();
  context.registry.clear();
  clearState(context.state, context.config.defaultUser);
  context.state.defaultWorkdir = context.config.defaultWorkdir;
  helper.keep(keptState(context.state));

  const objects = await removeObjects(helper, baseline, context.tenantUids);
  const files = await cleanFiles(helper, baseline);
  const reasons = [...files.reasons, ...proof(context, baseline)];
  if (reasons.length > 0) return { clean: false, reasons, removed: { entries: files.removed, objects } };
  context.tenantUids.clear();
  return { clean: true, reasons: [], removed: { entries: files.removed, objects } };
}

/** Who was root may have changed the very program that would prove the opposite. */
function rightsRefusal(context: RuntimeContext): string | undefined {
  if (context.config.resetAllowRoot) return undefined;
  if (context.tenantUids.has(0)) return 'commands ran as root; nothing inside can prove what root did';
  if (context.config.noNewPrivileges) return undefined;
  const way = ['/usr/bin/sudo', '/bin/sudo', '/usr/local/bin/sudo', '/usr/bin/doas', '/bin/doas'].find((path) => {
    const stats = statSync(path, { throwIfNoEntry: false });
    return stats !== undefined && (stats.mode & 0o4000) !== 0;
  });
  return way === undefined || context.tenantUids.size === 0
    ? undefined
    : `${way} may have made commands root; start the runtime with --no-new-privileges`;
}

async function removeObjects(helper: HelperClient, baseline: Baseline, uids: ReadonlySet<number>): Promise<number> {
  const fresh = [...systemObjects()].filter((object) => !baseline.objects.has(object));
  for (const object of fresh) await removeObject(helper, object).catch(() => {});
  for (const uid of uids) if (uid !== 0) await clearKeys(helper, uid).catch(() => {});
  return fresh.length;
}

async function cleanFiles(helper: HelperClient, baseline: Baseline): Promise<{ removed: number; reasons: string[] }> {
  if (mountKey(readMounts()) !== baseline.mounts) return { removed: 0, reasons: ['the mount table has changed'] };
  const before = compareScans(baseline.folders, await scanFolders(helper, baseline.roots, baseline.takenAtMs));
  // Looked at before anything is deleted: what can't be brought back is refused with the evidence in place.
  if (before.broken.length > 0) return { removed: 0, reasons: brokenReasons(before.broken) };
  for (const path of before.remove) await rm(pathBytes(path), { recursive: true, force: true }).catch(() => {});
  const after = compareScans(baseline.folders, await scanFolders(helper, baseline.roots, baseline.takenAtMs));
  const stubborn = after.remove.slice(0, shown).map((path) => `can't be removed: ${pathBytes(path).toString('utf8')}`);
  return { removed: before.remove.length, reasons: [...brokenReasons(after.broken), ...stubborn] };
}

function brokenReasons(paths: readonly string[]): string[] {
  return paths.slice(0, shown).map((path) => `changed or missing entries in ${pathBytes(path).toString('utf8')}`);
}

function proof(context: RuntimeContext, baseline: Baseline): string[] {
  const uids = new Set([...context.tenantUids].filter((uid) => uid !== 0));
  const reasons: string[] = [];
  for (const object of systemObjects()) {
    if (!baseline.objects.has(object)) reasons.push(`System V object ${object} is left`);
  }
  for (const socket of openSockets(uids)) reasons.push(`socket of a tenant's user is open: ${socket}`);
  for (const pid of processesOf(uids)) reasons.push(`process ${pid} of a tenant's user runs`);
  for (const name of abstractSockets()) {
    if (!baseline.abstractSockets.has(name)) reasons.push(`abstract socket ${name} is open`);
  }
  const unfinished = context.registry.unfinished().filter((process) => !process.exited).length;
  if (unfinished > 0) reasons.push(`${unfinished} processes are not reaped`);
  return reasons;
}
