/** Processes by the helper: users with all their groups, terminals, whole trees, and survival of a crash of the runtime. */
import type { HelperClient, PipeNumbers, Survivor } from '../helper/client.ts';
import { HelperError } from '../helper/client.ts';
import { FrameWriter } from '../helper/protocol.ts';
import { describeErrno, RuntimeError } from '../server/errors.ts';
import { InputPipe, OutputPipe } from './pipe.ts';
import type { Child, ChildEvents, Exit, Spawner, SpawnRequest } from './spawner.ts';

export interface HelperSpawnerOptions {
  readonly noNewPrivileges: boolean;
}

const lostText = 'the helper has ended, and with it the process';

export function helperSpawner(helper: HelperClient, options: HelperSpawnerOptions): Spawner {
  return {
    spawn: (request, events) =>
      new Promise((resolve, reject) => {
        // What comes before the child is known to its owner waits for it: a short command may end that early.
        let child: HelperChild | undefined;
        let exited: number | undefined;
        const id = helper.spawn(spawnBody(request, options), {
          started: (pid, stage, error, pipes) => {
            if (error !== 0) {
              reject(startError(request, stage, error));
              return;
            }
            try {
              child = new HelperChild(helper, id, pid, pipes, request.pty !== undefined, events);
            } catch (cause) {
              helper.forget(id);
              reject(new RuntimeError('internal', `can't open the pipes of the process: ${String(cause)}`, { cause }));
              return;
            }
            if (exited !== undefined) child.exited(exited);
            resolve(child);
          },
          exited: (status) => {
            if (child === undefined) exited = status;
            else child.exited(status);
          },
          lost: () => {
            if (child === undefined) reject(new RuntimeError('unavailable', 'the helper has ended; try again'));
            else child.lost();
          },
        });
      }),
  };
}

/** A process that a former runtime had started. Output that came meanwhile is still in its pipes. */
export function adoptChild(helper: HelperClient, survivor: Survivor, events: ChildEvents): Child {
  const child = new HelperChild(helper, survivor.id, survivor.pid, survivor.pipes, survivor.pty, events);
  helper.adopt(survivor.id, {
    started: () => {},
    exited: (status) => child.exited(status),
    lost: () => child.lost(),
  });
  if (survivor.exited) child.exited(survivor.status);
  return child;
}

function spawnBody(request: SpawnRequest, options: HelperSpawnerOptions): FrameWriter {
  const flags = (request.stdin ? 1 : 0) | (request.pty === undefined ? 0 : 2) | (options.noNewPrivileges ? 4 : 0);
  const body = new FrameWriter()
    .u8(flags)
    .u32(request.user.uid)
    .u32(request.user.gid)
    .u16(request.pty?.cols ?? 0)
    .u16(request.pty?.rows ?? 0)
    .u32(request.user.groups.length);
  for (const gid of request.user.groups) body.u32(gid);
  return body
    .text(request.cwd)
    .text(request.label)
    .texts([request.command, ...request.args])
    .texts(Object.entries(request.env).map(([name, value]) => `${name}=${value}`));
}

const stages: Readonly<Record<string, string>> = {
  c: 'chdir',
  g: 'setting groups',
  u: 'setting the user',
  t: 'opening a terminal',
  f: 'fork',
};

function startError(request: SpawnRequest, stage: string, error: number): RuntimeError {
  const cause = new HelperError(stages[stage] ?? stage, error);
  const reason = describeErrno(stages[stage] ?? stage, cause);
  // What is wrong with the request is the caller's; what the machine can't do is ours. e2b 3.3
  const code = stage === 'c' ? 'invalid_argument' : stage === 'f' ? 'resource_exhausted' : 'internal';
  return new RuntimeError(code, `error starting process '${request.command}': ${reason}`, { cause });
}

class HelperChild implements Child {
  readonly pid: number;
  readonly #helper: HelperClient;
  readonly #id: number;
  readonly #events: ChildEvents;
  readonly #outputs: OutputPipe[] = [];
  #input: InputPipe | undefined;
  #openOutputs = 0;
  #exited = false;

  constructor(helper: HelperClient, id: number, pid: number, pipes: PipeNumbers, pty: boolean, events: ChildEvents) {
    this.pid = pid;
    this.#helper = helper;
    this.#id = id;
    this.#events = events;
    this.#addOutput(pty ? 'pty' : 'stdout', pipes.out);
    if (!pty) this.#addOutput('stderr', pipes.err);
    if (pipes.in >= 0) this.#input = new InputPipe(helper.pid, pipes.in);
  }

  #addOutput(kind: 'stdout' | 'stderr' | 'pty', number: number): void {
    if (number < 0) return;
    this.#openOutputs += 1;
    this.#outputs.push(
      new OutputPipe(
        this.#helper.pid,
        number,
        (bytes) => this.#events.output(kind, bytes),
        () => {
          this.#openOutputs -= 1;
          if (this.#openOutputs === 0) this.#outputEnd();
        },
      ),
    );
  }

  exited(status: number): void {
    if (this.#exited) return;
    this.#exited = true;
    this.#events.exit(exitOf(status));
    if (this.#openOutputs === 0) this.#helper.forget(this.#id);
  }

  lost(): void {
    if (!this.#exited) {
      this.#exited = true;
      this.#events.exit({ lost: lostText });
    }
    this.drainAndClose();
  }

  resume(): void {
    for (const pipe of this.#outputs) pipe.resume();
  }

  pause(): void {
    for (const pipe of this.#outputs) pipe.pause();
  }

  drainAndClose(): void {
    for (const pipe of this.#outputs) pipe.drainAndClose();
  }

  async write(bytes: Buffer): Promise<void> {
    if (this.#input === undefined) throw new Error('stdin not enabled or closed');
    await this.#input.write(bytes);
  }

  closeStdin(): void {
    this.#input?.close();
    this.#input = undefined;
    this.#helper.closeStdin(this.#id);
  }

  resize(cols: number, rows: number): void {
    this.#helper.resize(this.#id, cols, rows);
  }

  /** By the shim, which has not reaped it yet or knows that it has: never a stranger with the same number. */
  signal(signal: number): boolean {
    if (this.#exited) return false;
    this.#helper.signal(this.#id, signal);
    return true;
  }

  async killTree(): Promise<number> {
    return await this.#helper.killTree(this.#id);
  }

  #outputEnd(): void {
    this.#input?.destroy();
    this.#input = undefined;
    this.#events.outputEnd();
    if (this.#exited) this.#helper.forget(this.#id);
  }
}

/** A wait status: low seven bits are the signal, else the next eight the code. */
function exitOf(status: number): Exit {
  const signal = status & 0x7f;
  return signal === 0 ? { code: (status >> 8) & 0xff } : { signal };
}
