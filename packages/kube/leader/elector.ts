import type { Client } from '../client/contract.ts';
import { type Clock, systemClock } from '../clock.ts';
import { isAlreadyExists, isConflict, isNotFound, KubeError } from '../errors.ts';
import type { ObjectKey } from '../object.ts';
import { microTimestamp } from '../time.ts';
import { pause } from '../write/pause.ts';
import { type LeaderRecord, Lease, recordOf } from './record.ts';

export interface ElectorOptions {
  readonly client: Client;
  /** Where the Lease is. */
  readonly lease: ObjectKey;
  /** Who we are: different for each process, such as the pod's name and uid. */
  readonly identity: string;
  /** Others wait this long after the last renewal that they saw. Default 15 s. */
  readonly leaseDurationMs?: number | undefined;
  /** We give up leading when no renewal succeeded for this long. Must be shorter. Default 10 s. */
  readonly renewDeadlineMs?: number | undefined;
  /** How often we try. Default 2 s. */
  readonly retryPeriodMs?: number | undefined;
  readonly clock?: Clock | undefined;
  readonly random?: (() => number) | undefined;
  /** A try that failed; it goes on. */
  readonly onError?: ((error: unknown) => void) | undefined;
}

/** We lead, until `signal` aborts; its reason says why. */
export interface Leadership {
  readonly signal: AbortSignal;
  /** Stops renewing, and gives the Lease away so that the next need not wait. */
  release(): Promise<void>;
}

/**
 * Leader election on a Lease.
 *
 * Clocks of two machines are never compared: whoever waits takes note of when, by its own monotonic clock, it saw the
 * Lease change, and may take it when it has not changed for the duration that it names. Whoever leads counts from the
 * moment it began to send its last successful renewal. Since that is earlier than anybody can have seen it, and the
 * renew deadline is shorter than the duration, the old leader has stopped before a new one can begin: also when the
 * API server cannot be reached, and without any answer from it.
 */
export class Elector {
  readonly #client: Client;
  readonly #lease: ObjectKey;
  readonly #identity: string;
  readonly #durationMs: number;
  readonly #renewDeadlineMs: number;
  readonly #retryMs: number;
  readonly #clock: Clock;
  readonly #random: () => number;
  readonly #onError: (error: unknown) => void;
  #seen: { readonly record: LeaderRecord; readonly at: number } | undefined;

  constructor(options: ElectorOptions) {
    this.#client = options.client;
    this.#lease = options.lease;
    this.#identity = options.identity;
    this.#durationMs = options.leaseDurationMs ?? 15_000;
    this.#renewDeadlineMs = options.renewDeadlineMs ?? 10_000;
    this.#retryMs = options.retryPeriodMs ?? 2_000;
    this.#clock = options.clock ?? systemClock;
    this.#random = options.random ?? Math.random;
    this.#onError = options.onError ?? (() => {});
    if (!(this.#durationMs > this.#renewDeadlineMs && this.#renewDeadlineMs > this.#retryMs)) {
      throw new KubeError(
        'invalid',
        'leader election needs leaseDurationMs > renewDeadlineMs > retryPeriodMs, else two may lead at a time',
      );
    }
    if (this.#identity === '') throw new KubeError('invalid', 'leader election needs an identity that is not empty');
  }

  /** Who leads, as far as was seen. */
  get leader(): string | undefined {
    return this.#seen?.record.holder || undefined;
  }

  /** Waits until we lead. Rejects when the signal aborts. */
  async acquire(signal: AbortSignal): Promise<Leadership> {
    for (;;) {
      signal.throwIfAborted();
      const startedAt = this.#clock.monotonic();
      if (await this.#try(false, signal, this.#renewDeadlineMs)) return this.#lead(startedAt);
      await pause(this.#clock, this.#retryMs * (1 + this.#random() * 0.2), signal);
    }
  }

  #lead(acquiredAt: number): Leadership {
    const abort = new AbortController();
    const lost = (error: KubeError) => abort.abort(error);
    const released = new AbortController();
    const ended = this.#renew(acquiredAt, lost, AbortSignal.any([abort.signal, released.signal]));
    return {
      signal: abort.signal,
      release: async () => {
        const held = !abort.signal.aborted;
        released.abort();
        abort.abort(new KubeError('aborted', 'leadership was released'));
        await ended;
        if (held) await this.#giveAway();
      },
    };
  }

  async #renew(acquiredAt: number, lost: (error: KubeError) => void, signal: AbortSignal): Promise<void> {
    let cause: unknown;
    let renewedAt = acquiredAt;
    const expire = () =>
      lost(
        new KubeError(
          'timeout',
          `leadership was lost: the Lease could not be renewed for ${this.#renewDeadlineMs} ms`,
          {
            cause,
          },
        ),
      );
    const left = () => renewedAt + this.#renewDeadlineMs - this.#clock.monotonic();
    // A timer of its own: it fires on time, whatever a request that hangs does.
    let cancel = this.#clock.after(left(), expire);
    try {
      for (;;) {
        await pause(this.#clock, this.#retryMs, signal);
        const startedAt = this.#clock.monotonic();
        try {
          const still = await this.#try(true, signal, left());
          if (signal.aborted) return;
          if (!still) {
            return lost(new KubeError('conflict', `leadership was lost: ${this.leader ?? 'somebody'} holds the Lease`));
          }
          renewedAt = startedAt;
          cancel();
          cancel = this.#clock.after(left(), expire);
        } catch (error) {
          cause = error;
          this.#onError(error);
        }
      }
    } catch {
      // Aborted: the reason stands in the signal.
    } finally {
      cancel();
    }
  }

  /**
   * Takes or renews the Lease where that is allowed. True: it is ours. False: it is another's.
   * While we lead, trouble is thrown, since it does not mean that another leads; while we wait, it is the same to us.
   */
  async #try(leading: boolean, signal: AbortSignal, timeoutMs: number): Promise<boolean> {
    const options = { signal, timeoutMs: Math.max(1, Math.min(timeoutMs, this.#renewDeadlineMs)) };
    try {
      const lease = await this.#read(options);
      if (!lease) {
        this.#note(recordOf(await this.#client.create(Lease, this.#claim(undefined), options)));
        return true;
      }
      const record = recordOf(lease);
      this.#note(record);
      if (record.holder !== '' && record.holder !== this.#identity) {
        if (leading) return false;
        const freeAt = (this.#seen?.at ?? 0) + record.durationMs;
        if (this.#clock.monotonic() < freeAt) return false;
      }
      this.#note(recordOf(await this.#client.update(Lease, this.#claim(lease), options)));
      return true;
    } catch (error) {
      if (signal.aborted) return false;
      if (leading) throw error;
      // Another was faster: wait for it like for any leader.
      if (!isConflict(error) && !isAlreadyExists(error)) this.#onError(error);
      return false;
    }
  }

  async #read(options: { signal: AbortSignal; timeoutMs: number }): Promise<Lease | undefined> {
    try {
      return await this.#client.get(Lease, this.#lease, options);
    } catch (error) {
      if (isNotFound(error)) return undefined;
      throw error;
    }
  }

  #claim(lease: Lease | undefined): Lease & { metadata: NonNullable<Lease['metadata']> } {
    const now = microTimestamp(this.#clock.now());
    const before = lease && recordOf(lease);
    const same = before?.holder === this.#identity;
    return {
      ...lease,
      metadata: { ...lease?.metadata, ...this.#lease } as NonNullable<Lease['metadata']>,
      spec: {
        ...lease?.spec,
        holderIdentity: this.#identity,
        leaseDurationSeconds: Math.ceil(this.#durationMs / 1000),
        acquireTime: same ? (before.acquireTime ?? now) : now,
        renewTime: now,
        leaseTransitions: same || !before ? (before?.transitions ?? 0) : before.transitions + 1,
      },
    };
  }

  /** A Lease that changed was seen just now; one that did not keeps the moment when it was. */
  #note(record: LeaderRecord): void {
    if (this.#seen?.record.resourceVersion === record.resourceVersion && this.#seen !== undefined) return;
    this.#seen = { record, at: this.#clock.monotonic() };
  }

  /** Best effort: when it fails, the next leader waits for the duration. */
  async #giveAway(): Promise<void> {
    try {
      const options = { timeoutMs: this.#retryMs };
      const lease = await this.#client.get(Lease, this.#lease, options);
      if (recordOf(lease).holder !== this.#identity) return;
      const spec = {
        ...lease.spec,
        holderIdentity: '',
        leaseDurationSeconds: 1,
        renewTime: microTimestamp(this.#clock.now()),
      };
      const metadata = { ...lease.metadata, ...this.#lease } as NonNullable<Lease['metadata']>;
      this.#note(recordOf(await this.#client.update(Lease, { ...lease, metadata, spec }, options)));
    } catch (error) {
      this.#onError(error);
    }
  }
}
