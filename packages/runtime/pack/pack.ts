/**
 * A folder that runs the runtime in any image, glibc, musl or empty, mounted read-only or copied by an init container:
 *   sandbank-runtime   the launcher, static: starts the rest, keeps processes over a crash, reaps
 *   bin/node, lib/     Node with its own loader and libraries
 *   runtime.mjs        the bundle
 * The launcher calls the loader with its library path as an argument, so no variable of ours reaches the commands inside.
 */
import { chmodSync, copyFileSync, existsSync, mkdirSync, readdirSync, realpathSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { bundleRuntime } from './bundle.ts';
import { librariesOf } from './libraries.ts';

export interface PackOptions {
  readonly node?: string;
  readonly helper?: string;
}

export class PackError extends Error {
  readonly code = 'pack_failed';
}

export async function packRuntime(folder: string, options: PackOptions = {}): Promise<void> {
  if (existsSync(folder) && readdirSync(folder).length > 0) {
    throw new PackError(`${folder} is not empty: give a new folder, so that nothing old is mixed in`);
  }
  const own = ownFolder();
  const node = options.node ?? (own.packed ? join(own.path, 'bin', 'node') : process.execPath);
  const helper = options.helper ?? (own.packed ? join(own.path, 'sandbank-runtime') : repositoryHelper(own.path));
  mkdirSync(join(folder, 'bin'), { recursive: true });
  mkdirSync(join(folder, 'lib'), { recursive: true });
  install(node, join(folder, 'bin', 'node'));
  install(helper, join(folder, 'sandbank-runtime'));
  if (own.packed) {
    for (const name of readdirSync(join(own.path, 'lib')))
      install(join(own.path, 'lib', name), join(folder, 'lib', name));
    copyFileSync(join(own.path, 'runtime.mjs'), join(folder, 'runtime.mjs'));
    return;
  }
  const { loader, paths } = librariesOf(realpathSync(node));
  if (loader === undefined) throw new PackError(`${node} is static; the launcher expects one with a loader`);
  install(realpathSync(loader), join(folder, 'lib', 'loader'));
  for (const path of paths) install(realpathSync(path), join(folder, 'lib', basename(path)));
  await bundleRuntime(join(folder, 'runtime.mjs'));
}

function install(from: string, to: string): void {
  copyFileSync(from, to);
  chmodSync(to, 0o755);
}

/** The package in the repository, or the pack that this very program was started from. */
function ownFolder(): { path: string; packed: boolean } {
  const here = fileURLToPath(import.meta.url);
  return here.endsWith('runtime.mjs')
    ? { path: dirname(here), packed: true }
    : { path: dirname(dirname(here)), packed: false };
}

function repositoryHelper(packageFolder: string): string {
  const path = join(packageFolder, 'helper', 'bin', `sandbank-helper-linux-${process.arch}`);
  if (!existsSync(path)) throw new PackError(`there is no helper for ${process.arch}: run helper/build.ts`);
  return path;
}
