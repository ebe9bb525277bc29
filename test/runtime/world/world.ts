/**
 * A world is a throw-away sandbox for tests: a copy-on-write view of this machine in its own mount, pid and ipc
 * namespaces, with the users `user`, `other` and `homeless`, empty homes, and the runtime as its first process. What a
 * test does in it, it does to nothing else. Needs root and overlayfs; `missingForWorlds` says what is not there.
 */
import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { closeSync, existsSync, openSync } from 'node:fs';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { connect, createServer, type Server } from 'node:net';
import os from 'node:os';
import path from 'node:path';
import { runtimeCommand } from './command.ts';

export const REPOSITORY = path.resolve(import.meta.dirname, '../../..');

const SOCKET = '/run/sandbank-runtime.sock';

/** Node cannot set extended attributes; perl can, by the number of the call. */
const SETXATTR: Partial<Record<NodeJS.Architecture, number>> = { x64: 188, arm64: 5 };

export interface WorldOptions {
  /** More arguments for the runtime. */
  readonly args?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  /** Debug mode of the SDKs sends no token; false tests what a sandbox without this flag does. */
  readonly insecure?: boolean;
  /** `own`: a network namespace of its own, reached through a unix socket; `url` is then that of a forwarder here. */
  readonly network?: 'own';
}

export interface Output {
  readonly code: number | null;
  /** stdout and stderr together, without the last line feed. */
  readonly text: string;
}

export interface World {
  readonly url: string;
  readonly port: number;
  /** The runtime as the machine sees it (inside it is pid 1). */
  readonly pid: number;
  /** A path of the world as the machine sees it. */
  path(inside: string): string;
  /** Runs a shell command as root beside the runtime. */
  run(command: string): Promise<Output>;
  /** What the runtime printed so far. */
  log(): Promise<string>;
  close(): Promise<void>;
}

export function missingForWorlds(): string | undefined {
  if (process.platform !== 'linux') return 'worlds need Linux';
  if (process.getuid?.() !== 0) return 'worlds need root, for namespaces and overlayfs';
  if (SETXATTR[process.arch] === undefined) return `worlds do not know the system calls of ${process.arch}`;
  for (const program of ['setpriv', 'unshare', 'nsenter', 'perl'])
    if (!onPath(program)) return `worlds need the program ${program}`;
  return undefined;
}

function onPath(program: string): boolean {
  return (process.env['PATH'] ?? '').split(':').some((folder) => existsSync(path.join(folder, program)));
}

export async function openWorld(options: WorldOptions = {}): Promise<World> {
  const missing = missingForWorlds();
  if (missing !== undefined) throw new Error(`No world can be made here: ${missing}.`);
  const port = await freePort();
  const scratch = await mkdtemp(path.join(os.tmpdir(), 'sandbank-world-'));
  const logFile = `${scratch}.log`;
  const log = openSync(logFile, 'w');
  const ownNetwork = options.network === 'own';
  const where = ownNetwork ? { socket: SOCKET } : { port };
  const command = runtimeCommand({ ...where, insecure: options.insecure ?? true, args: options.args ?? [] });
  const child = spawn(
    'setpriv',
    [
      // Ends with this process, however that ends: a test run that is killed leaves no world behind.
      ...['--pdeathsig', 'KILL', 'unshare'],
      ...['--mount', '--pid', '--ipc', '--uts', '--fork', '--kill-child', ...(ownNetwork ? ['--net'] : [])],
      ...['sh', path.join(import.meta.dirname, 'enter.sh'), scratch, REPOSITORY, String(SETXATTR[process.arch])],
      ...command,
    ],
    {
      stdio: ['ignore', log, log],
      cwd: '/',
      env: { PATH: '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin', HOME: '/root', ...options.env },
    },
  );
  closeSync(log);

  const forwarder = ownNetwork ? await forward(port, () => firstChild(child.pid ?? 0)) : undefined;
  const close = async () => {
    forwarder?.close();
    await kill(child);
    await rm(scratch, { recursive: true, force: true });
    await rm(logFile, { force: true });
  };
  try {
    const url = `http://127.0.0.1:${port}`;
    await healthy(url, child, logFile);
    const pid = await firstChild(child.pid ?? 0);
    const inside = (file: string) => `/proc/${pid}/root${file}`;
    const run = (line: string) => enter(pid, line, ownNetwork);
    return { url, port, pid, close, path: inside, run, log: () => readFile(logFile, 'utf8') };
  } catch (error) {
    await close();
    throw error;
  }
}

/** A port that nobody listens on now. Another process may take it first; then the runtime says so and the test fails. */
export function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once('error', reject);
    server.listen(0, '127.0.0.1', () => {
      const address = server.address();
      server.close(() => (address !== null && typeof address === 'object' ? resolve(address.port) : reject(address)));
    });
  });
}

async function healthy(url: string, child: ChildProcess, logFile: string): Promise<void> {
  const deadline = Date.now() + 20_000;
  while (Date.now() < deadline) {
    if (child.exitCode !== null) break;
    const ok = await fetch(`${url}/health`).then(
      (answer) => answer.ok,
      () => false,
    );
    if (ok) return;
    await new Promise((resolve) => setTimeout(resolve, 15));
  }
  throw new Error(`The runtime did not become healthy at ${url}. It said:\n${await readFile(logFile, 'utf8')}`);
}

async function firstChild(pid: number): Promise<number> {
  const children = (await readFile(`/proc/${pid}/task/${pid}/children`, 'utf8')).trim().split(' ');
  const first = Number(children[0]);
  if (!(first > 0)) throw new Error(`Process ${pid} has no child: the world has ended.`);
  return first;
}

/** A unix socket can be reached across network namespaces, through /proc. */
function forward(port: number, pid: () => Promise<number>): Promise<Server> {
  const server = createServer({ allowHalfOpen: true }, (near) => {
    near.on('error', () => near.destroy());
    pid().then(
      (target) => {
        const far = connect({ path: `/proc/${target}/root${SOCKET}`, allowHalfOpen: true });
        far.on('error', () => near.destroy());
        near.on('close', () => far.destroy());
        far.on('close', () => near.destroy());
        near.pipe(far).pipe(near);
      },
      () => near.destroy(),
    );
  });
  return new Promise((resolve) => server.listen(port, '127.0.0.1', () => resolve(server)));
}

function enter(pid: number, line: string, ownNetwork: boolean): Promise<Output> {
  const kinds = ['--mount', '--pid', '--ipc', '--uts', ...(ownNetwork ? ['--net'] : [])];
  const namespaces = ['--target', String(pid), ...kinds, '--root', '--wdns=/'];
  return new Promise((resolve) => {
    execFile(
      'nsenter',
      [...namespaces, 'bash', '-c', line],
      { maxBuffer: 64 << 20, encoding: 'utf8', env: { PATH: process.env['PATH'], HOME: '/root', LC_ALL: 'C' } },
      (error, stdout, stderr) => {
        const code = error === null ? 0 : typeof error.code === 'number' ? error.code : null;
        resolve({ code, text: `${stdout}${stderr}`.replace(/\n$/, '') });
      },
    );
  });
}

/** unshare --kill-child takes the first process with it, and the kernel then ends all others of the pid namespace. */
async function kill(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = new Promise((resolve) => child.once('exit', resolve));
  child.kill('SIGKILL');
  await ended;
}
