import { Readable, Writable } from 'node:stream';
import { KubeError } from '../errors.ts';
import type { Asked } from '../transport/answer.ts';
import type { KubeSocket } from '../transport/contract.ts';
import type { ExitStatus } from './exit-status.ts';
import { exitStatusOf } from './exit-status.ts';

/** The first byte of every message says where it belongs. */
const channel = { stdin: 0, stdout: 1, stderr: 2, error: 3, resize: 4, close: 255 } as const;
/** v5 differs from v4 in one thing: channel 255, which closes the channel named by the next byte. */
export const channelProtocols = ['v5.channel.k8s.io', 'v4.channel.k8s.io'] as const;
const chunkBytes = 32 * 1024;

/**
 * A process in a container, seen through one connection. Read both outputs (or ask for one only): what is not read stops
 * the connection, and with it the other output and the exit status.
 */
export interface RemoteProcess extends AsyncDisposable {
  /** Ending it gives the process its end of input; a server that speaks only v4 cannot pass that on (see `protocol`). */
  readonly stdin: Writable;
  readonly stdout: Readable;
  readonly stderr: Readable;
  /** Rejects when the process could not be run or the connection broke. */
  readonly exit: Promise<ExitStatus>;
  readonly protocol: string;
  resize(size: { columns: number; rows: number }): Promise<void>;
  /** Ends the connection; the process gets whatever its runtime does to processes whose client left. */
  close(): void;
}

export interface Channels {
  readonly stdin: boolean;
  readonly stdout: boolean;
  readonly stderr: boolean;
}

export function remoteProcess(socket: KubeSocket, open: Channels, asked: Asked): RemoteProcess {
  const outputs = [new Output(open.stdout), new Output(open.stderr)] as const;
  const stdin = new Writable({
    // One message at a time: the next is asked for when this one is on its way.
    write: (chunk: Buffer, _encoding, done) => void sendChunks(socket, chunk).then(() => done(), done),
    final: (done) => {
      if (socket.protocol !== channelProtocols[0]) return done();
      socket.send(Buffer.of(channel.close, channel.stdin)).then(() => done(), done);
    },
  });
  if (!open.stdin) stdin.destroy();
  // A pipe into a process that ended: the exit status tells, not the pipe.
  stdin.on('error', () => undefined);

  const exit = readAll(socket, outputs, asked).finally(() => {
    stdin.destroy();
    socket.close();
  });
  exit.then(
    () => {
      for (const output of outputs) output.finish();
    },
    (error: Error) => {
      for (const output of outputs) output.finish(error);
    },
  );
  const close = (): void => socket.close();
  return {
    stdin,
    stdout: outputs[0],
    stderr: outputs[1],
    exit,
    protocol: socket.protocol,
    resize: ({ columns, rows }) => {
      const size = Buffer.from(JSON.stringify({ Width: columns, Height: rows }));
      return socket.send(Buffer.concat([Buffer.of(channel.resize), size]));
    },
    close,
    [Symbol.asyncDispose]: async () => {
      close();
      await exit.catch(() => undefined);
    },
  };
}

/** One output. `receive` gives a promise when the reader has to catch up first. */
class Output extends Readable {
  #drained: (() => void) | undefined;

  constructor(open: boolean) {
    super({ highWaterMark: 256 * 1024 });
    // Its failure is the failure of `exit`; a reader that iterates sees it there too.
    this.on('error', () => undefined);
    if (!open) this.push(null);
  }

  receive(data: Buffer): Promise<void> | undefined {
    if (this.destroyed || this.readableEnded || this.push(data)) return undefined;
    return new Promise((resolve) => {
      this.#drained = resolve;
    });
  }

  finish(error?: Error): void {
    if (error) this.destroy(error);
    else if (!this.readableEnded) this.push(null);
  }

  override _read(): void {
    this.#drained?.();
    this.#drained = undefined;
  }

  override _destroy(error: Error | null, done: (error: Error | null) => void): void {
    this._read();
    done(error);
  }
}

async function readAll(socket: KubeSocket, outputs: readonly [Output, Output], asked: Asked): Promise<ExitStatus> {
  let last: Buffer | undefined;
  for await (const message of socket.messages) {
    const data = message.subarray(1);
    if (data.length === 0) continue;
    switch (message[0]) {
      case channel.stdout:
        await outputs[0].receive(data);
        break;
      case channel.stderr:
        await outputs[1].receive(data);
        break;
      case channel.error:
        last = last ? Buffer.concat([last, data]) : data;
        break;
      case channel.close:
        if (data[0] === channel.stdout) outputs[0].finish();
        if (data[0] === channel.stderr) outputs[1].finish();
        break;
      default:
    }
  }
  if (last) return exitStatusOf(last, asked);
  throw new KubeError(
    'connection-lost',
    `${asked.verb} ${asked.resource} ${asked.object}: the connection ended before the process did.`,
  );
}

async function sendChunks(socket: KubeSocket, data: Buffer): Promise<void> {
  for (let at = 0; at < data.length; at += chunkBytes) {
    await socket.send(Buffer.concat([Buffer.of(channel.stdin), data.subarray(at, at + chunkBytes)]));
  }
}
