import { type ChildProcessByStdio, spawn } from 'node:child_process';
import path from 'node:path';
import { createInterface } from 'node:readline';
import type { Readable, Writable } from 'node:stream';
import type { Jobs } from './client.ts';

/** The client process, one job at a time. */
export class RemoteClient {
  readonly #child: ChildProcessByStdio<Writable, Readable, null>;
  readonly #answers: AsyncIterator<string>;

  constructor() {
    this.#child = spawn(process.execPath, [path.join(import.meta.dirname, 'client.ts'), 'serve'], {
      stdio: ['pipe', 'pipe', 'inherit'],
    });
    this.#answers = createInterface({ input: this.#child.stdout })[Symbol.asyncIterator]();
  }

  async do<Name extends keyof Jobs>(
    name: Name,
    ...args: Parameters<Jobs[Name]>
  ): Promise<Awaited<ReturnType<Jobs[Name]>>> {
    this.#child.stdin.write(`${JSON.stringify([name, args])}\n`);
    const { value, done } = await this.#answers.next();
    if (done === true) throw new Error(`The client ended during ${name}.`);
    const answer = JSON.parse(value) as { result?: Awaited<ReturnType<Jobs[Name]>>; error?: string };
    if (answer.error !== undefined || answer.result === undefined)
      throw new Error(answer.error ?? `${name} gave nothing.`);
    return answer.result;
  }

  async close(): Promise<void> {
    const ended = new Promise((resolve) => this.#child.once('exit', resolve));
    this.#child.stdin.end();
    await ended;
  }
}
