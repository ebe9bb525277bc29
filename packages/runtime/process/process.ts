/**
 * One process that was started here: its output goes to every subscriber and into the ring, its end is told once. The slowest
 * subscriber sets the pace; without any, output is drained.
 */
import { type EndFields, endFields } from './exit-status.ts';
import type { OutputKind } from './output.ts';
import { OutputRing } from './ring.ts';
import type { Child, Exit } from './spawner.ts';

export interface ProcessConfig {
  readonly cmd: string;
  readonly args: readonly string[];
  readonly envs: Readonly<Record<string, string>>;
  readonly cwd: string | undefined;
}

export interface Subscriber {
  /** False: this reader is full; it calls `unblock` when it has room again. */
  output(kind: OutputKind, bytes: Buffer): boolean;
  end(end: EndFields): void;
}

export class ManagedProcess {
  readonly config: ProcessConfig;
  readonly tag: string | undefined;
  readonly pty: boolean;
  readonly ring = new OutputRing();
  #stdin: 'open' | 'closed';
  #child: Child | undefined;
  #exit: Exit | undefined;
  #outputEnded = false;
  #waitForPipes = true;
  #end: EndFields | undefined;
  readonly #subscribers = new Set<Subscriber>();
  readonly #blocked = new Set<Subscriber>();
  readonly #ended: (() => void)[] = [];

  constructor(config: ProcessConfig, tag: string | undefined, pty: boolean, stdin: boolean) {
    this.config = config;
    this.tag = tag;
    this.pty = pty;
    this.#stdin = stdin ? 'open' : 'closed';
  }

  get child(): Child {
    if (this.#child === undefined) throw new Error('the process has no child yet');
    return this.#child;
  }

  get pid(): number {
    return this.child.pid;
  }

  get end(): EndFields | undefined {
    return this.#end;
  }

  /** The process itself has exited; its pipes may still be open. */
  get exited(): boolean {
    return this.#exit !== undefined;
  }

  get stdinOpen(): boolean {
    return this.#stdin === 'open';
  }

  attach(child: Child): void {
    this.#child = child;
  }

  /** `full`: the subscriber was filled by a replay before it came and will call `unblock`. */
  subscribe(subscriber: Subscriber, full = false): void {
    this.#subscribers.add(subscriber);
    if (!full) return;
    this.#blocked.add(subscriber);
    this.#child?.pause();
  }

  unsubscribe(subscriber: Subscriber): void {
    this.#subscribers.delete(subscriber);
    this.unblock(subscriber);
  }

  unblock(subscriber: Subscriber): void {
    if (this.#blocked.delete(subscriber) && this.#blocked.size === 0 && this.#end === undefined) this.#child?.resume();
  }

  onEnd(callback: () => void): void {
    this.#ended.push(callback);
  }

  output(kind: OutputKind, bytes: Buffer): void {
    this.ring.append(kind, bytes);
    for (const subscriber of this.#subscribers) {
      if (!subscriber.output(kind, bytes)) this.#blocked.add(subscriber);
    }
    if (this.#blocked.size > 0) this.#child?.pause();
  }

  closeStdin(): void {
    if (this.#stdin === 'closed') return;
    this.#stdin = 'closed';
    this.child.closeStdin();
  }

  /** A signal by SendSignal or a timeout: from now on the end does not wait for pipes that grandchildren hold. e2b 3.3 */
  signal(signal: number): boolean {
    if (this.exited) return false;
    this.#waitForPipes = false;
    return this.child.signal(signal);
  }

  async killTree(): Promise<number> {
    this.#waitForPipes = false;
    return await this.child.killTree();
  }

  exit(exit: Exit): void {
    if (this.#exit !== undefined) return;
    this.#exit = exit;
    if (this.#outputEnded) this.#finish();
    else if (!this.#waitForPipes) this.#child?.drainAndClose();
  }

  outputEnd(): void {
    this.#outputEnded = true;
    if (this.#exit !== undefined) this.#finish();
  }

  #finish(): void {
    if (this.#end !== undefined || this.#exit === undefined) return;
    this.#stdin = 'closed';
    const end = endFields(this.#exit);
    this.#end = end;
    const subscribers = [...this.#subscribers];
    this.#subscribers.clear();
    this.#blocked.clear();
    for (const subscriber of subscribers) subscriber.end(end);
    for (const callback of this.#ended) callback();
  }
}
