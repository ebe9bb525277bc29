import { execFileSync } from 'node:child_process';
import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';
import { binaryFolder, goVersion } from './build/cache.ts';
import { type BinaryName, CLIENTS, CLIENTS_FIT, FITTING, RECIPES } from './build/recipes.ts';
import { ControlPlaneError } from './errors.ts';

export const BINARY_NAMES: readonly BinaryName[] = [...RECIPES.map((recipe) => recipe.name), ...CLIENTS.names];

/** What the control plane that suites share is made of. */
export const SHARED_BINARIES: readonly BinaryName[] = ['etcd', 'kube-apiserver', 'kube-controller-manager', 'kubectl'];

/** Why something cannot run here, and what to do about it. */
export type Lack = { readonly reason: string; readonly remedy: string };

const known = new Map<BinaryName, string>();

/** The binaries that are there, each by its path. Nothing is built here, and one that is missing hides no other. */
export function binaries(): Readonly<Partial<Record<BinaryName, string>>> {
  const found: Partial<Record<BinaryName, string>> = {};
  const folder = binaryFolder();
  for (const name of BINARY_NAMES) {
    const path = known.get(name) ?? fromAssets(name) ?? fromFolder(folder, name) ?? fromPath(name);
    if (path === undefined) continue;
    known.set(name, path);
    found[name] = path;
  }
  return found;
}

/** The path of one binary, or an error that says how to get it. */
export function need(name: BinaryName): string {
  const path = known.get(name) ?? binaries()[name];
  if (path !== undefined) return path;
  const { reason, remedy } = explain([name]);
  throw new ControlPlaneError('BINARY_MISSING', `${reason}. To get it: ${remedy}.`);
}

/** What stands in the way of a control plane with these binaries and what helps, or undefined when nothing does. */
export function missing(names: readonly BinaryName[]): Lack | undefined {
  const have = binaries();
  const absent = names.filter((name) => have[name] === undefined);
  return absent.length === 0 ? undefined : explain(absent);
}

function explain(absent: readonly BinaryName[]): Lack {
  const reason = `${absent.join(', ')} not found in ${binaryFolder()}`;
  const build = "run 'npm run control-plane', which builds it once (ten minutes or so)";
  if (absent.every(isClient)) {
    const fetch = "run 'npm run control-plane', which fetches it";
    return { reason, remedy: CLIENTS_FIT ? fetch : `put ${absent.join(' and ')} on the PATH` };
  }
  return { reason, remedy: goVersion() === undefined ? `install Go 1.26 or later, then ${build}` : build };
}

/** A binary of KUBEBUILDER_ASSETS serves when its minor version is the one that we would build. */
export function fromAssets(name: BinaryName, assets = process.env['KUBEBUILDER_ASSETS']): string | undefined {
  if (assets === undefined || assets === '' || name === 'helm') return undefined;
  const path = fromFolder(assets, name);
  return path !== undefined && fits(path, name) ? path : undefined;
}

function fits(path: string, name: keyof typeof FITTING): boolean {
  const { args, pattern } = FITTING[name];
  try {
    return pattern.test(execFileSync(path, [...args], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }));
  } catch {
    return false;
  }
}

/** Clients only, and only where none can be fetched: an unknown version would make tests prove something else. */
function fromPath(name: BinaryName): string | undefined {
  if (!isClient(name) || CLIENTS_FIT) return undefined;
  for (const folder of (process.env['PATH'] ?? '').split(delimiter)) {
    const path = folder === '' ? undefined : fromFolder(folder, name);
    if (path !== undefined) return path;
  }
  return undefined;
}

function fromFolder(folder: string, name: BinaryName): string | undefined {
  const path = join(folder, name);
  try {
    accessSync(path, constants.X_OK);
    return path;
  } catch {
    return undefined;
  }
}

function isClient(name: BinaryName): boolean {
  return CLIENTS.names.some((client) => client === name);
}
