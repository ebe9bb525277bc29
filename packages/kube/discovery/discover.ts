import { parseBody } from '../client/call.ts';
import type { CallOptions } from '../client/contract.ts';
import { errorFromAnswer } from '../transport/answer.ts';
import type { KubeResponse, Transport } from '../transport/contract.ts';
import type { AggregatedList } from './aggregated.ts';
import { readAggregated } from './aggregated.ts';
import { discoverLegacy } from './legacy.ts';
import type { Discovered } from './resource.ts';

const aggregated = 'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList';

/**
 * What the API server serves, in two requests where it knows aggregated discovery (1.27 and later), in one per
 * group-version where it does not.
 */
export async function discover(transport: Transport, options: CallOptions = {}): Promise<Discovered> {
  const [core, groups] = await Promise.all([
    fetchDocument(transport, '/api', `${aggregated},application/json`, options),
    fetchDocument(transport, '/apis', `${aggregated},application/json`, options),
  ]);
  if (!isAggregated(core) || !isAggregated(groups)) return discoverLegacy(transport, options);
  const asked = { verb: 'discover', resource: 'apis', about: transport.about };
  return readAggregated([core, groups].map((document) => parseBody<AggregatedList>(document, () => asked)));
}

/** The content type tells: a server that does not know the form answers with the legacy document and plain JSON. */
function isAggregated(document: KubeResponse): boolean {
  const type = document.headers['content-type'];
  return typeof type === 'string' && type.includes('as=APIGroupDiscoveryList');
}

export async function fetchDocument(
  transport: Transport,
  path: string,
  accept: string,
  options: CallOptions,
): Promise<KubeResponse> {
  const { signal, timeoutMs } = options;
  const operation = { verb: 'discover', resource: path };
  const response = await transport.request({ method: 'GET', path, headers: { accept }, signal, timeoutMs, operation });
  if (response.status >= 300) throw errorFromAnswer(response, { ...operation, about: transport.about });
  return response;
}
