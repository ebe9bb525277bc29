/** Where an upload goes: in place as recorded, or beside it and renamed when the client asks for `Sandbank-Atomic: 1`. */
import {
  closeSync,
  constants,
  fchmodSync,
  fchownSync,
  fstatSync,
  ftruncateSync,
  open as openByCallback,
  openSync,
  renameSync,
  rmSync,
  writeSync,
} from 'node:fs';
import { type FileHandle, open, realpath, rename, rm, stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { promisify } from 'node:util';
import type { User } from '../auth/users.ts';

export interface Target {
  readonly path: string;
  readonly user: User;
  readonly atomic: boolean;
}

const flags = constants.O_WRONLY | constants.O_CREAT | constants.O_NONBLOCK;
const queueLimit = 2 * 1024 * 1024;
const isRoot = process.getuid?.() === 0;

let counter = 0;

function temporaryName(path: string): string {
  counter += 1;
  return join(dirname(path), `.sandbank-${process.pid}-${counter}-${basename(path).slice(0, 64)}`);
}

/** True if the file existed before: then its old metadata must go. */
export interface Written {
  readonly existed: boolean;
}

/**
 * The whole of a small file at once. Only opening goes through the thread pool: making a file is what takes time, and four
 * turns through the pool would cost more than the rest. Non-blocking, so that pipes and devices can't hold a thread.
 */
export async function writeSmall(target: Target, bytes: Buffer): Promise<Written> {
  const path = target.atomic ? temporaryName(target.path) : target.path;
  const { fd, existed } = await openNewOrOld(path);
  try {
    if (existed && !fstatSync(fd).isFile()) throw notRegular(path);
    if (isRoot) fchownSync(fd, target.user.uid, target.user.gid);
    if (existed) ftruncateSync(fd);
    if (target.atomic) copyMode(target.path, fd);
    for (let at = 0; at < bytes.byteLength; ) at += writeSync(fd, bytes, at);
  } catch (thrown) {
    if (target.atomic) rmSync(path, { force: true });
    throw thrown;
  } finally {
    closeSync(fd);
  }
  if (target.atomic) renameSync(path, target.path);
  return { existed: existed && !target.atomic };
}

/** New files are made exclusively first: that tells whether there was one, in one call for the common case. */
async function openNewOrOld(path: string): Promise<{ fd: number; existed: boolean }> {
  try {
    return { fd: await openFile(path, flags | constants.O_EXCL, 0o666), existed: false };
  } catch (thrown) {
    if ((thrown as NodeJS.ErrnoException).code !== 'EEXIST') throw thrown;
    return { fd: await openFile(path, flags, 0o666), existed: true };
  }
}

const openFile = promisify(openByCallback);

function copyMode(from: string, fd: number): void {
  try {
    const source = openSync(from, constants.O_RDONLY | constants.O_NONBLOCK);
    try {
      fchmodSync(fd, fstatSync(source).mode & 0o7777);
    } finally {
      closeSync(source);
    }
  } catch {
    // There is no former file: the new one keeps its default mode.
  }
}

function notRegular(path: string): Error {
  return Object.assign(new Error(`not a regular file: ${path}`), { code: 'ENOTREG' });
}

/** A large file, chunk by chunk: at most two mebibytes wait while the disk writes, then the sender waits too. */
export class FileSink {
  readonly #target: Target;
  readonly #path: string;
  readonly #file: FileHandle;
  readonly existed: boolean;
  #queue: Buffer[] = [];
  #queued = 0;
  #flushing: Promise<void> | undefined;
  /** Of a write that nobody awaited; told by the next call. */
  #failure: { readonly thrown: unknown } | undefined;

  private constructor(target: Target, path: string, file: FileHandle, existed: boolean) {
    this.#target = target;
    this.#path = path;
    this.#file = file;
    this.existed = existed;
  }

  static async open(target: Target): Promise<FileSink> {
    const path = target.atomic ? temporaryName(target.path) : target.path;
    let file: FileHandle;
    let existed = false;
    try {
      file = await open(path, flags | constants.O_EXCL, 0o666);
    } catch (thrown) {
      if ((thrown as NodeJS.ErrnoException).code !== 'EEXIST') throw thrown;
      file = await open(path, flags, 0o666);
      existed = true;
    }
    try {
      if (existed && !(await file.stat()).isFile()) throw notRegular(path);
      if (isRoot) await file.chown(target.user.uid, target.user.gid);
      if (existed) await file.truncate();
      if (target.atomic) {
        const former = await stat(target.path).catch(() => undefined);
        if (former !== undefined) await file.chmod(former.mode & 0o7777);
      }
      return new FileSink(target, path, file, existed && !target.atomic);
    } catch (thrown) {
      await file.close();
      throw thrown;
    }
  }

  async write(bytes: Buffer): Promise<void> {
    this.#throwFailure();
    this.#queue.push(bytes);
    this.#queued += bytes.byteLength;
    this.#flushing ??= this.#flush();
    if (this.#queued >= queueLimit) await this.#flushing;
    this.#throwFailure();
  }

  async finish(): Promise<void> {
    try {
      await this.#flushing;
      this.#throwFailure();
    } catch (thrown) {
      if (this.#target.atomic) await rm(this.#path, { force: true });
      throw thrown;
    } finally {
      await this.#file.close();
    }
    if (this.#target.atomic) await rename(this.#path, await realpath(this.#target.path).catch(() => this.#target.path));
  }

  /** What was written in place stays, as recorded; what was written beside it goes. */
  async abort(): Promise<void> {
    await this.#flushing;
    await this.#file.close().catch(() => {});
    if (this.#target.atomic) await rm(this.#path, { force: true });
  }

  #throwFailure(): void {
    if (this.#failure !== undefined) throw this.#failure.thrown;
  }

  /** Never rejects: the failure is kept for whoever calls next. */
  async #flush(): Promise<void> {
    try {
      while (this.#queue.length > 0) {
        const batch = this.#queue;
        const size = this.#queued;
        this.#queue = [];
        const { bytesWritten } = await this.#file.writev(batch);
        if (bytesWritten < size) await this.#writeRest(batch, bytesWritten);
        this.#queued -= size;
      }
    } catch (thrown) {
      this.#failure = { thrown };
      this.#queue = [];
    } finally {
      this.#flushing = undefined;
    }
  }

  async #writeRest(batch: readonly Buffer[], written: number): Promise<void> {
    const rest = Buffer.concat(batch).subarray(written);
    for (let at = 0; at < rest.byteLength; ) at += (await this.#file.write(rest, at)).bytesWritten;
  }
}
