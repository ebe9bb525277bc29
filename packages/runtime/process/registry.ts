/** All processes that were started here: the living, and for half a minute the ended. e2b 3.3 */
import { RuntimeError } from '../server/errors.ts';
import type { ManagedProcess } from './process.ts';

/** How long Connect still serves the end of a process. */
export const retentionMs = 30_000;

export type Selector = { readonly pid: number } | { readonly tag: string };

export class ProcessRegistry {
  readonly #living = new Map<number, ManagedProcess>();
  #ended: { process: ManagedProcess; at: number }[] = [];
  readonly #now: () => number;
  #sweep: NodeJS.Timeout | undefined;

  constructor(now: () => number = () => performance.now()) {
    this.#now = now;
  }

  add(process: ManagedProcess): void {
    const { pid } = process;
    this.#living.set(pid, process);
    process.onEnd(() => {
      if (this.#living.get(pid) === process) this.#living.delete(pid);
      this.#ended.push({ process, at: this.#now() });
      this.#schedule();
    });
  }

  list(): ManagedProcess[] {
    return [...this.#living.values()].filter((process) => !process.exited);
  }

  /** Everything whose pipes or exit are still awaited. */
  unfinished(): ManagedProcess[] {
    return [...this.#living.values()];
  }

  living(selector: Selector): ManagedProcess {
    const found = this.#find(selector);
    if (found === undefined || found.exited) throw notFound(selector);
    return found;
  }

  /** The living one, else the one that ended last within the retention. */
  connectable(selector: Selector): ManagedProcess {
    const found = this.#find(selector);
    if (found !== undefined) return found;
    this.#forget();
    const ended = this.#ended.findLast(({ process }) =>
      'pid' in selector ? process.pid === selector.pid : process.tag === selector.tag,
    );
    if (ended === undefined) throw notFound(selector);
    return ended.process;
  }

  /** Resolves when every process has ended and been told, or with false after a while. */
  async settled(ms: number): Promise<boolean> {
    const ended = [...this.#living.values()].map((process) => new Promise<void>((resolve) => process.onEnd(resolve)));
    const late = AbortSignal.timeout(ms);
    const gaveUp = new Promise<'late'>((resolve) =>
      late.addEventListener('abort', () => resolve('late'), { once: true }),
    );
    return (await Promise.race([Promise.all(ended), gaveUp])) !== 'late';
  }

  clear(): void {
    this.#ended = [];
    clearTimeout(this.#sweep);
    this.#sweep = undefined;
  }

  /** Several living processes may share a tag: the one that was started last is meant. */
  #find(selector: Selector): ManagedProcess | undefined {
    if ('pid' in selector) return this.#living.get(selector.pid);
    return [...this.#living.values()].findLast((process) => process.tag === selector.tag);
  }

  #forget(): void {
    const oldest = this.#now() - retentionMs;
    const keep = this.#ended.findIndex(({ at }) => at > oldest);
    this.#ended = keep === -1 ? [] : this.#ended.slice(keep);
  }

  #schedule(): void {
    if (this.#sweep !== undefined || this.#ended.length === 0) return;
    this.#sweep = setTimeout(() => {
      this.#sweep = undefined;
      this.#forget();
      this.#schedule();
    }, retentionMs / 6);
    this.#sweep.unref();
  }
}

function notFound(selector: Selector): RuntimeError {
  const name = 'pid' in selector ? `pid ${selector.pid}` : `tag ${selector.tag}`;
  return new RuntimeError('not_found', `process with ${name} not found`);
}
