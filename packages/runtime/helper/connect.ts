/** Finds the helper and connects to it: the launcher's socket if there is one, else a helper of our own. */
import { spawn } from 'node:child_process';
import { accessSync, constants, existsSync } from 'node:fs';
import { Socket } from 'node:net';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Config } from '../server/config.ts';
import type { Log } from '../server/log.ts';
import { HelperClient } from './client.ts';

export interface Connected {
  readonly client: HelperClient;
  /** Started by the launcher, which may have kept processes of a former runtime. */
  readonly supervised: boolean;
}

export async function connectHelper(setting: Config['helper'], log: Log): Promise<Connected | undefined> {
  if (setting === 'none') return undefined;
  const inherited = fromLauncher();
  if (inherited !== undefined) return { client: inherited, supervised: true };
  const path = setting === 'auto' ? findHelper() : setting.path;
  if (path === undefined) {
    log.warn('no helper for this platform: terminals, groups, watches, metadata and process trees are off');
    return undefined;
  }
  try {
    return { client: await startHelper(path), supervised: false };
  } catch (error) {
    log.warn('the helper does not start: terminals, groups, watches, metadata and process trees are off', {
      path,
      error,
    });
    return undefined;
  }
}

function fromLauncher(): HelperClient | undefined {
  const { SANDBANK_HELPER_FD: fd, SANDBANK_HELPER_PID: pid } = process.env;
  delete process.env['SANDBANK_HELPER_FD'];
  delete process.env['SANDBANK_HELPER_PID'];
  if (fd === undefined || pid === undefined) return undefined;
  return new HelperClient(Number(pid), new Socket({ fd: Number(fd), readable: true, writable: true }));
}

/** Beside this file in the repository, beside the bundle in a pack. */
function findHelper(): string | undefined {
  const here = dirname(fileURLToPath(import.meta.url));
  const name = `sandbank-helper-linux-${process.arch}`;
  return [join(here, 'bin', name), join(here, name), join(here, 'sandbank-runtime')].find(
    (path) => process.platform === 'linux' && existsSync(path),
  );
}

async function startHelper(path: string): Promise<HelperClient> {
  accessSync(path, constants.X_OK);
  const child = spawn(path, ['serve', '3'], { stdio: ['ignore', 'ignore', 'inherit', 'pipe'], env: {} });
  await new Promise<void>((resolve, reject) => {
    child.once('spawn', resolve);
    child.once('error', reject);
  });
  child.unref();
  const socket = child.stdio[3] as Socket;
  return new HelperClient(child.pid ?? 0, socket);
}
