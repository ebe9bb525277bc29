/** `process.Process`, method by method. e2b 3.3 */
import { deadlineExceeded, keepAliveMs } from '../connect/deadline.ts';
import { type CallContext, clientStream, type Method, serverStream, unary } from '../connect/method.ts';
import type { ServerStream } from '../connect/stream.ts';
import {
  CloseStdinRequestSchema,
  CloseStdinResponseSchema,
  ConnectRequestSchema,
  ListRequestSchema,
  ListResponseSchema,
  type ProcessInfo,
  type ProcessInput,
  type ProcessSelector,
  SendInputRequestSchema,
  SendInputResponseSchema,
  SendSignalRequestSchema,
  SendSignalResponseSchema,
  Signal,
  type StartRequest,
  StartRequestSchema,
  StreamInputRequestSchema,
  StreamInputResponseSchema,
  UpdateRequestSchema,
  UpdateResponseSchema,
} from '../generated/process_pb.js';
import { RuntimeError } from '../server/errors.ts';
import type { ManagedProcess } from './process.ts';
import type { ProcessRegistry, Selector } from './registry.ts';
import { type StartDependencies, startProcess } from './start.ts';
import { follow } from './subscription.ts';

const sigkill = 9;
/** Ours: `SendSignal` with `Sandbank-Kill: tree` ends everything that descends from the process. */
const killHeader = 'sandbank-kill';
const replayHeader = 'sandbank-replay';

export function processMethods(dependencies: StartDependencies): Map<string, Method> {
  const { registry } = dependencies;
  return new Map<string, Method>([
    ['List', unary(ListRequestSchema, ListResponseSchema, () => ({ processes: registry.list().map(info) }))],
    [
      'Start',
      serverStream(StartRequestSchema, (input, context, stream) => start(dependencies, input, context, stream)),
    ],
    [
      'Connect',
      serverStream(ConnectRequestSchema, async (input, context, stream) => {
        const process = registry.connectable(selectorOf(input.process));
        await followInTime(process, context, stream, () => {});
      }),
    ],
    [
      'Update',
      unary(UpdateRequestSchema, UpdateResponseSchema, (input) => {
        const process = registry.living(selectorOf(input.process));
        if (input.pty === undefined) return {};
        if (!process.pty) throw new RuntimeError('internal', 'error resizing tty: tty not assigned to process');
        process.child.resize(input.pty.size?.cols ?? 0, input.pty.size?.rows ?? 0);
        return {};
      }),
    ],
    [
      'SendInput',
      unary(SendInputRequestSchema, SendInputResponseSchema, async (input) => {
        await writeInput(registry.living(selectorOf(input.process)), input.input);
        return {};
      }),
    ],
    [
      'StreamInput',
      clientStream(StreamInputRequestSchema, StreamInputResponseSchema, async (inputs) => {
        let process: ManagedProcess | undefined;
        for await (const { event } of inputs) {
          if (event.case === 'start') process = registry.living(selectorOf(event.value.process));
          else if (event.case === 'data') await streamInput(process, event.value.input);
          else if (event.case === undefined) throw new RuntimeError('unimplemented', 'invalid event type <nil>');
        }
        return {};
      }),
    ],
    [
      'SendSignal',
      unary(SendSignalRequestSchema, SendSignalResponseSchema, async (input, context) => {
        const selector = selectorOf(input.process);
        if (input.signal !== Signal.SIGKILL && input.signal !== Signal.SIGTERM) {
          const name = (Signal[input.signal] as string | undefined) === undefined ? input.signal : 'SIGNAL_UNSPECIFIED';
          throw new RuntimeError('unimplemented', `invalid signal: ${name}`);
        }
        await sendSignal(registry, selector, input.signal, context.header(killHeader) === 'tree');
        return {};
      }),
    ],
    [
      'CloseStdin',
      unary(CloseStdinRequestSchema, CloseStdinResponseSchema, (input) => {
        const process = registry.living(selectorOf(input.process));
        if (process.pty) {
          throw new RuntimeError(
            'unknown',
            'error closing stdin: cannot close stdin for PTY process — send Ctrl+D (0x04) instead',
          );
        }
        process.closeStdin();
        return {};
      }),
    ],
  ]);
}

async function start(
  dependencies: StartDependencies,
  input: StartRequest,
  context: CallContext,
  stream: ServerStream,
): Promise<void> {
  const process = await startProcess(dependencies, input, context.user());
  // Recorded: with a deadline that is already over the process starts, runs without limit, and nobody is told its pid.
  if (context.timeoutMs !== undefined && context.timeoutMs <= 0) {
    process.child.resume();
    throw deadlineExceeded();
  }
  const running = followInTime(process, context, stream, () => {
    if (context.header(killHeader) === 'tree') process.killTree().catch(() => process.signal(sigkill));
    else process.signal(sigkill);
  });
  process.child.resume();
  await running;
}

/** Follows until the end or the deadline. The deadline outlives a client that goes away: `expired` is called all the same. */
async function followInTime(
  process: ManagedProcess,
  context: CallContext,
  stream: ServerStream,
  expired: () => void,
): Promise<void> {
  const options = {
    keepAliveMs: keepAliveMs(context.header('keepalive-ping-interval')),
    replay: context.header(replayHeader) === '1',
  };
  if (context.timeoutMs === undefined) return await follow(process, stream, options);
  if (context.timeoutMs <= 0) throw deadlineExceeded();
  const timer = setTimeout(() => {
    if (process.end !== undefined) return;
    stream.end(deadlineExceeded());
    expired();
  }, context.timeoutMs);
  process.onEnd(() => clearTimeout(timer));
  if (process.end !== undefined) clearTimeout(timer);
  await follow(process, stream, options);
}

async function sendSignal(registry: ProcessRegistry, selector: Selector, signal: number, tree: boolean): Promise<void> {
  const process = registry.living(selector);
  if (!tree) {
    if (!process.signal(signal)) throw new RuntimeError('not_found', 'the process has ended');
    return;
  }
  const left = await process.killTree();
  if (left > 0) throw new RuntimeError('internal', `${left} processes of the tree could not be killed`);
}

/** Without a process, data of StreamInput go nowhere; the original ends with an error too. */
async function streamInput(process: ManagedProcess | undefined, input: ProcessInput | undefined): Promise<void> {
  if (process === undefined) {
    throw new RuntimeError('invalid_argument', 'data came before the start event; send start with the process first');
  }
  await writeInput(process, input);
}

async function writeInput(process: ManagedProcess, input: ProcessInput | undefined): Promise<void> {
  const chosen = input?.input;
  if (chosen?.case === 'pty') {
    if (!process.pty) {
      throw new RuntimeError(
        'internal',
        'error writing to tty: tty not assigned to process — input should be written to the stdin, not the tty',
      );
    }
    await write(process, chosen.value, 'tty');
  } else if (chosen?.case === 'stdin') {
    if (process.pty) {
      throw new RuntimeError(
        'internal',
        'error writing to stdin: tty assigned to process — input should be written to the pty, not the stdin',
      );
    }
    if (!process.stdinOpen) {
      throw new RuntimeError('internal', 'error writing to stdin: stdin not enabled or closed');
    }
    await write(process, chosen.value, 'stdin');
  } else {
    throw new RuntimeError('unimplemented', 'invalid input type <nil>');
  }
}

async function write(process: ManagedProcess, bytes: Uint8Array, name: string): Promise<void> {
  if (bytes.byteLength === 0) return;
  try {
    await process.child.write(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength));
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new RuntimeError('internal', `error writing to ${name}: ${reason}`, { cause });
  }
}

function selectorOf(selector: ProcessSelector | undefined): Selector {
  const chosen = selector?.selector;
  if (chosen?.case === 'pid') return { pid: chosen.value };
  if (chosen?.case === 'tag') return { tag: chosen.value };
  throw new RuntimeError('unimplemented', 'invalid input type *process.ProcessSelector');
}

function info(process: ManagedProcess): ProcessInfo {
  const { cmd, args, envs, cwd } = process.config;
  return {
    $typeName: 'process.ProcessInfo',
    config: {
      $typeName: 'process.ProcessConfig',
      cmd,
      args: [...args],
      envs: { ...envs },
      ...(cwd === undefined ? {} : { cwd }),
    },
    pid: process.pid,
    ...(process.tag === undefined ? {} : { tag: process.tag }),
  };
}
