import { type ChildProcess, spawn } from 'node:child_process';
import { cp, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { openStore } from '@sandbank/cluster';
import { emptyJournal, faultsOf, type Journal, record, type Snapshot, snapshotOf } from './journal.ts';

export const writerFile = new URL('./writer.ts', import.meta.url).pathname;

/** A writer that runs, and what it has said so far. */
export interface Running {
  readonly process: ChildProcess;
  readonly journal: Journal;
  /** Resolves when so many lines of this kind have been said since the call, or when the writer ended. */
  said(what: string, times: number): Promise<void>;
  /** Kills at once, and resolves when the last word has been read. */
  kill(): Promise<void>;
  readonly ended: Promise<void>;
}

export function startWriter(folder: string, first: number, more: readonly string[] = []): Running {
  const child = spawn(process.execPath, [writerFile, '--folder', folder, '--first', String(first), ...more], {
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const journal = emptyJournal();
  const waiting = new Set<{ what: string; left: number; resolve(): void }>();
  let complaint = '';
  child.stderr.on('data', (text) => {
    complaint += text;
  });
  createInterface({ input: child.stdout }).on('line', (line) => {
    const what = record(journal, line);
    for (const one of waiting) {
      if (one.what !== what || --one.left > 0) continue;
      waiting.delete(one);
      one.resolve();
    }
  });
  const ended = new Promise<void>((resolve, reject) => {
    child.on('error', reject);
    child.on('close', (code, signal) => {
      for (const one of waiting) one.resolve();
      if (code === 0 || signal === 'SIGKILL') resolve();
      else reject(new Error(`the writer ended with ${code ?? signal}: ${complaint}`));
    });
  });
  return {
    process: child,
    journal,
    ended,
    said: (what, times) =>
      Promise.race([ended, new Promise<void>((resolve) => waiting.add({ what, left: times, resolve }))]),
    kill: () => {
      child.kill('SIGKILL');
      return ended;
    },
  };
}

/**
 * Opens what a dead writer left, and compares. In place, or on a copy: then the next writer finds the log as the kill left
 * it, and recovers from several kills at once.
 */
export async function judge(folder: string, before: Snapshot, journal: Journal, where: 'in-place' | 'copy') {
  const copy = where === 'copy' ? await mkdtemp(join(tmpdir(), 'durability-copy-')) : undefined;
  try {
    if (copy) await cp(folder, copy, { recursive: true });
    await using store = await openStore({ folder: copy ?? folder, history: { ageMs: 86_400_000 } });
    return { faults: await faultsOf(store, before, journal), after: snapshotOf(store) };
  } finally {
    if (copy) await rm(copy, { recursive: true });
  }
}
