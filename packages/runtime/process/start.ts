/** From a StartRequest to a running process. e2b 3.3 */
import { statSync } from 'node:fs';
import type { User } from '../auth/users.ts';
import { resolvePath } from '../filesystem/paths.ts';
import type { StartRequest } from '../generated/process_pb.js';
import { describeErrno, errno, RuntimeError } from '../server/errors.ts';
import { type SandboxState, sandboxEnv } from '../server/state.ts';
import { processEnv } from './environment.ts';
import { eventsOf, labelOf } from './label.ts';
import { ManagedProcess } from './process.ts';
import type { ProcessRegistry } from './registry.ts';
import type { Spawner } from './spawner.ts';

export interface StartDependencies {
  readonly registry: ProcessRegistry;
  readonly spawner: () => Promise<Spawner>;
  readonly state: SandboxState;
  /** Called for each start with its user; reset needs to know whether one was root. */
  readonly started: (user: User) => void;
}

/** The child is paused: call `child.resume()` once its first reader is attached. */
export async function startProcess(
  dependencies: StartDependencies,
  request: StartRequest,
  user: User,
): Promise<ManagedProcess> {
  const { cmd = '', args = [], envs = {}, cwd } = request.process ?? {};
  const folder = workingDirectory(cwd ?? '', user, dependencies.state.defaultWorkdir);
  refuseNul([cmd, ...args, ...Object.keys(envs), ...Object.values(envs)]);
  const pty = request.pty === undefined ? undefined : (request.pty.size ?? { cols: 0, rows: 0 });
  const stdin = request.stdin ?? true;
  const process = new ManagedProcess({ cmd, args, envs, cwd }, request.tag, pty !== undefined, stdin);
  const spawner = await dependencies.spawner();
  dependencies.started(user);
  const child = await spawner.spawn(
    {
      command: cmd,
      args,
      env: processEnv(user, sandboxEnv(dependencies.state), envs),
      cwd: folder,
      user,
      stdin,
      pty,
      label: labelOf(process, stdin),
    },
    eventsOf(process),
  );
  process.attach(child);
  dependencies.registry.add(process);
  return process;
}

function workingDirectory(cwd: string, user: User, workdir: string | undefined): string {
  const folder = resolvePath(cwd, user, workdir);
  try {
    statSync(folder);
  } catch (cause) {
    if (errno(cause) === 'ENOENT') throw new RuntimeError('invalid_argument', `cwd '${folder}' does not exist`);
    throw new RuntimeError('invalid_argument', describeErrno(`error checking cwd '${folder}': stat`, cause), { cause });
  }
  return folder;
}

function refuseNul(texts: readonly string[]): void {
  if (texts.some((text) => text.includes('\0'))) {
    throw new RuntimeError('invalid_argument', 'command, arguments and environment must not contain NUL bytes');
  }
}
