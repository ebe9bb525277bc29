import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { identify, type ProcessIdentity } from './process/identity.ts';
import type { ControlPlaneOptions } from './start.ts';

export type Crashed = {
  readonly folder: string;
  readonly processes: readonly ProcessIdentity[];
  /** Of the real node, if there was one. */
  readonly nodeName?: string;
};

type Report = { readonly folder: string; readonly pids: readonly number[]; readonly nodeName?: string };

/** Has another process start a control plane, kills that process as hard as can be, and tells what it had. */
export async function crash(
  options: ControlPlaneOptions,
  before: (crashing: Crashed) => void = () => {},
): Promise<Crashed> {
  const child = spawn(process.execPath, [join(import.meta.dirname, 'crash.fixture.ts'), JSON.stringify(options)], {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: { ...process.env, NODE_OPTIONS: '' },
  });
  const exited = once(child, 'exit');
  const line = await Promise.race([
    once(createInterface({ input: child.stdout }), 'line'),
    exited.then(() => undefined),
  ]);
  if (line === undefined) throw new Error('The process that was to be killed ended by itself.');
  const { pids, ...rest } = JSON.parse(String(line[0])) as Report;
  const crashed = { ...rest, processes: pids.map(identify).filter((one) => one !== undefined) };
  before(crashed);
  child.kill('SIGKILL');
  await exited;
  return crashed;
}
