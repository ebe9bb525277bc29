/**
 * Watches one folder, or a whole tree of them, and tells changes by names relative to its root. Folders that appear below are
 * watched too, and what they already hold is told as created: it came between the folder and its watch. e2b 3.4
 */
import { readdir } from 'node:fs/promises';
import { posix } from 'node:path';
import { EventType } from '../generated/filesystem_pb.js';
import { errno, RuntimeError } from '../server/errors.ts';
import { bits, eventTypes, type RawEvent } from './inotify.ts';
import type { WatchHub } from './watch-hub.ts';

export interface FolderEvent {
  /** Relative to the root; `.` is the root itself. */
  readonly name: string;
  readonly type: EventType;
}

interface Watched {
  path: string;
  readonly listener: (event: RawEvent) => void;
}

export class FolderWatch {
  readonly #hub: WatchHub;
  readonly #recursive: boolean;
  readonly #emit: (event: FolderEvent) => void;
  /** By watch number; the path is relative to the root, empty for the root. */
  readonly #watched = new Map<number, Watched>();
  readonly #root: string;
  /** Names told when their new folder was entered; the kernel may tell them once more. */
  readonly #early = new Set<string>();
  readonly #fail: (error: RuntimeError) => void;
  readonly #stopOverflow: () => void;
  #closed = false;

  /** `fail` is called when events were lost or can't be had any more; the watch is of no use then. */
  constructor(
    hub: WatchHub,
    root: string,
    recursive: boolean,
    emit: (event: FolderEvent) => void,
    fail: (error: RuntimeError) => void,
  ) {
    this.#hub = hub;
    this.#root = root;
    this.#recursive = recursive;
    this.#emit = emit;
    this.#fail = fail;
    this.#stopOverflow = hub.onOverflow(() =>
      fail(new RuntimeError('data_loss', `events below ${root} came faster than they could be read; watch again`)),
    );
  }

  /** Resolves when everything that exists now is watched. */
  async start(): Promise<void> {
    try {
      await this.#add('');
    } catch (cause) {
      this.close();
      throw watchError(this.#root, cause);
    }
    if (this.#recursive) await this.#addChildren('', false);
  }

  close(): void {
    this.#closed = true;
    this.#stopOverflow();
    for (const [watch, { listener }] of this.#watched) this.#hub.remove(watch, listener);
    this.#watched.clear();
  }

  async #add(path: string): Promise<void> {
    const watched: Watched = { path, listener: (event) => this.#receive(event) };
    const watch = await this.#hub.add(posix.join(this.#root, path), watched.listener);
    if (this.#closed) {
      this.#hub.remove(watch, watched.listener);
      return;
    }
    const known = this.#watched.get(watch);
    if (known === undefined) {
      this.#watched.set(watch, watched);
      return;
    }
    // The same folder under a new name: it was moved within the tree.
    this.#hub.remove(watch, watched.listener);
    known.path = path;
  }

  async #addChildren(path: string, tell: boolean): Promise<void> {
    const entries = await readdir(posix.join(this.#root, path), { withFileTypes: true }).catch(() => []);
    for (const entry of entries) {
      if (this.#closed) return;
      const child = posix.join(path, entry.name);
      if (tell && !this.#early.has(child)) {
        this.#early.add(child);
        this.#emit({ name: child, type: EventType.CREATE });
      }
      if (!entry.isDirectory()) continue;
      try {
        await this.#add(child);
      } catch (cause) {
        if (limitReached(cause)) throw watchError(child, cause);
        continue;
      }
      await this.#addChildren(child, tell);
    }
  }

  #receive(event: RawEvent): void {
    const watched = this.#watched.get(event.watch);
    if (watched === undefined || this.#closed) return;
    if ((event.mask & bits.ignored) !== 0) {
      this.#watched.delete(event.watch);
      return;
    }
    if (event.name === '') {
      // A folder below tells of itself through its parent; only the root has nobody else to tell of it.
      if (watched.path !== '') return;
      this.#tell('.', event.mask);
      if ((event.mask & bits.moveSelf) !== 0) this.close();
      return;
    }
    const name = posix.join(watched.path, event.name);
    const early = this.#early.delete(name) && (event.mask & bits.create) !== 0;
    if (!early) this.#tell(name, event.mask);
    if (!this.#recursive || (event.mask & bits.isDirectory) === 0) return;
    if ((event.mask & bits.movedFrom) !== 0) this.#leave(name);
    if (!early && (event.mask & (bits.create | bits.movedTo)) !== 0)
      this.#enter(name, (event.mask & bits.create) !== 0);
  }

  #tell(name: string, mask: number): void {
    for (const type of eventTypes(mask)) this.#emit({ name, type });
  }

  /** What a new folder holds was made before it could be watched and is told here; what was moved in is not news. */
  #enter(name: string, tell: boolean): void {
    this.#add(name)
      .then(() => this.#addChildren(name, tell))
      .catch((cause: unknown) => {
        if (limitReached(cause)) this.#fail(watchError(name, cause));
      });
  }

  /** A folder has left its place; if it shows up elsewhere in the tree, it is entered there again. */
  #leave(name: string): void {
    for (const [watch, watched] of [...this.#watched]) {
      if (watched.path !== name && !watched.path.startsWith(`${name}/`)) continue;
      this.#hub.remove(watch, watched.listener);
      this.#watched.delete(watch);
    }
  }
}

function limitReached(cause: unknown): boolean {
  return errno(cause) === 'ENOSPC' || errno(cause) === 'EMFILE';
}

function watchError(path: string, cause: unknown): RuntimeError {
  if (limitReached(cause)) {
    return new RuntimeError(
      'resource_exhausted',
      `the kernel's limit of watches is reached at ${path}: watch fewer folders, or raise fs.inotify.max_user_watches`,
      { cause },
    );
  }
  return new RuntimeError(
    'internal',
    `error watching path ${path}: ${cause instanceof Error ? cause.message : cause}`,
    {
      cause,
    },
  );
}
