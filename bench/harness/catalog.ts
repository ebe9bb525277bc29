import { access, readdir } from 'node:fs/promises';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { BenchError, type Benchmark } from './definition.ts';

const NOT_BENCHMARKS = new Set(['run', 'harness', 'results']);

/** NAME is bench/NAME.ts or bench/NAME/index.ts. */
export async function listBenchmarks(folder: string): Promise<Map<string, string>> {
  const found = new Map<string, string>();
  for (const entry of await readdir(folder, { withFileTypes: true })) {
    const name = entry.isDirectory() ? entry.name : entry.name.replace(/\.ts$/, '');
    if (NOT_BENCHMARKS.has(name) || name.includes('.')) continue;
    const file = path.join(folder, entry.isDirectory() ? `${name}/index.ts` : entry.name);
    if (!file.endsWith('.ts')) continue;
    if (
      await access(file).then(
        () => true,
        () => false,
      )
    )
      found.set(name, file);
  }
  return new Map([...found].sort(([a], [b]) => a.localeCompare(b)));
}

export async function loadBenchmark(folder: string, name: string): Promise<Benchmark> {
  const all = await listBenchmarks(folder);
  const file = all.get(name);
  if (file === undefined)
    throw new BenchError(
      'unknown-benchmark',
      `No benchmark "${name}". There are: ${[...all.keys()].join(', ') || 'none'}.`,
    );
  const module: { benchmark?: Benchmark } = await import(pathToFileURL(file).href);
  if (module.benchmark === undefined)
    throw new BenchError('definition', `${file} exports no \`benchmark\`; see bench/harness/definition.ts.`);
  return module.benchmark;
}
