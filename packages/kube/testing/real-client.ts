import { afterAll, beforeAll, describe } from 'vitest';
import { type Connected, connect } from '../client/connect.ts';
import type { Client } from '../client/contract.ts';
import { Namespace } from '../kinds/index.ts';

export interface RealServer {
  readonly client: Client;
  /** Made for this suite, and removed after it. */
  readonly namespace: string;
  /** What the server warned about, the last one last. */
  readonly warnings: string[];
}

/** A suite on the given API server, in a namespace of its own; skipped where there is none. */
export function describeReal(
  api: { readonly kubeconfig: string } | null,
  title: string,
  suite: (server: () => RealServer) => void,
): void {
  describe.skipIf(api === null)(title, () => {
    let connected: Connected | undefined;
    let namespace = '';
    const warnings: string[] = [];
    beforeAll(async () => {
      connected = await connect({
        kubeconfig: api?.kubeconfig,
        client: { onWarning: (message) => warnings.push(message) },
      });
      const made = await connected.client.create(Namespace, { metadata: { generateName: 'kube-helpers-' } });
      namespace = made.metadata?.name ?? '';
    });
    afterAll(async () => {
      await connected?.client.delete(Namespace, { name: namespace });
      await connected?.[Symbol.asyncDispose]();
    });
    suite(() => {
      if (!connected) throw new Error('the suite asked for the server before it was there');
      return { client: connected.client, namespace, warnings };
    });
  });
}
