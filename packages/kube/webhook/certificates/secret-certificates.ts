import type { Client } from '../../client/contract.ts';
import { type Clock, systemClock } from '../../clock.ts';
import { isAlreadyExists, isConflict, KubeError } from '../../errors.ts';
import { Secret } from '../../kinds/index.ts';
import { keyText, type ObjectKey } from '../../object.ts';
import { type CaBundleTargets, publishCaBundle } from './ca-bundle.ts';
import { type CertificateState, nextState, type RotationPolicy } from './rotation.ts';
import type { CertificateSource, KeyPair } from './source.ts';

export interface SecretCertificatesOptions {
  readonly client: Client;
  /** The Secret that the replicas share. It is made where it is missing. */
  readonly secret: ObjectKey & { readonly namespace: string };
  /** DNS names and addresses of the webhook: `webhook.system.svc`. */
  readonly names: readonly string[];
  /** Whose caBundle to keep right. */
  readonly publishTo?: CaBundleTargets;
  /** Default a year. */
  readonly authorityLifetimeMs?: number;
  /** Default 90 days. */
  readonly servingLifetimeMs?: number;
  /** How long a new authority is published before it is used. Default 5 minutes. */
  readonly settleMs?: number;
  /** How often the Secret and the bundles are looked at. Default 30 s. */
  readonly checkMs?: number;
  readonly clock?: Clock;
  /** A later check that failed; the certificate in use stays. Must not throw. */
  readonly onError?: (error: unknown) => void;
}

const day = 24 * 60 * 60_000;
const attempts = 10;

/**
 * Certificates that look after themselves: an authority and a serving certificate, made where there are none, kept in
 * a Secret so that all replicas serve the same, renewed long before they expire, trusted before they are served.
 * Any replica may do the work, and all may at once: each write is guarded, and who loses takes what won.
 */
export class SecretCertificates implements CertificateSource {
  readonly #options: SecretCertificatesOptions;
  readonly #clock: Clock;
  readonly #policy: RotationPolicy;
  readonly #listeners = new Set<(pair: KeyPair) => void>();
  readonly #abort = new AbortController();
  #current: KeyPair | undefined;
  #cancel: (() => void) | undefined;
  #checking: Promise<void> | undefined;

  constructor(options: SecretCertificatesOptions) {
    this.#options = options;
    this.#clock = options.clock ?? systemClock;
    this.#policy = {
      commonName: `${options.secret.name}.${options.secret.namespace}`.slice(0, 39),
      names: options.names,
      authorityLifetimeMs: options.authorityLifetimeMs ?? 365 * day,
      servingLifetimeMs: options.servingLifetimeMs ?? 90 * day,
      settleMs: options.settleMs ?? 5 * 60_000,
    };
  }

  /** Rejects when the Secret cannot be read or written, or a bundle not be published: RBAC, mostly. */
  async start(): Promise<KeyPair> {
    const pair = await this.#check();
    this.#schedule();
    return pair;
  }

  onChange(listener: (pair: KeyPair) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Looks at once, instead of at the next interval. */
  async check(): Promise<void> {
    await this.#check();
  }

  async close(): Promise<void> {
    this.#abort.abort();
    this.#cancel?.();
    await this.#checking;
  }

  #schedule(): void {
    if (this.#abort.signal.aborted) return;
    this.#cancel = this.#clock.after(
      this.#options.checkMs ?? 30_000,
      () => {
        this.#checking = this.#check().then(
          () => {},
          (error) => {
            if (!this.#abort.signal.aborted) this.#options.onError?.(error);
          },
        );
        void this.#checking.then(() => this.#schedule());
      },
      { unref: true },
    );
  }

  async #check(): Promise<KeyPair> {
    const { serving } = await this.#settle();
    const changed = this.#current !== undefined && this.#current.certificate !== serving.certificate;
    this.#current = serving;
    if (changed) for (const listener of this.#listeners) listener(serving);
    return serving;
  }

  /** Until the Secret holds what it should. What is published is always what is stored: a bundle that lost a race is not. */
  async #settle(): Promise<CertificateState> {
    const { client, secret, publishTo } = this.#options;
    for (let attempt = 1; attempt <= attempts; attempt += 1) {
      const stored = await this.#read();
      const state = stored && stateOf(stored);
      // Before the decision: a certificate of a new authority is made only once its bundle is known to be published,
      // and was so already at the last look.
      const late = state && publishTo && (await publishCaBundle(client, publishTo, state.bundle, this.#abort.signal));
      const policy = late ? { ...this.#policy, settleMs: Number.POSITIVE_INFINITY } : this.#policy;
      const next = await nextState(state, this.#clock.now(), policy);
      if (next === state) return state;
      await this.#write(stored, next);
    }
    throw new KubeError(
      'conflict',
      `the certificates in the Secret ${keyText(secret)} change faster than they can be read; does another program write it?`,
    );
  }

  async #read(): Promise<Secret | undefined> {
    const { client, secret } = this.#options;
    try {
      return await client.get(Secret, secret, { signal: this.#abort.signal });
    } catch (error) {
      if (error instanceof KubeError && error.code === 'not-found') return undefined;
      throw error;
    }
  }

  /** Losing against another replica is as good as winning: what it wrote is read next. */
  async #write(stored: Secret | undefined, state: CertificateState): Promise<void> {
    const { client, secret } = this.#options;
    const options = { signal: this.#abort.signal };
    try {
      if (stored === undefined) {
        await client.create(
          Secret,
          { metadata: { ...secret }, type: 'kubernetes.io/tls', data: dataOf(state) },
          options,
        );
      } else {
        const data = { ...stored.data, ...dataOf(state) };
        await client.update(Secret, { ...stored, metadata: { ...stored.metadata }, data }, options);
      }
    } catch (error) {
      if (!isConflict(error) && !isAlreadyExists(error)) throw error;
    }
  }
}

const encode = (text: string) => Buffer.from(text).toString('base64');
const decode = (text: string | undefined) => Buffer.from(text ?? '', 'base64').toString('utf8');

function dataOf({ bundle, authorityKey, serving }: CertificateState): Record<string, string> {
  return {
    'ca.crt': encode(bundle),
    'ca.key': encode(authorityKey),
    'tls.crt': encode(serving.certificate),
    'tls.key': encode(serving.key),
  };
}

function stateOf({ data = {} }: Secret): CertificateState {
  return {
    bundle: decode(data['ca.crt']),
    authorityKey: decode(data['ca.key']),
    serving: { certificate: decode(data['tls.crt']), key: decode(data['tls.key']) },
  };
}
