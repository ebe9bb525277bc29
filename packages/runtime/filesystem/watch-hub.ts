/**
 * Shares the helper's one inotify instance among all watchers. The kernel gives the same number for the same folder, so a
 * number belongs to everybody who watches that folder and is given back with the last of them.
 */
import type { HelperClient } from '../helper/client.ts';
import { bits, parseEvents, type RawEvent } from './inotify.ts';

export type EventListener = (event: RawEvent) => void;

export class WatchHub {
  readonly #helper: HelperClient;
  readonly #listeners = new Map<number, Set<EventListener>>();
  readonly #overflow = new Set<() => void>();

  constructor(helper: HelperClient) {
    this.#helper = helper;
    helper.onEvents((bytes) => {
      for (const event of parseEvents(bytes)) this.#deliver(event);
    });
  }

  /** Throws HelperError with the code of inotify_add_watch. */
  async add(path: string, listener: EventListener): Promise<number> {
    const watch = await this.#helper.watch(path);
    const listeners = this.#listeners.get(watch);
    if (listeners === undefined) this.#listeners.set(watch, new Set([listener]));
    else listeners.add(listener);
    return watch;
  }

  remove(watch: number, listener: EventListener): void {
    const listeners = this.#listeners.get(watch);
    if (listeners === undefined || !listeners.delete(listener) || listeners.size > 0) return;
    this.#listeners.delete(watch);
    this.#helper.unwatch(watch);
  }

  onOverflow(callback: () => void): () => void {
    this.#overflow.add(callback);
    return () => this.#overflow.delete(callback);
  }

  get size(): number {
    return this.#listeners.size;
  }

  #deliver(event: RawEvent): void {
    if ((event.mask & bits.overflow) !== 0) {
      for (const callback of this.#overflow) callback();
      return;
    }
    const listeners = this.#listeners.get(event.watch);
    if (listeners === undefined) return;
    for (const listener of [...listeners]) listener(event);
    // The kernel has dropped the watch: the folder is gone, and its number will not come again.
    if ((event.mask & bits.ignored) !== 0) this.#listeners.delete(event.watch);
  }
}
