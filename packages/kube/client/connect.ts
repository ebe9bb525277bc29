import type { ClusterConfig } from '../config/cluster-config.ts';
import type { LoadOptions } from '../config/load.ts';
import { loadConfig } from '../config/load.ts';
import type { ServerVersion } from '../discovery/version.ts';
import { serverVersion } from '../discovery/version.ts';
import type { Transport } from '../transport/contract.ts';
import type { TransportOptions } from '../transport/http.ts';
import { createTransport } from '../transport/http.ts';
import type { ClientOptions } from './call.ts';
import { createClient } from './client.ts';
import type { Client } from './contract.ts';

export interface ConnectOptions extends LoadOptions {
  /** Instead of looking for one. */
  readonly config?: ClusterConfig | undefined;
  readonly transport?: TransportOptions | undefined;
  readonly client?: ClientOptions | undefined;
  /** How long to wait for the first answer. Default 10 s. */
  readonly deadlineMs?: number | undefined;
  readonly signal?: AbortSignal | undefined;
}

export interface Connected extends AsyncDisposable {
  readonly config: ClusterConfig;
  readonly transport: Transport;
  readonly client: Client;
  readonly version: ServerVersion;
}

/**
 * Finds the cluster and proves that it answers and takes our credentials before anything else starts. Whatever is wrong
 * comes out as one KubeError whose message can be shown as it is.
 */
export async function connect(options: ConnectOptions = {}): Promise<Connected> {
  const config = options.config ?? loadConfig(options);
  const transport = createTransport(config, options.transport);
  try {
    const version = await serverVersion(transport, { timeoutMs: options.deadlineMs ?? 10_000, signal: options.signal });
    const client = createClient(transport, options.client);
    return { config, transport, client, version, [Symbol.asyncDispose]: () => transport.close() };
  } catch (error) {
    await transport.close();
    throw error;
  }
}
