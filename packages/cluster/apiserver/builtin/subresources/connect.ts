/**
 * exec, attach and port-forward. They change the protocol of their connection, which only a listener can do: it asks
 * `connection` what is meant, and bridges the streams to the node. Without an upgrade the handlers here refuse.
 */
import { badRequest } from '../../http/api-error.ts';
import type { ApiRequest } from '../../http/exchange.ts';
import { isTrue } from '../../http/request-info.ts';
import type { SubresourceHandler } from '../../http/resource-handler.ts';
import type { JsonObject } from '../../schema/structural.ts';
import type { Engine, Target } from '../../verbs/engine.ts';
import { objectOf } from '../../verbs/stored-object.ts';
import { currentEntry } from '../../verbs/update.ts';
import { metadataAt, statusAt, textAt } from '../fields.ts';
import type { NodePort, NodePorts } from './node-port.ts';
import { nodeOf, podTarget } from './pod-target.ts';

export interface StreamsWanted {
  readonly stdin: boolean;
  readonly stdout: boolean;
  readonly stderr: boolean;
  readonly tty: boolean;
}

export type Connection = { readonly pod: JsonObject; readonly node: NodePort } & (
  | {
      readonly kind: 'exec';
      readonly container: string;
      readonly command: readonly string[];
      readonly streams: StreamsWanted;
    }
  | { readonly kind: 'attach'; readonly container: string; readonly streams: StreamsWanted }
  | { readonly kind: 'portforward'; readonly ports: readonly number[] }
);

export const CONNECTIONS = ['exec', 'attach', 'portforward'] as const;

/** What a request for a connection means. Throws the ApiError that answers it instead. */
export function connection(
  engine: Engine,
  target: Target,
  { query }: Pick<ApiRequest, 'query'>,
  nodes: NodePorts | undefined,
): Connection {
  const kind = CONNECTIONS.find((known) => known === target.subresource);
  if (!kind) throw badRequest(`${target.subresource} is not a connection to a pod`);
  if (kind === 'portforward') {
    const pod = objectOf(currentEntry(engine, target));
    if (textAt(statusAt(pod), 'phase') !== 'Running' && textAt(statusAt(pod), 'phase') !== '')
      throw badRequest(
        `unable to forward port because pod is not running. Current status=${textAt(statusAt(pod), 'phase')}`,
      );
    return { kind, pod, node: nodeOf(pod, nodes), ports: portsOf(query) };
  }
  const found = podTarget(engine, target, nodes, query.get('container') ?? '');
  const phase = textAt(statusAt(found.pod), 'phase');
  const name = textAt(metadataAt(found.pod), 'name');
  if (phase === 'Succeeded' || phase === 'Failed')
    throw badRequest(`cannot exec into a container in a completed pod; current phase is ${phase} (pod ${name})`);
  const streams = streamsOf(query);
  if (kind === 'attach') return { kind, ...found, streams };
  const command = query.getAll('command');
  if (command.length === 0) throw badRequest('you must specify at least 1 command for the container');
  return { kind, ...found, command, streams };
}

function streamsOf(query: URLSearchParams): StreamsWanted {
  const flag = (name: string, otherwise: string) => isTrue(query.get(name) ?? otherwise);
  const tty = flag('tty', 'false');
  const wanted = {
    stdin: flag('stdin', 'false'),
    stdout: flag('stdout', 'true'),
    stderr: flag('stderr', 'true') && !tty,
    tty,
  };
  if (!wanted.stdin && !wanted.stdout && !wanted.stderr)
    throw badRequest('you must specify at least 1 of stdin, stdout, stderr');
  return wanted;
}

function portsOf(query: URLSearchParams): number[] {
  const ports = query
    .getAll('ports')
    .flatMap((text) => text.split(','))
    .filter((text) => text !== '')
    .map(Number);
  const bad = ports.find((port) => !(Number.isInteger(port) && port > 0 && port < 65536));
  if (bad !== undefined) throw badRequest(`${bad} is not a port`);
  return ports;
}

/** Reached by a plain request only: an upgrade never comes here. */
export function connectHandler(nodes: NodePorts | undefined): SubresourceHandler {
  return async (engine, target, request) => {
    connection(engine, target, request, nodes);
    throw badRequest('Upgrade request required');
  };
}
