/** `/metrics`: cpu, memory and disk as the SDKs read them. Inside a container the limits of its cgroup count. e2b 3.5 */
import { readFileSync, statfsSync } from 'node:fs';
import type { ServerResponse } from 'node:http';
import { availableParallelism, cpus } from 'node:os';
import { replyJson } from './reply.ts';

const mebibyte = 1024 * 1024;

interface CpuSample {
  readonly busy: number;
  readonly total: number;
}

let lastCpu: CpuSample | undefined;

export function handleMetrics(response: ServerResponse): void {
  const memory = readMemory();
  const disk = statfsSync('/');
  response.setHeader('cache-control', 'no-store');
  replyJson(response, 200, {
    ts: Math.floor(Date.now() / 1000),
    cpu_count: availableParallelism(),
    cpu_used_pct: cpuPercent(),
    mem_total_mib: Math.floor(memory.total / mebibyte),
    mem_used_mib: Math.floor(memory.used / mebibyte),
    mem_total: memory.total,
    mem_used: memory.used,
    mem_cache: memory.cache,
    disk_used: (disk.blocks - disk.bfree) * disk.bsize,
    disk_total: disk.blocks * disk.bsize,
  });
}

/** Busy share since the last call; since boot for the first. */
function cpuPercent(): number {
  const now = cpus().reduce<CpuSample>(
    (sum, { times }) => {
      const busy = times.user + times.nice + times.sys + times.irq;
      return { busy: sum.busy + busy, total: sum.total + busy + times.idle };
    },
    { busy: 0, total: 0 },
  );
  const before = lastCpu ?? { busy: 0, total: 0 };
  lastCpu = now;
  const total = now.total - before.total;
  if (total <= 0) return 0;
  return Math.round(((now.busy - before.busy) / total) * 10_000) / 100;
}

function readMemory(): { total: number; used: number; cache: number } {
  const info = new Map(
    readFileSync('/proc/meminfo', 'utf8')
      .split('\n')
      .map((line) => {
        const [name = '', value = '0'] = line.split(/:\s+/);
        return [name, Number.parseInt(value, 10) * 1024] as const;
      }),
  );
  const total = info.get('MemTotal') ?? 0;
  const cache = (info.get('Cached') ?? 0) + (info.get('SReclaimable') ?? 0);
  const limit = readNumber('/sys/fs/cgroup/memory.max') ?? readNumber('/sys/fs/cgroup/memory/memory.limit_in_bytes');
  if (limit !== undefined && limit < total) {
    const current =
      readNumber('/sys/fs/cgroup/memory.current') ?? readNumber('/sys/fs/cgroup/memory/memory.usage_in_bytes') ?? 0;
    const file = cgroupCache();
    return { total: limit, used: Math.max(0, current - file), cache: file };
  }
  return { total, used: total - (info.get('MemAvailable') ?? 0), cache };
}

function cgroupCache(): number {
  for (const path of ['/sys/fs/cgroup/memory.stat', '/sys/fs/cgroup/memory/memory.stat']) {
    const match = /^(?:inactive_file|total_inactive_file) (\d+)$/m.exec(readText(path) ?? '');
    if (match?.[1] !== undefined) return Number.parseInt(match[1], 10);
  }
  return 0;
}

function readNumber(path: string): number | undefined {
  const text = readText(path);
  return text !== undefined && /^\d+\s*$/.test(text) ? Number.parseInt(text, 10) : undefined;
}

function readText(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return undefined;
  }
}
