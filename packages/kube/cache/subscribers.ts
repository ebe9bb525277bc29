import type { Frozen } from '../object.ts';
import { turns } from '../reflector/turns.ts';
import type { CacheEvent, CacheListener } from './event.ts';

interface Subscriber<T> {
  readonly listener: CacheListener<T>;
  /** Keys that are still to be replayed to it. */
  pending: Set<string> | undefined;
}

/** Who hears of changes. A listener that throws is reported and hears the next one all the same. */
export class Subscribers<T> {
  readonly #all = new Set<Subscriber<T>>();
  readonly #objects: ReadonlyMap<string, Frozen<T>>;
  readonly #failed: (error: unknown) => void;

  constructor(objects: ReadonlyMap<string, Frozen<T>>, failed: (error: unknown) => void) {
    this.#objects = objects;
    this.#failed = failed;
  }

  /** Returns how to end it. With `replay`, what is there already comes first, as `added`, in slices. */
  add(listener: CacheListener<T>, replay: boolean): () => void {
    const subscriber: Subscriber<T> = { listener, pending: undefined };
    this.#all.add(subscriber);
    if (replay && this.#objects.size > 0) {
      subscriber.pending = new Set(this.#objects.keys());
      void this.#replay(subscriber);
    }
    return () => void this.#all.delete(subscriber);
  }

  emit(event: CacheEvent<T>): void {
    for (const subscriber of this.#all) {
      if (subscriber.pending?.delete(event.key)) {
        // It has not heard of the object yet: what it missed and what happens now are one addition, or nothing.
        if (event.type === 'deleted') continue;
        this.#tell(subscriber, { type: 'added', key: event.key, object: event.object, initial: true });
      } else {
        this.#tell(subscriber, event);
      }
    }
  }

  async #replay(subscriber: Subscriber<T>): Promise<void> {
    const { pending } = subscriber;
    if (!pending) return;
    for (const key of pending) {
      if (turns.spent) await turns.next();
      if (!this.#all.has(subscriber)) return;
      // An event may have told it meanwhile.
      if (!pending.delete(key)) continue;
      const object = this.#objects.get(key);
      if (object) this.#tell(subscriber, { type: 'added', key, object, initial: true });
    }
    subscriber.pending = undefined;
  }

  #tell(subscriber: Subscriber<T>, event: CacheEvent<T>): void {
    try {
      subscriber.listener(event);
    } catch (error) {
      this.#failed(error);
    }
  }
}
