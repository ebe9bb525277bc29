/**
 * `npm run control-plane`: makes the binaries of a real Kubernetes control plane, once, in a cache folder.
 *
 *   (nothing)   build and fetch what is missing
 *   --print     print the folder; exit 1 when something is missing
 *   --apt       install the Debian packages that a real node needs (root)
 *   --serve     then start a control plane in the foreground: see serve.ts
 */
import { mkdirSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { BINARY_NAMES, binaries, fromAssets } from './binaries.ts';
import { installDebianPackages } from './build/apt.ts';
import { binaryFolder, goVersion } from './build/cache.ts';
import { fetchClients } from './build/clients.ts';
import { compile } from './build/compile.ts';
import { withLock } from './build/lock.ts';
import { CLIENTS, CLIENTS_FIT, RECIPES } from './build/recipes.ts';
import { ControlPlaneError, hasCode } from './errors.ts';

const say = (line: string): void => void process.stderr.write(`${line}\n`);

/** Builds what is missing and returns what could not be made, each with its reason. */
async function buildAll(): Promise<string[]> {
  const folder = binaryFolder();
  mkdirSync(folder, { recursive: true });
  const waiting = (pid: number): void => say(`Another build (process ${pid}) is at work; waiting for it.`);
  return withLock(
    `${folder}.lock`,
    () => buildUnlocked(folder),
    (holder) => waiting(holder.pid),
  );
}

async function buildUnlocked(folder: string): Promise<string[]> {
  const problems: string[] = [];
  // We hold the lock: whatever lies aside is from a build that was killed.
  for (const entry of readdirSync(folder)) {
    if (entry.startsWith('.tmp-')) rmSync(join(folder, entry), { recursive: true, force: true });
  }
  const have = binaries();
  const attempt = async (name: string, work: () => Promise<void>): Promise<void> => {
    const start = performance.now();
    try {
      await work();
      say(`${name.padEnd(24)} ${((performance.now() - start) / 1000).toFixed(1).padStart(7)} s`);
    } catch (error) {
      problems.push(error instanceof Error ? error.message : String(error));
      say(`${name.padEnd(24)}  failed`);
    }
  };

  if (CLIENTS.names.some((name) => have[name] === undefined)) {
    if (CLIENTS_FIT) await attempt(CLIENTS.names.join(', '), () => fetchClients(folder));
    else problems.push('kubectl and helm are fetched for Linux x64 only: put kubectl 1.36 and helm 4 on the PATH.');
  }
  const todo = RECIPES.filter(({ name }) => have[name] === undefined);
  for (const { name } of RECIPES) if (fromAssets(name) !== undefined) say(`${name.padEnd(24)} from KUBEBUILDER_ASSETS`);
  if (todo.length === 0) return problems;
  if (goVersion() === undefined) {
    const names = todo.map(({ name }) => name).join(', ');
    problems.push(
      `There is no 'go' on the PATH, which builds ${names}. Install Go 1.26 or later and run this again, ` +
        'or point KUBEBUILDER_ASSETS at a folder with binaries of Kubernetes 1.36 and etcd 3.6.',
    );
    return problems;
  }
  for (const recipe of todo) await attempt(recipe.name, () => compile(recipe, folder));
  return problems;
}

async function main(): Promise<number> {
  // With --serve, the flags of serve.ts follow, and it refuses those that it does not know.
  const strict = !process.argv.includes('--serve');
  const { values } = parseArgs({ strict, options: { print: { type: 'boolean' }, apt: { type: 'boolean' } } });
  if (values.apt) installDebianPackages();
  if (values.print) {
    process.stdout.write(`${binaryFolder()}\n`);
    const have = binaries();
    return BINARY_NAMES.every((name) => have[name] !== undefined) ? 0 : 1;
  }
  const problems = await buildAll();
  for (const problem of problems) say(`\n${problem}`);
  if (problems.length > 0) return 1;
  say(`The control plane's binaries are in ${binaryFolder()}`);
  return 0;
}

process.exitCode = await main().catch((error: unknown) => {
  const usage = hasCode(error, 'ERR_PARSE_ARGS_UNKNOWN_OPTION', 'ERR_PARSE_ARGS_UNEXPECTED_POSITIONAL');
  if (!(error instanceof ControlPlaneError) && !usage) throw error;
  say(error instanceof Error ? error.message : String(error));
  return 1;
});
// After building: what it serves would otherwise be looked for before it is there. Its flags are read by itself.
if (process.exitCode === 0 && process.argv.includes('--serve')) await import('./serve.ts');
