import { objectPath } from '../kind.ts';
import type { ObjectKey } from '../object.ts';
import { keyText } from '../object.ts';
import type { Asked } from '../transport/answer.ts';
import type { Transport } from '../transport/contract.ts';

const pods = { group: '', version: 'v1', kind: 'Pod', plural: 'pods', namespaced: true };

export function podPath(pod: ObjectKey, subresource: string): string {
  return objectPath(pods, pod, subresource);
}

export function askedOfPod(transport: Transport, verb: string, pod: ObjectKey, subresource: string): Asked {
  return { verb, resource: 'pods', object: keyText(pod), apiVersion: 'v1', subresource, about: transport.about };
}
