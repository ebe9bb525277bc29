import { KubeError } from '../errors.ts';
import { resourceName } from '../kind.ts';
import { type KubeObject, keyOf, keyText } from '../object.ts';
import { pause } from '../write/pause.ts';
import { Backoff, type BackoffOptions } from './backoff.ts';
import { listInto } from './list.ts';
import { type ListForm, listFormOf } from './list-form.ts';
import { News } from './news.ts';
import { PageSize } from './page-size.ts';
import { Source, type SourceOptions } from './source.ts';
import { watchFrom } from './watch.ts';

/** What the reflector keeps true. It alone writes to it. */
export interface Target<T> {
  /** Takes an object as the server has it now. The same version twice must change nothing. */
  put(key: string, object: T): void;
  /** True when it has this very version. */
  has(key: string, object: T): boolean;
  /** `final` is what the object was at its end, where the server told. */
  remove(key: string, final: T | undefined): void;
  keys(): Iterable<string>;
  readonly size: number;
  /** A list is complete: the copy is what the server had at this version. */
  synced(resourceVersion: string): void;
}

export type ReflectorState =
  | { readonly phase: 'listing' }
  | { readonly phase: 'watching' }
  /** Something failed; the copy stays as it was until the next try. */
  | { readonly phase: 'waiting'; readonly error: KubeError; readonly failures: number; readonly retryInMs: number }
  | { readonly phase: 'stopped' };

export interface ReflectorOptions<T extends KubeObject> extends SourceOptions<T> {
  readonly target: Target<T>;
  readonly onState?: ((state: ReflectorState) => void) | undefined;
  /** True for an error that trying again does not mend: `run` then rejects with it. Default: never. */
  readonly giveUp?: ((error: KubeError) => boolean) | undefined;
  readonly backoff?: BackoffOptions | undefined;
  readonly random?: (() => number) | undefined;
  /** Default: what suits the server. */
  readonly listForm?: ListForm | undefined;
  /** About how many bytes a page of a list has, where lists are paged. Default 512 KiB. */
  readonly pageBytes?: number | undefined;
  /**
   * A watch that is silent for longer is opened again where it ended. Bookmarks come about once a minute, so 90 s
   * without a byte is a peer that is frozen or gone; where a server sends none, it costs one request. Default 90 s.
   */
  readonly silenceMs?: number | undefined;
}

/** A watch that lived for this long worked: when it ends, the next one is opened at once. */
const provenMs = 1_000;

/**
 * Keeps a copy of one collection true: list, then watch from the version of the list, again from the last version seen
 * whenever the watch ends, and list again only when the server no longer has that version (410).
 *
 * No gap: the version moves on only after the event was handed over, and half an event is no event. No double: the
 * target drops a version that it has. A later list changes the copy at once when it is complete, see `News`.
 *
 * Resource versions are compared for equality only. Kubernetes 1.35 made them comparable, yet nothing here would gain:
 * order is that of the stream, a list without a version is never older than what was seen before, and an older or an
 * aggregated API server need not keep that promise.
 */
export class Reflector<T extends KubeObject> {
  readonly #options: ReflectorOptions<T>;
  readonly #source: Source<T>;
  readonly #target: Target<T>;
  readonly #pages: PageSize;
  readonly #backoff: Backoff;
  readonly #random: () => number;
  #version: string | undefined;
  #synced = false;
  #progressed = false;
  #tooLarge = 0;

  constructor(options: ReflectorOptions<T>) {
    this.#options = options;
    this.#source = new Source(options);
    this.#target = options.target;
    this.#pages = new PageSize(options.pageBytes);
    this.#random = options.random ?? Math.random;
    this.#backoff = new Backoff({ random: this.#random, ...options.backoff });
  }

  /** Up to where the copy is true. */
  get resourceVersion(): string | undefined {
    return this.#version;
  }

  /** Runs until the signal; rejects only with an error that `giveUp` named. */
  async run(signal: AbortSignal): Promise<void> {
    try {
      while (!signal.aborted) {
        const wait = await this.#round(signal);
        if (wait > 0 && !signal.aborted) await pause(this.#source.clock, wait, signal).catch(() => {});
      }
    } finally {
      this.#options.onState?.({ phase: 'stopped' });
    }
  }

  /** One list, when one is needed, and one watch. Returns how long to wait before the next. */
  async #round(signal: AbortSignal): Promise<number> {
    const { clock } = this.#source;
    let openedAt: number | undefined;
    const lived = () => openedAt !== undefined && clock.monotonic() - openedAt >= provenMs;
    this.#progressed = false;
    try {
      if (this.#version === undefined) await this.#list(signal);
      await this.#watch(signal, () => {
        openedAt = clock.monotonic();
      });
      if (signal.aborted) return 0;
      if (this.#progressed || lived()) {
        this.#backoff.reset();
        return 0;
      }
      const early = new KubeError('connection-lost', `watch ${this.#name}: the server ended the watch at once`);
      return this.#failed(early);
    } catch (cause) {
      if (signal.aborted) return 0;
      const error = asKubeError(cause, this.#name);
      if (this.#options.giveUp?.(error)) throw error;
      if (this.#progressed || lived()) this.#backoff.reset();
      if (error.code === 'gone') {
        this.#version = undefined;
        // The normal end of a long absence: list at once. Twice without progress is a server in trouble.
        if (this.#backoff.failures === 0) {
          this.#backoff.next();
          return 0;
        }
      }
      this.#relistWhenAhead(error);
      return this.#failed(error);
    }
  }

  async #list(signal: AbortSignal): Promise<void> {
    this.#options.onState?.({ phase: 'listing' });
    const form = this.#options.listForm ?? (await listFormOf(this.#source.transport, signal));
    const list = (put: (key: string, object: T) => void) =>
      listInto(this.#source, form, this.#pages, (object) => put(keyText(keyOf(object)), object), signal);
    let version: string;
    if (this.#synced) {
      const news = new News<T>(this.#target);
      version = await list((key, object) => news.take(key, object));
      await news.apply(signal);
    } else {
      // Nobody looks before the first list is complete; what an earlier try left is swept.
      const seen = new Set<string>();
      const before = this.#target.size;
      version = await list((key, object) => {
        if (before > 0) seen.add(key);
        this.#target.put(key, object);
      });
      if (before > 0) for (const key of this.#target.keys()) if (!seen.has(key)) this.#target.remove(key, undefined);
    }
    this.#version = version;
    this.#synced = true;
    this.#target.synced(version);
  }

  async #watch(signal: AbortSignal, opened: () => void): Promise<void> {
    await watchFrom(
      this.#source,
      this.#version ?? '',
      {
        opened: () => {
          opened();
          this.#options.onState?.({ phase: 'watching' });
        },
        put: (object) => this.#target.put(keyText(keyOf(object)), object),
        remove: (object) => this.#target.remove(keyText(keyOf(object)), object),
        reached: (version) => {
          this.#version = version;
          this.#progressed = true;
          this.#tooLarge = 0;
        },
      },
      // Five to ten minutes, as client-go does: the watches of a fleet then never end all at once.
      { serverSeconds: Math.round(300 + 300 * this.#random()), silenceMs: this.#options.silenceMs ?? 90_000 },
      signal,
    );
  }

  /**
   * A server that says our version lies in its future is behind another one, which mends itself, or was restored from a
   * backup, which does not. The second time we believe it and list.
   */
  #relistWhenAhead(error: KubeError): void {
    const causes = error.answer?.details?.causes ?? [];
    if (!causes.some(({ reason }) => reason === 'ResourceVersionTooLarge')) return;
    this.#tooLarge++;
    if (this.#tooLarge >= 2) {
      this.#tooLarge = 0;
      this.#version = undefined;
    }
  }

  #failed(error: KubeError): number {
    const retryInMs = Math.max(this.#backoff.next(), error.retryAfterMs ?? 0);
    this.#options.onState?.({ phase: 'waiting', error, failures: this.#backoff.failures, retryInMs });
    return retryInMs;
  }

  get #name(): string {
    return resourceName(this.#source.kind);
  }
}

function asKubeError(cause: unknown, name: string): KubeError {
  if (cause instanceof KubeError) return cause;
  const why = cause instanceof Error ? cause.message : String(cause);
  return new KubeError('bad-response', `reading ${name} failed: ${why}`, { cause });
}
