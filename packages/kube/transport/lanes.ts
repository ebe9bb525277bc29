import { Pool } from 'undici';
import type { ClusterConfig } from '../config/cluster-config.ts';
import type { ClientCertificate } from '../config/credentials.ts';
import { createDialer, type Dial } from './dial.ts';

export interface LaneSettings {
  /** Most connections for requests at one time. */
  readonly connections: number;
}

/** The connections of one client certificate: one pool for requests, one for streams, so that watches never starve writes. */
export interface Lane {
  readonly certificate: ClientCertificate | undefined;
  readonly requests: Pool;
  readonly streams: Pool;
  readonly dial: Dial;
}

/** Hands out the lane that fits the certificate of the moment, and retires the one before when it changed. */
export class Lanes {
  readonly #config: ClusterConfig;
  readonly #settings: LaneSettings;
  #current: Lane | undefined;

  constructor(config: ClusterConfig, settings: LaneSettings) {
    this.#config = config;
    this.#settings = settings;
  }

  for(certificate: ClientCertificate | undefined): Lane {
    const lane = this.#current;
    if (lane !== undefined && lane.certificate === certificate) return lane;
    // What is under way on the old certificate ends there by itself.
    void lane?.requests.close();
    void lane?.streams.close();
    this.#current = this.#open(certificate);
    return this.#current;
  }

  async destroy(): Promise<void> {
    await Promise.all([this.#current?.requests.destroy(), this.#current?.streams.destroy()]);
  }

  #open(certificate: ClientCertificate | undefined): Lane {
    const { origin } = this.#config.server;
    const connect = createDialer(this.#config, certificate);
    // Deadlines are the exchange's own: undici's would only race with them.
    const shared = { connect, allowH2: false, headersTimeout: 0, bodyTimeout: 0, pipelining: 1, maxHeaderSize: 65_536 };
    return {
      certificate,
      dial: connect,
      // The API server closes idle connections after 90 s; ours must go first.
      requests: new Pool(origin, { ...shared, connections: this.#settings.connections, keepAliveTimeout: 30_000 }),
      streams: new Pool(origin, { ...shared, connections: null, keepAliveTimeout: 4_000 }),
    };
  }
}
