import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { CLIENTS, GO_FOLDER, MODULES, RECIPES } from './recipes.ts';

type Environment = Readonly<Record<string, string | undefined>>;

/** Where every project of this kind keeps what it can make again. */
export function cacheRoot(env: Environment = process.env): string {
  return join(env['SANDBANK_CACHE'] || env['XDG_CACHE_HOME'] || join(homedir(), '.cache'), 'sandbank');
}

/** The version of the Go compiler, or undefined when there is none on the PATH. */
export function goVersion(): string | undefined {
  try {
    return execFileSync('go', ['env', 'GOVERSION'], {
      cwd: GO_FOLDER,
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
    }).trim();
  } catch {
    return undefined;
  }
}

/** Everything that decides what the binaries are, by name. A change of any of it is a new folder. */
export function buildInputs(go: string | undefined = goVersion()): Readonly<Record<string, string>> {
  const files = MODULES.flatMap((module) => ['go.mod', 'go.sum', 'main.go'].map((name) => join(module, name)))
    .filter((path) => existsSync(join(GO_FOLDER, path)))
    .map((path) => [path, readFileSync(join(GO_FOLDER, path), 'utf8')] as const);
  return {
    ...Object.fromEntries(files),
    go: go ?? 'none',
    platform: `${process.platform}-${process.arch}`,
    recipes: JSON.stringify(RECIPES),
    clients: JSON.stringify(CLIENTS),
  };
}

export function hashOf(inputs: Readonly<Record<string, string>>): string {
  const hash = createHash('sha256');
  for (const name of Object.keys(inputs).sort()) {
    const value = inputs[name] ?? '';
    // Lengths first, so that no two sets of inputs can spell the same bytes.
    hash.update(`${name.length}:${name}${value.length}:${value}`);
  }
  return hash.digest('hex').slice(0, 16);
}

/** The folder that holds the binaries of this checkout, built or not. */
export function binaryFolder(env: Environment = process.env): string {
  return join(cacheRoot(env), hashOf(buildInputs()));
}
