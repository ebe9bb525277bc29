/**
 * The runtime's side of the helper: requests with answers, and events of processes and watches. One socket, one helper; when
 * it is gone, everything that waits is rejected and `onLost` is called.
 */
import type { Socket } from 'node:net';
import { getSystemErrorName } from 'node:util';
import { FrameReader, FrameSplitter, FrameWriter, frame } from './protocol.ts';

export interface ProcessHandler {
  started(pid: number, stage: string, error: number, pipes: PipeNumbers): void;
  exited(status: number): void;
  /** The helper has ended. */
  lost(): void;
}

/** Numbers of the helper's own descriptors, opened through /proc; -1 where there is none. */
export interface PipeNumbers {
  readonly in: number;
  readonly out: number;
  readonly err: number;
}

/** A process that the helper kept while the runtime was away. */
export interface Survivor {
  readonly id: number;
  readonly pid: number;
  readonly exited: boolean;
  readonly status: number;
  readonly pty: boolean;
  readonly pipes: PipeNumbers;
  readonly label: string;
}

/** Answers to requests are numbered from here on; processes have the numbers below. */
const firstRequest = 0x4000_0000;
const treeReply = 0x8000_0000;

export class HelperError extends Error {
  readonly code: string;

  constructor(operation: string, error: number) {
    const code = error === 0 ? 'ELOST' : errorName(error);
    super(`${operation}: ${code}`);
    this.code = code;
  }
}

function errorName(error: number): string {
  try {
    return getSystemErrorName(-error);
  } catch {
    return `error ${error}`;
  }
}

interface Waiting {
  resolve(answer: { error: number; body: FrameReader }): void;
  reject(error: Error): void;
}

export class HelperClient {
  readonly pid: number;
  readonly #socket: Socket;
  readonly #splitter = new FrameSplitter();
  readonly #processes = new Map<number, ProcessHandler>();
  readonly #waiting = new Map<number, Waiting>();
  #nextProcess = 1;
  #nextRequest = firstRequest;
  #lost = false;
  #eventHandler: ((events: Buffer) => void) | undefined;
  readonly #onLost: (() => void)[] = [];

  constructor(pid: number, socket: Socket) {
    this.pid = pid;
    this.#socket = socket;
    socket.on('data', (bytes: Buffer) => {
      for (const each of this.#splitter.push(bytes)) this.#receive(each.type, each.id, each.body);
    });
    socket.on('error', () => socket.destroy());
    socket.on('close', () => this.#drop());
  }

  onLost(callback: () => void): void {
    if (this.#lost) callback();
    else this.#onLost.push(callback);
  }

  /** Tells the launcher that this runtime serves: from now on a crash is followed by a new start. */
  ready(): void {
    this.#send(frame.ready, 0);
  }

  spawn(body: FrameWriter, handler: ProcessHandler): number {
    const id = this.#nextProcess;
    this.#nextProcess += 1;
    if (this.#lost) {
      queueMicrotask(() => handler.lost());
      return id;
    }
    this.#processes.set(id, handler);
    this.#send(frame.spawn, id, body);
    return id;
  }

  adopt(id: number, handler: ProcessHandler): void {
    this.#processes.set(id, handler);
    this.#nextProcess = Math.max(this.#nextProcess, id + 1);
  }

  signal(id: number, signal: number): void {
    this.#send(frame.signal, id, new FrameWriter().u32(signal));
  }

  resize(id: number, cols: number, rows: number): void {
    this.#send(frame.resize, id, new FrameWriter().u16(cols).u16(rows));
  }

  closeStdin(id: number): void {
    this.#send(frame.closeStdin, id);
  }

  /** Closes the helper's copies of the pipes; it drops the process when its tree is gone. Nothing is told of it any more. */
  forget(id: number): void {
    this.#processes.delete(id);
    this.#send(frame.forget, id);
  }

  async killTree(id: number): Promise<number> {
    const waiting = this.#wait((id | treeReply) >>> 0, 'kill tree');
    this.#send(frame.killTree, id);
    return (await waiting).error;
  }

  /** Kills everything that was started here; resolves with the number of processes that are left. */
  async killAll(): Promise<number> {
    return (await this.#ask(frame.killAll, new FrameWriter(), 'kill all')).error;
  }

  /** Leaves a text with the launcher that a runtime after this one finds. */
  keep(text: string): void {
    this.#send(frame.keep, 0, new FrameWriter().text(text));
  }

  async list(): Promise<{ kept: string; survivors: Survivor[] }> {
    const { body } = await this.#ask(frame.list, new FrameWriter(), 'list');
    const kept = body.text();
    const survivors = Array.from({ length: body.u32() }, () => {
      const id = body.u32();
      const pid = body.u32();
      const flags = body.u8();
      const status = body.i32();
      const pipes = { in: body.i32(), out: body.i32(), err: body.i32() };
      return { id, pid, exited: (flags & 1) !== 0, pty: (flags & 4) !== 0, status, pipes, label: body.text() };
    });
    return { kept, survivors };
  }

  /** Raw inotify events of all watches. */
  onEvents(handler: (events: Buffer) => void): void {
    this.#eventHandler = handler;
  }

  async watch(path: string): Promise<number> {
    const { error, body } = await this.#ask(frame.watch, new FrameWriter().text(path), 'watch');
    if (error !== 0) throw new HelperError(`inotify_add_watch ${path}`, error);
    return body.i32();
  }

  unwatch(watch: number): void {
    this.#send(frame.unwatch, 0, new FrameWriter().u32(watch));
  }

  async metadata(paths: readonly string[]): Promise<Record<string, string>[]> {
    const { error, body } = await this.#ask(frame.getMetadata, new FrameWriter().texts(paths), 'metadata');
    if (error !== 0) throw new HelperError('listxattr', error);
    return paths.map(() => {
      const pairs = Array.from({ length: body.u32() }, () => [body.text(), body.text()] as const);
      return Object.fromEntries(pairs);
    });
  }

  async setMetadata(path: string, metadata: Readonly<Record<string, string>>): Promise<void> {
    const pairs = Object.entries(metadata);
    const body = new FrameWriter().text(path).u32(pairs.length);
    for (const [key, value] of pairs) body.text(key).text(value);
    const { error } = await this.#ask(frame.setMetadata, body, 'metadata');
    if (error !== 0) throw new HelperError(`setxattr ${path}`, error);
  }

  /** A request of the reset: `scan` or `ipc`, see reset/. */
  async resetRequest(kind: 'scan' | 'ipc', body: FrameWriter): Promise<FrameReader> {
    const answer = await this.#ask(frame[kind], body, kind);
    if (answer.error !== 0) throw new HelperError(kind, answer.error);
    return answer.body;
  }

  close(): void {
    this.#socket.destroy();
  }

  #send(type: string, id: number, body = new FrameWriter()): void {
    if (!this.#lost) this.#socket.write(body.frame(type, id));
  }

  #ask(type: string, body: FrameWriter, operation: string): Promise<{ error: number; body: FrameReader }> {
    const id = this.#nextRequest;
    this.#nextRequest = id === treeReply - 1 ? firstRequest : id + 1;
    const waiting = this.#wait(id, operation);
    this.#send(type, id, body);
    return waiting;
  }

  #wait(id: number, operation: string): Promise<{ error: number; body: FrameReader }> {
    return new Promise((resolve, reject) => {
      if (this.#lost) reject(new HelperError(operation, 0));
      else this.#waiting.set(id, { resolve, reject });
    });
  }

  #receive(type: string, id: number, body: Buffer): void {
    const reader = new FrameReader(body);
    const process = this.#processes.get(id);
    if (type === frame.started) {
      const pid = reader.i32();
      const stage = reader.i32();
      const error = reader.i32();
      const pipes = { in: reader.i32(), out: reader.i32(), err: reader.i32() };
      if (error !== 0) this.#processes.delete(id);
      process?.started(pid, stage === 0 ? '' : String.fromCharCode(stage), error, pipes);
    } else if (type === frame.exited) {
      process?.exited(reader.i32());
    } else if (type === frame.treeGone) {
      this.#processes.delete(id);
    } else if (type === frame.events) {
      this.#eventHandler?.(body);
    } else {
      const waiting = this.#waiting.get(id);
      this.#waiting.delete(id);
      waiting?.resolve({ error: type === frame.listed ? 0 : reader.i32(), body: reader });
    }
  }

  #drop(): void {
    if (this.#lost) return;
    this.#lost = true;
    for (const waiting of this.#waiting.values()) waiting.reject(new HelperError('the helper is gone', 0));
    this.#waiting.clear();
    const processes = [...this.#processes.values()];
    this.#processes.clear();
    for (const process of processes) process.lost();
    for (const callback of this.#onLost) callback();
  }
}
