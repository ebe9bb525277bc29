import { readdir, readFile } from 'node:fs/promises';

export interface Memory {
  readonly rssMiB: number;
  /** Shared pages divided by their sharers: the only figure that may be summed over processes. */
  readonly pssMiB: number;
}

/** Memory of a process as the kernel counts it (Linux). */
export async function memory(pid: number): Promise<Memory> {
  const text = await readFile(`/proc/${pid}/smaps_rollup`, 'utf8');
  return { rssMiB: kib(text, 'Rss') / 1024, pssMiB: kib(text, 'Pss') / 1024 };
}

/** The sum over processes. RSS counts shared pages once per process, so only PSS is a true total. */
export async function memoryOf(pids: readonly number[]): Promise<Memory> {
  const all = await Promise.all(pids.map(memory));
  return {
    rssMiB: all.reduce((sum, one) => sum + one.rssMiB, 0),
    pssMiB: all.reduce((sum, one) => sum + one.pssMiB, 0),
  };
}

/** A process and all its descendants, parents first. */
export async function treeOf(pid: number): Promise<number[]> {
  const tasks = await readdir(`/proc/${pid}/task`).catch(() => []);
  const lists = await Promise.all(
    tasks.map((task) => readFile(`/proc/${pid}/task/${task}/children`, 'utf8').catch(() => '')),
  );
  const children = lists.flatMap((list) => list.split(' ').filter(Boolean).map(Number));
  return [pid, ...(await Promise.all(children.map(treeOf))).flat()];
}

function kib(text: string, field: string): number {
  const found = new RegExp(`^${field}:\\s+(\\d+) kB`, 'm').exec(text)?.[1];
  if (found === undefined) throw new Error(`No ${field} in smaps_rollup: the kernel gave "${text.slice(0, 80)}".`);
  return Number(found);
}
