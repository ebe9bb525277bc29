/** Pipes of a process that the helper made, opened through /proc: the helper keeps its ends, so a crash of ours loses nothing. */
import { closeSync, constants, openSync, readSync } from 'node:fs';
import { Socket } from 'node:net';

/** Reads are handled one at a time and copied by whoever keeps them: one buffer serves all pipes. */
const shared = Buffer.allocUnsafeSlow(256 * 1024);
/** What a pipe can hold at most; more than that after an exit comes from somebody who still writes. */
const mostInPipe = 1024 * 1024;

function openEnd(helper: number, number: number, flags: number): number {
  return openSync(`/proc/${helper}/fd/${number}`, flags | constants.O_NONBLOCK);
}

export class OutputPipe {
  readonly #fd: number;
  readonly #socket: Socket;
  readonly #output: (bytes: Buffer) => void;
  #open = true;

  /** Paused until the first `resume`. `ended` is called once, also after `drainAndClose`. */
  constructor(helper: number, number: number, output: (bytes: Buffer) => void, ended: () => void) {
    this.#fd = openEnd(helper, number, constants.O_RDONLY);
    this.#output = output;
    let flowing = true;
    this.#socket = new Socket({
      fd: this.#fd,
      readable: true,
      writable: false,
      onread: {
        buffer: shared,
        callback: (count) => {
          output(shared.subarray(0, count));
          return flowing;
        },
      },
    });
    this.pause = () => {
      flowing = false;
      this.#socket.pause();
    };
    this.resume = () => {
      flowing = true;
      this.#socket.resume();
    };
    this.pause();
    this.#socket.on('error', () => this.#socket.destroy());
    this.#socket.on('end', () => this.#socket.destroy());
    this.#socket.once('close', () => {
      this.#open = false;
      ended();
    });
  }

  readonly pause: () => void;
  readonly resume: () => void;

  /** Takes what is in the pipe now and closes it, although somebody may still have the other end. */
  drainAndClose(): void {
    if (!this.#open) return;
    for (let taken = 0; taken < mostInPipe; ) {
      let count: number;
      try {
        count = readSync(this.#fd, shared, 0, shared.byteLength, null);
      } catch {
        break;
      }
      if (count === 0) break;
      taken += count;
      this.#output(shared.subarray(0, count));
    }
    this.#socket.destroy();
  }
}

export class InputPipe {
  readonly #socket: Socket;

  constructor(helper: number, number: number) {
    const fd = openEnd(helper, number, constants.O_WRONLY);
    try {
      this.#socket = new Socket({ fd, readable: false, writable: true });
    } catch (error) {
      closeSync(fd);
      throw error;
    }
    this.#socket.on('error', () => this.#socket.destroy());
  }

  /** Resolves when the pipe has taken all of it. */
  write(bytes: Buffer): Promise<void> {
    return new Promise((resolve, reject) => {
      if (this.#socket.destroyed) reject(new Error('broken pipe'));
      else this.#socket.write(bytes, (error) => (error ? reject(error) : resolve()));
    });
  }

  close(): void {
    this.#socket.destroySoon();
  }

  destroy(): void {
    this.#socket.destroy();
  }
}
