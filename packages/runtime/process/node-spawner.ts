/**
 * Processes by Node alone, where the helper can't run. No terminal, no supplementary groups, no whole trees; pipes are sockets.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { constants } from 'node:os';
import type { Readable } from 'node:stream';
import { RuntimeError } from '../server/errors.ts';
import type { Child, ChildEvents, Exit, Spawner, SpawnRequest } from './spawner.ts';

export const nodeSpawner: Spawner = {
  spawn: async (request, events) => {
    if (request.pty !== undefined) {
      throw new RuntimeError(
        'unimplemented',
        'terminals need the helper, which is not running here; see docs/runtime.md',
      );
    }
    const child = await started(request);
    return wrap(child, events);
  },
};

async function started(request: SpawnRequest): Promise<ChildProcess> {
  // A shell in between gives a command that can't be run a pid, a line on stderr and 126 or 127, as recorded.
  const child = spawn('/bin/sh', ['-c', 'exec "$0" "$@"', request.command, ...request.args], {
    cwd: request.cwd,
    env: { ...request.env },
    stdio: [request.stdin ? 'pipe' : 'ignore', 'pipe', 'pipe'],
    ...(process.getuid?.() === 0 ? { uid: request.user.uid, gid: request.user.gid } : {}),
  });
  await new Promise<void>((resolve, reject) => {
    child.once('spawn', resolve);
    child.once('error', (cause) =>
      reject(
        new RuntimeError('invalid_argument', `error starting process '${request.command}': ${cause.message}`, {
          cause,
        }),
      ),
    );
  });
  return child;
}

function wrap(child: ChildProcess, events: ChildEvents): Child {
  let open = 0;
  const outputs: Readable[] = [];
  const add = (kind: 'stdout' | 'stderr', stream: Readable | null): void => {
    if (stream === null) return;
    open += 1;
    outputs.push(stream);
    stream.pause();
    stream.on('data', (bytes: Buffer) => events.output(kind, bytes));
    stream.on('error', () => stream.destroy());
    stream.pause();
    stream.once('close', () => {
      open -= 1;
      if (open === 0) events.outputEnd();
    });
  };
  add('stdout', child.stdout);
  add('stderr', child.stderr);
  child.stdin?.on('error', () => child.stdin?.destroy());
  child.once('exit', (code, signal) => events.exit(exitOf(code, signal)));
  return {
    pid: child.pid ?? 0,
    resume: () => {
      for (const stream of outputs) stream.resume();
    },
    pause: () => {
      for (const stream of outputs) stream.pause();
    },
    drainAndClose: () => {
      for (const stream of outputs) {
        stream.resume();
        setImmediate(() => setImmediate(() => stream.destroy()));
      }
    },
    write: (bytes) =>
      new Promise((resolve, reject) => {
        if (child.stdin === null || child.stdin.destroyed) reject(new Error('stdin not enabled or closed'));
        else child.stdin.write(bytes, (error) => (error ? reject(error) : resolve()));
      }),
    closeStdin: () => child.stdin?.end(),
    resize: () => {},
    signal: (signal) => child.kill(signal as unknown as NodeJS.Signals),
    killTree: async () => {
      throw new RuntimeError('unimplemented', 'killing a whole tree needs the helper; see docs/runtime.md');
    },
  };
}

function exitOf(code: number | null, signal: NodeJS.Signals | null): Exit {
  return signal === null ? { code: code ?? 0 } : { signal: constants.signals[signal] };
}
