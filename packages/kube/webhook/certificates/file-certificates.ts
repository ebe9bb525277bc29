import { readFile } from 'node:fs/promises';
import { type Clock, systemClock } from '../../clock.ts';
import { KubeError } from '../../errors.ts';
import { checkPair } from './authority.ts';
import type { CertificateSource, KeyPair } from './source.ts';

export interface FileCertificatesOptions {
  readonly certificateFile: string;
  readonly keyFile: string;
  /** How often the files are read. Default 10 s: mounted Secrets change by a switch of links, which few watchers see. */
  readonly checkMs?: number;
  readonly clock?: Clock;
  /** A later read that failed; the pair in use stays. Must not throw. */
  readonly onError?: (error: unknown) => void;
}

/** Certificates that somebody else looks after, mounted from a Secret; read again while serving. */
export class FileCertificates implements CertificateSource {
  readonly #options: FileCertificatesOptions;
  readonly #clock: Clock;
  readonly #listeners = new Set<(pair: KeyPair) => void>();
  #current: KeyPair | undefined;
  #cancel: (() => void) | undefined;
  #closed = false;

  constructor(options: FileCertificatesOptions) {
    this.#options = options;
    this.#clock = options.clock ?? systemClock;
  }

  async start(): Promise<KeyPair> {
    this.#current = await this.#read();
    this.#schedule();
    return this.#current;
  }

  onChange(listener: (pair: KeyPair) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Reads at once, instead of at the next interval. A broken pair, as in the middle of a change, is told and not used. */
  async check(): Promise<void> {
    try {
      const pair = await this.#read();
      const same = pair.certificate === this.#current?.certificate && pair.key === this.#current.key;
      this.#current = pair;
      if (!same) for (const listener of this.#listeners) listener(pair);
    } catch (error) {
      this.#options.onError?.(error);
    }
  }

  async close(): Promise<void> {
    this.#closed = true;
    this.#cancel?.();
  }

  #schedule(): void {
    if (this.#closed) return;
    const again = () => void this.check().then(() => this.#schedule());
    this.#cancel = this.#clock.after(this.#options.checkMs ?? 10_000, again, { unref: true });
  }

  async #read(): Promise<KeyPair> {
    const { certificateFile, keyFile } = this.#options;
    try {
      const [certificate, key] = await Promise.all([readFile(certificateFile, 'utf8'), readFile(keyFile, 'utf8')]);
      checkPair({ certificate, key });
      return { certificate, key };
    } catch (cause) {
      throw new KubeError(
        'bad-config',
        `the certificate ${certificateFile} with the key ${keyFile} cannot be used: ${(cause as Error).message}`,
        { cause },
      );
    }
  }
}
