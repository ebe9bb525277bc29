import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { cp, mkdtemp, rm } from 'node:fs/promises';
import http from 'node:http';
import { createServer } from 'node:net';
import os from 'node:os';
import path from 'node:path';
import { build } from 'esbuild';
import { treeOf } from '../harness/memory.ts';

const RUNTIME = path.resolve(import.meta.dirname, '../../packages/runtime/main.ts');
const BARE = path.join(import.meta.dirname, 'bare-server.mjs');

/** What commands see on both sides. */
export const ENVIRONMENT = {
  PATH: '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin',
  HOME: '/root',
  USER: 'root',
  LOGNAME: 'root',
  E2B_SANDBOX: 'true',
};

export interface Server {
  readonly port: number;
  readonly socketPort: number;
  /** The process that was started and all below it: a launcher, the runtime, its helper. */
  pids(): Promise<number[]>;
  /** From spawn to the first good answer of /health. */
  readonly startMs: number;
  stop(): Promise<void>;
}

export interface Builds {
  /** The folder that `sandbank-runtime pack` makes, or undefined with the reason why there is none. */
  readonly pack: string | undefined;
  readonly bundle: string;
  readonly note: string;
  copy(): Promise<string>;
  clean(): Promise<void>;
}

/** Builds what is measured: users run the pack, and where it cannot be made the bundle by this Node. */
export async function buildRuntime(): Promise<Builds> {
  const folder = await mkdtemp(path.join(os.tmpdir(), 'sandbank-bench-'));
  const bundle = path.join(folder, 'runtime.mjs');
  await build({
    entryPoints: [RUNTIME],
    outfile: bundle,
    bundle: true,
    platform: 'node',
    format: 'esm',
    minify: true,
    logLevel: 'error',
    banner: { js: "import{createRequire as r_}from'node:module';const require=r_(import.meta.url);" },
  });
  const pack = path.join(folder, 'pack');
  let note = 'started from its pack';
  let packed: string | undefined = pack;
  try {
    execFileSync(process.execPath, [RUNTIME, 'pack', pack], { stdio: 'pipe' });
  } catch (error) {
    packed = undefined;
    note = `started from a bundle, because the pack could not be made: ${String(error).split('\n')[0]}`;
  }
  let copies = 0;
  return {
    pack: packed,
    bundle,
    note,
    copy: async () => {
      const target = path.join(folder, `copy-${copies++}`);
      await cp(packed ?? bundle, target, { recursive: true, verbatimSymlinks: true });
      return target;
    },
    clean: () => rm(folder, { recursive: true, force: true }),
  };
}

/** argv that starts the runtime from a pack or bundle at `where`. */
export function runtimeArgv(builds: Builds, where: string): string[] {
  return builds.pack === undefined ? [process.execPath, where] : [path.join(where, 'sandbank-runtime')];
}

export async function startRuntime(builds: Builds, where = builds.pack ?? builds.bundle): Promise<Server> {
  const [port, socketPort] = [await freePort(), 0];
  const argv = [...runtimeArgv(builds, where), '--address', '127.0.0.1', '--port', String(port)];
  return launch([...argv, '--insecure-no-token', '--log-level', 'error'], port, socketPort);
}

export async function startBare(withSocket: boolean): Promise<Server> {
  const [port, socketPort] = [await freePort(), withSocket ? await freePort() : 0];
  return launch([process.execPath, BARE, String(port), ...(withSocket ? [String(socketPort)] : [])], port, socketPort);
}

async function launch(argv: readonly string[], port: number, socketPort: number): Promise<Server> {
  const [command = '', ...args] = argv;
  const started = performance.now();
  // A group of its own: the launcher of a pack has children, and they end together.
  const child = spawn(command, args, {
    env: ENVIRONMENT,
    stdio: ['ignore', 'ignore', 'inherit'],
    cwd: '/',
    detached: true,
  });
  let failed: unknown;
  child.once('error', (error) => {
    failed = error;
  });
  while (!(await health(port))) {
    if (failed !== undefined || child.exitCode !== null || performance.now() - started > 20_000) {
      await stop(child);
      throw new Error(`${argv.join(' ')} did not answer /health: exit ${child.exitCode}, ${String(failed)}`);
    }
  }
  const startMs = performance.now() - started;
  return { port, socketPort, pids: () => treeOf(child.pid ?? 0), startMs, stop: () => stop(child) };
}

function health(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const request = http.get({ host: '127.0.0.1', port, path: '/health', agent: false }, (response) => {
      response.resume();
      resolve(response.statusCode === 204);
    });
    request.once('error', () => setTimeout(() => resolve(false), 1));
  });
}

async function stop(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const pids = await treeOf(child.pid ?? 0);
  const ended = new Promise((resolve) => child.once('exit', resolve));
  for (const pid of pids) endProcess(pid);
  await ended;
}

function endProcess(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // It has ended by itself meanwhile.
  }
}

export function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer().listen(0, '127.0.0.1', () => {
      const address = server.address();
      server.close(() => (address !== null && typeof address === 'object' ? resolve(address.port) : reject(address)));
    });
  });
}
