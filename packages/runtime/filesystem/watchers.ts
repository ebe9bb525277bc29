/** Watchers that are polled (CreateWatcher, GetWatcherEvents, RemoveWatcher) and the events of a stream. e2b 3.4 */
import { randomBytes } from 'node:crypto';
import { stat, statfs } from 'node:fs/promises';
import { posix } from 'node:path';
import { create } from '@bufbuild/protobuf';
import { EventType, type FilesystemEvent, FilesystemEventSchema } from '../generated/filesystem_pb.js';
import { describeErrno, errno, RuntimeError } from '../server/errors.ts';
import { type EntrySource, readEntry } from './entry.ts';
import { type FolderEvent, FolderWatch } from './folder-watch.ts';
import type { WatchHub } from './watch-hub.ts';

/** Events that wait for their reader; one who never comes loses the watch, not the sandbox its memory. */
export const maxWaiting = 65_536;

export interface WatchRequest {
  readonly path: string;
  readonly recursive: boolean;
  readonly includeEntry: boolean;
  readonly allowNetworkMounts: boolean;
}

/** NFS, SMB (three generations), FUSE, Ceph, AFS. 9p and virtiofs are what micro-VMs have as their root. */
const networkTypes = new Set([0x6969, 0x517b, 0xff534d42, 0xfe534d42, 0x65735546, 0x00c36400, 0x5346414f]);

export async function checkWatchable(path: string, allowNetworkMounts: boolean): Promise<void> {
  let directory: boolean;
  try {
    directory = (await stat(path)).isDirectory();
  } catch (cause) {
    const missing = errno(cause) === 'ENOENT';
    const reason = describeErrno(
      missing ? `path ${path} not found: stat ${path}` : `error statting path ${path}`,
      cause,
    );
    throw new RuntimeError(missing ? 'not_found' : 'internal', reason, { cause });
  }
  if (!directory) throw new RuntimeError('invalid_argument', `path ${path} not a directory`);
  if (allowNetworkMounts) return;
  const { type } = await statfs(path);
  if (networkTypes.has(type)) {
    throw new RuntimeError(
      'invalid_argument',
      `cannot watch path on network filesystem: ${path}; changes made elsewhere are not told. Set allowNetworkMounts to watch it all the same`,
    );
  }
}

/** Turns events of a folder into messages, entries included, in order. */
export class EventFeed {
  readonly #watch: FolderWatch;
  readonly #root: string;
  readonly #source: EntrySource | undefined;
  readonly #deliver: (event: FilesystemEvent) => void;
  #chain: Promise<void> | undefined;

  constructor(
    hub: WatchHub,
    request: WatchRequest,
    source: EntrySource,
    deliver: (event: FilesystemEvent) => void,
    fail: (error: RuntimeError) => void,
  ) {
    this.#root = request.path;
    this.#source = request.includeEntry ? source : undefined;
    this.#deliver = deliver;
    this.#watch = new FolderWatch(hub, request.path, request.recursive, (event) => this.#receive(event), fail);
  }

  async start(): Promise<void> {
    await this.#watch.start();
  }

  close(): void {
    this.#watch.close();
  }

  #receive(event: FolderEvent): void {
    const { name, type } = event;
    const source = this.#source;
    const plain = create(FilesystemEventSchema, { name, type });
    const wantsEntry = type === EventType.CREATE || type === EventType.WRITE || type === EventType.CHMOD;
    if (source === undefined || (!wantsEntry && this.#chain === undefined)) {
      this.#deliver(plain);
      return;
    }
    const link = (this.#chain ?? Promise.resolve()).then(async () => {
      // The entry is read when the event is handled; the file may be gone by then.
      const entry = wantsEntry
        ? await readEntry(source, posix.join(this.#root, name)).catch(() => undefined)
        : undefined;
      this.#deliver(entry === undefined ? plain : create(FilesystemEventSchema, { name, type, entry }));
      if (this.#chain === link) this.#chain = undefined;
    });
    this.#chain = link;
  }
}

interface PolledWatcher {
  readonly feed: EventFeed;
  events: FilesystemEvent[];
  failure: RuntimeError | undefined;
}

export class WatcherTable {
  readonly #watchers = new Map<string, PolledWatcher>();

  async create(hub: WatchHub, request: WatchRequest, source: EntrySource): Promise<string> {
    const fail = (error: RuntimeError): void => {
      watcher.failure = error;
      watcher.events = [];
      watcher.feed.close();
    };
    const watcher: PolledWatcher = {
      feed: new EventFeed(hub, request, source, (event) => accept(event), fail),
      events: [],
      failure: undefined,
    };
    const accept = (event: FilesystemEvent): void => {
      if (watcher.failure !== undefined) return;
      if (watcher.events.length >= maxWaiting) {
        fail(new RuntimeError('resource_exhausted', `more than ${maxWaiting} events were not fetched; watch again`));
      } else {
        watcher.events.push(event);
      }
    };
    await watcher.feed.start();
    const id = watcherId();
    this.#watchers.set(id, watcher);
    return id;
  }

  /** Takes what has come since the last call. */
  take(id: string): FilesystemEvent[] {
    const watcher = this.#get(id);
    if (watcher.failure !== undefined) throw watcher.failure;
    const { events } = watcher;
    watcher.events = [];
    return events;
  }

  remove(id: string): void {
    this.#get(id).feed.close();
    this.#watchers.delete(id);
  }

  clear(): void {
    for (const { feed } of this.#watchers.values()) feed.close();
    this.#watchers.clear();
  }

  get size(): number {
    return this.#watchers.size;
  }

  #get(id: string): PolledWatcher {
    const watcher = this.#watchers.get(id);
    if (watcher === undefined) throw new RuntimeError('not_found', `watcher with id ${id} not found`);
    return watcher;
  }
}

const alphabet = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';

/** `w` and 20 characters, as recorded; 62 does not divide 256, which matters little for a name. */
function watcherId(): string {
  return `w${[...randomBytes(20)].map((byte) => alphabet[byte % alphabet.length]).join('')}`;
}
