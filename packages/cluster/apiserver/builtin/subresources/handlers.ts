/** Every subresource of the built-in kinds that has rules of its own, by `group/plural/subresource`. */
import { type DecodeProtobuf, decodeObject } from '../../http/body.ts';
import type { SubresourceHandler } from '../../http/resource-handler.ts';
import { bindingHandler } from './binding.ts';
import { connectHandler } from './connect.ts';
import { evictionHandler } from './eviction.ts';
import { finalizeHandler } from './finalize.ts';
import { logHandler } from './log.ts';
import type { NodePorts } from './node-port.ts';
import type { ReadBody } from './read-body.ts';
import { ephemeralContainersHandler, proxyHandler } from './refused.ts';
import { resizeHandler } from './resize.ts';
import { scaleHandler } from './scale.ts';
import { type IssueToken, tokenHandler } from './token.ts';

export interface SubresourceOptions {
  readonly nodes?: NodePorts | undefined;
  readonly issueToken?: IssueToken | undefined;
  readonly decodeProtobuf?: DecodeProtobuf | undefined;
}

export function subresourceHandlers(options: SubresourceOptions = {}): ReadonlyMap<string, SubresourceHandler> {
  const { nodes, issueToken, decodeProtobuf } = options;
  const readBody: ReadBody = (request) =>
    request.body.length === 0 ? {} : decodeObject(request, decodeProtobuf, false).value;
  const scale = scaleHandler(readBody);
  const connect = connectHandler(nodes);
  return new Map<string, SubresourceHandler>([
    ['/pods/log', logHandler(nodes)],
    ['/pods/exec', connect],
    ['/pods/attach', connect],
    ['/pods/portforward', connect],
    ['/pods/binding', bindingHandler(readBody)],
    ['/pods/eviction', evictionHandler(readBody)],
    ['/pods/resize', resizeHandler(readBody)],
    ['/pods/ephemeralcontainers', ephemeralContainersHandler],
    ['/pods/proxy', proxyHandler],
    ['/services/proxy', proxyHandler],
    ['/nodes/proxy', proxyHandler],
    ['/namespaces/finalize', finalizeHandler(readBody)],
    ['/replicationcontrollers/scale', scale],
    ['apps/deployments/scale', scale],
    ['apps/replicasets/scale', scale],
    ['apps/statefulsets/scale', scale],
    ...(issueToken ? [['/serviceaccounts/token', tokenHandler(readBody, issueToken)] as const] : []),
  ]);
}
