import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';

/** A process that cannot be confused with a later one that got the same number. */
export type ProcessIdentity = { readonly pid: number; readonly startedAt: string };

/** The identity of a running process, or undefined when there is none (a zombie counts as none). */
export function identify(pid: number): ProcessIdentity | undefined {
  const startedAt = process.platform === 'linux' ? startTimeFromProc(pid) : startTimeFromPs(pid);
  return startedAt === undefined ? undefined : { pid, startedAt };
}

export function isAlive(known: ProcessIdentity): boolean {
  return identify(known.pid)?.startedAt === known.startedAt;
}

/** Signals exactly this process: a stranger that inherited its number is left alone. */
export function signal(known: ProcessIdentity, name: NodeJS.Signals): void {
  if (!isAlive(known)) return;
  try {
    process.kill(known.pid, name);
  } catch {
    // It ended between the look and the signal, which is what was wanted.
  }
}

/** Whether SIGSTOP has taken effect on all threads: until then a busy server still answers. */
export function isStopped(pid: number): boolean {
  if (process.platform !== 'linux') return psStatus(pid).startsWith('T');
  try {
    return readdirSync(`/proc/${pid}/task`).every((task) => statFields(`/proc/${pid}/task/${task}/stat`)[0] === 'T');
  } catch {
    return false;
  }
}

function startTimeFromProc(pid: number): string | undefined {
  try {
    const fields = statFields(`/proc/${pid}/stat`);
    return fields[0] === 'Z' || fields[0] === 'X' ? undefined : fields[19];
  } catch {
    return undefined;
  }
}

/** From the state on. The name before it may hold spaces and parentheses, so it ends at the last one. */
function statFields(path: string): string[] {
  const stat = readFileSync(path, 'latin1');
  return stat.slice(stat.lastIndexOf(')') + 2).split(' ');
}

function startTimeFromPs(pid: number): string | undefined {
  const line = psStatus(pid);
  return line === '' || line.startsWith('Z') ? undefined : line.slice(line.indexOf(' ')).trim();
}

function psStatus(pid: number): string {
  try {
    return execFileSync('ps', ['-o', 'stat=,lstart=', '-p', String(pid)], { encoding: 'utf8' }).trim();
  } catch {
    return '';
  }
}
