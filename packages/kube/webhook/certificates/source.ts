/** A certificate and its key, PEM. */
export interface KeyPair {
  readonly certificate: string;
  readonly key: string;
}

/** Where a server gets its certificate from, now and whenever it changes. */
export interface CertificateSource {
  /** The first pair; rejects when there is none to be had, and says why. */
  start(): Promise<KeyPair>;
  /** Calls back on each later pair; the returned function ends that. */
  onChange(listener: (pair: KeyPair) => void): () => void;
  close(): Promise<void>;
}
