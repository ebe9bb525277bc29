import { parseBody } from '../client/call.ts';
import { KubeError } from '../errors.ts';
import { errorFromAnswer } from '../transport/answer.ts';
import type { Transport } from '../transport/contract.ts';

export interface ServerVersion {
  readonly major: string;
  readonly minor: string;
  readonly gitVersion: string;
  readonly platform?: string | undefined;
}

/** What `/version` says; the cheapest proof that an API server is there and takes our credentials. */
export async function serverVersion(
  transport: Transport,
  options: { signal?: AbortSignal | undefined; timeoutMs?: number | undefined } = {},
): Promise<ServerVersion> {
  const asked = { verb: 'get', resource: 'version', about: transport.about };
  const response = await transport.request({
    method: 'GET',
    path: '/version',
    signal: options.signal,
    timeoutMs: options.timeoutMs,
    operation: asked,
  });
  if (response.status >= 300) throw errorFromAnswer(response, asked);
  const version = parseBody<ServerVersion>(response, () => asked);
  if (typeof version?.gitVersion !== 'string') {
    throw new KubeError(
      'bad-response',
      `${transport.about?.server ?? 'The server'} answers, but not as a Kubernetes API server does (no version at /version). Check the address${transport.about ? ` in ${transport.about.source}` : ''}.`,
    );
  }
  return version;
}
