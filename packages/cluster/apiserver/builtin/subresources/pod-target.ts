/** From a request for logs or a connection to the pod and container it means, or to the refusal that the real server gives. */
import { ApiError, badRequest } from '../../http/api-error.ts';
import type { JsonObject } from '../../schema/structural.ts';
import type { Engine, Target } from '../../verbs/engine.ts';
import { objectOf } from '../../verbs/stored-object.ts';
import { currentEntry } from '../../verbs/update.ts';
import { metadataAt, objectAt, objectsAt, specAt, textAt } from '../fields.ts';
import type { NodePort, NodePorts } from './node-port.ts';

const DEFAULT_CONTAINER = 'kubectl.kubernetes.io/default-container';

export interface PodTarget {
  readonly pod: JsonObject;
  readonly container: string;
  readonly node: NodePort;
}

export function podTarget(engine: Engine, target: Target, nodes: NodePorts | undefined, container: string): PodTarget {
  const found = podContainer(engine, target, container);
  return { ...found, node: nodeOf(found.pod, nodes) };
}

export function podContainer(engine: Engine, target: Target, container: string): Pick<PodTarget, 'pod' | 'container'> {
  const pod = objectOf(currentEntry(engine, target));
  return { pod, container: containerOf(pod, container) };
}

export function nodeOf(pod: JsonObject, nodes: NodePorts | undefined): NodePort {
  const name = textAt(metadataAt(pod), 'name');
  const nodeName = textAt(specAt(pod), 'nodeName');
  if (nodeName === '') throw badRequest(`pod ${name} does not have a host assigned`);
  const node = nodes?.(nodeName);
  if (!node)
    throw new ApiError(
      501,
      'NotImplemented',
      `node "${nodeName}" has no way to reach its containers from here: logs, exec, attach and port-forward need a node of this server`,
    );
  return node;
}

function containerOf(pod: JsonObject, wanted: string): string {
  const name = textAt(metadataAt(pod), 'name');
  const of = (kind: string) => objectsAt(specAt(pod), kind).map((one) => textAt(one, 'name'));
  const [containers, inits] = [of('containers'), of('initContainers')];
  const all = [...containers, ...inits, ...of('ephemeralContainers')];
  if (wanted !== '') {
    if (!all.includes(wanted)) throw badRequest(`container ${wanted} is not valid for pod ${name}`);
    return wanted;
  }
  if (containers.length === 1 && inits.length === 0 && containers[0] !== undefined) return containers[0];
  const annotated = textAt(objectAt(metadataAt(pod), 'annotations'), DEFAULT_CONTAINER);
  if (all.includes(annotated)) return annotated;
  throw badRequest(
    `a container name must be specified for pod ${name}, choose one of: [${[...inits, ...containers].join(' ')}]`,
  );
}
