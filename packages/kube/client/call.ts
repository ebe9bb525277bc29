import { KubeError } from '../errors.ts';
import type { Kind } from '../kind.ts';
import { apiVersionOf, resourceName } from '../kind.ts';
import type { ObjectKey } from '../object.ts';
import { keyText } from '../object.ts';
import type { Asked } from '../transport/answer.ts';
import { errorFromAnswer } from '../transport/answer.ts';
import type { KubeRequest, KubeResponse, Transport } from '../transport/contract.ts';
import { warningChannel } from '../transport/diagnostics.ts';
import type { CallOptions } from './contract.ts';
import { warningsIn } from './warnings.ts';

export interface ClientOptions {
  /** Called with each warning that the API server sends along. Also published on `sandbank:kube:warning`. */
  readonly onWarning?: ((text: string, resource: string) => void) | undefined;
  /** The name under which writes are recorded in managedFields, where a call gives none. */
  readonly fieldManager?: string | undefined;
}

export interface Call {
  readonly verb: string;
  readonly kind: Kind;
  readonly key?: ObjectKey | undefined;
  readonly subresource?: string | undefined;
  readonly options: CallOptions | undefined;
  readonly request: KubeRequest;
}

const json = { accept: 'application/json' };
const partialObject = { accept: 'application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1,application/json' };
const partialList = { accept: 'application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1,application/json' };

export function acceptObject(metadataOnly: boolean | undefined): Record<string, string> {
  return metadataOnly ? partialObject : json;
}

export function acceptList(metadataOnly: boolean | undefined): Record<string, string> {
  return metadataOnly ? partialList : json;
}

export function askedOf(transport: Transport, call: Pick<Call, 'verb' | 'kind' | 'key' | 'subresource'>): Asked {
  return {
    verb: call.verb,
    resource: resourceName(call.kind),
    object: call.key === undefined ? undefined : keyText(call.key),
    apiVersion: apiVersionOf(call.kind),
    subresource: call.subresource,
    about: transport.about,
  };
}

/** Sends one call and gives the parsed answer; everything that is no success is thrown. */
export async function send<T>(transport: Transport, client: ClientOptions, call: Call): Promise<T> {
  const response = await transport.request(call.request);
  if (response.headers['warning'] !== undefined) report(response, client, resourceName(call.kind));
  if (response.status >= 300) throw errorFromAnswer(response, askedOf(transport, call));
  return parseBody<T>(response, () => askedOf(transport, call));
}

export function parseBody<T>(response: KubeResponse, asked: () => Asked): T {
  try {
    return JSON.parse(response.body.toString('utf8')) as T;
  } catch (cause) {
    const { verb, resource, about } = asked();
    const from = about ? ` ${about.server}` : '';
    throw new KubeError(
      'bad-response',
      `${verb} ${resource}: the server${from} answered ${response.status} with something that is not JSON. Check that the address is that of an API server and no proxy answers in its place.`,
      { cause, status: response.status },
    );
  }
}

function report(response: KubeResponse, client: ClientOptions, resource: string): void {
  for (const text of warningsIn(response.headers)) {
    client.onWarning?.(text, resource);
    if (warningChannel.hasSubscribers) warningChannel.publish({ resource, text });
  }
}
