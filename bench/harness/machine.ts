import { execFileSync } from 'node:child_process';
import os from 'node:os';

/** Where a figure was seen. Without it a figure is a rumour. */
export interface Machine {
  readonly cpu: string;
  readonly cores: number;
  readonly memoryGiB: number;
  readonly platform: string;
  readonly kernel: string;
  readonly node: string;
  readonly loadBefore: readonly number[];
  readonly commit: string;
}

export function machine(): Machine {
  return {
    cpu: os.cpus()[0]?.model ?? 'unknown',
    cores: os.availableParallelism(),
    memoryGiB: Math.round(os.totalmem() / 2 ** 30),
    platform: `${os.platform()}-${os.arch()}`,
    kernel: os.release(),
    node: process.version,
    loadBefore: os.loadavg().map((value) => Math.round(value * 100) / 100),
    commit: commit(),
  };
}

function commit(): string {
  try {
    const git = (...args: string[]) => execFileSync('git', args, { encoding: 'utf8', stdio: 'pipe' }).trim();
    return `${git('rev-parse', '--short', 'HEAD')}${git('status', '--porcelain') === '' ? '' : ' with changes'}`;
  } catch {
    return 'not a git checkout';
  }
}
