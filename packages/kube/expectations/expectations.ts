import { type Clock, systemClock } from '../clock.ts';

export interface ExpectationsOptions {
  readonly clock?: Clock | undefined;
  /**
   * After this long an expectation is dropped, and the cache is believed again: the event was missed, or will never
   * come. Longer than any lag that is still normal. Default 5 min.
   */
  readonly timeoutMs?: number | undefined;
}

interface Expected {
  /** Names that were created and not seen yet, each with its deadline. */
  readonly names: Map<string, number>;
  /** Deadlines of creates whose name the server chooses. */
  counted: number[];
  /** Uids that were deleted and are still there. */
  readonly uids: Map<string, number>;
}

/**
 * What a controller has done and its cache does not show yet. Between a write and the event that tells of it, a count
 * over the cache is wrong by what is under way, and a controller that acts on it creates too much. So: say what you are
 * about to do before you do it, take it back when it failed, and decide only while `satisfied`.
 *
 * - Creates by name are exact; prefer them. Creates by count, for `generateName`, are met by any addition.
 * - Deletes are by uid, met by its `deleted` event or by the first sight of its deletionTimestamp.
 *
 * Keys are those of the controller (its owner object), as in its queue.
 */
export class Expectations {
  readonly #clock: Clock;
  readonly #timeoutMs: number;
  readonly #byKey = new Map<string, Expected>();

  constructor(options: ExpectationsOptions = {}) {
    this.#clock = options.clock ?? systemClock;
    this.#timeoutMs = options.timeoutMs ?? 5 * 60_000;
  }

  /** Before the create is sent. */
  expectCreate(key: string, created: { readonly name: string } | { readonly count: number }): void {
    const expected = this.#of(key);
    const deadline = this.#deadline();
    if ('name' in created) expected.names.set(created.name, deadline);
    else for (let i = 0; i < created.count; i++) expected.counted.push(deadline);
  }

  /** Before the delete is sent. */
  expectDelete(key: string, uid: string): void {
    this.#of(key).uids.set(uid, this.#deadline());
  }

  /**
   * An object of that name was added, or the create of it was refused. A create whose answer was lost may have
   * happened: leave its expectation alone.
   */
  createSeen(key: string, name?: string): void {
    const expected = this.#byKey.get(key);
    if (!expected) return;
    if (name === undefined || !expected.names.delete(name)) expected.counted.shift();
    this.#tidy(key, expected);
  }

  /** The object is gone or on its way, or the delete of it was refused. */
  deleteSeen(key: string, uid: string): void {
    const expected = this.#byKey.get(key);
    if (!expected) return;
    expected.uids.delete(uid);
    this.#tidy(key, expected);
  }

  /** True when the cache shows all that was done for this key, or the time is up. */
  satisfied(key: string): boolean {
    return this.remainingMs(key) === undefined;
  }

  /** How long until the oldest unmet expectation is dropped; undefined when there is none. For `requeueAfter`. */
  remainingMs(key: string): number | undefined {
    const expected = this.#byKey.get(key);
    if (!expected) return undefined;
    const now = this.#clock.monotonic();
    for (const [name, deadline] of expected.names) if (deadline <= now) expected.names.delete(name);
    for (const [uid, deadline] of expected.uids) if (deadline <= now) expected.uids.delete(uid);
    expected.counted = expected.counted.filter((deadline) => deadline > now);
    this.#tidy(key, expected);
    const deadlines = [...expected.names.values(), ...expected.counted, ...expected.uids.values()];
    return deadlines.length === 0 ? undefined : Math.min(...deadlines) - now;
  }

  /** How many creates and deletes the cache does not show yet: for logs and for arithmetic that need not wait. */
  unseen(key: string): { readonly creates: number; readonly deletes: number } {
    const expected = this.remainingMs(key) === undefined ? undefined : this.#byKey.get(key);
    return expected
      ? { creates: expected.names.size + expected.counted.length, deletes: expected.uids.size }
      : { creates: 0, deletes: 0 };
  }

  /** The object of that key is gone. */
  forget(key: string): void {
    this.#byKey.delete(key);
  }

  #of(key: string): Expected {
    const known = this.#byKey.get(key);
    if (known) return known;
    const expected: Expected = { names: new Map(), counted: [], uids: new Map() };
    this.#byKey.set(key, expected);
    return expected;
  }

  #deadline(): number {
    return this.#clock.monotonic() + this.#timeoutMs;
  }

  #tidy(key: string, expected: Expected): void {
    if (expected.names.size + expected.counted.length + expected.uids.size === 0) this.#byKey.delete(key);
  }
}
