/** Subresources that this server does not have. Each says so, and what to do instead. */
import { ApiError } from '../../http/api-error.ts';
import { jsonResponse } from '../../http/exchange.ts';
import type { SubresourceHandler } from '../../http/resource-handler.ts';
import { objectOf } from '../../verbs/stored-object.ts';
import { currentEntry } from '../../verbs/update.ts';

const refused =
  (message: string): SubresourceHandler =>
  async (engine, target, _request, verb) => {
    const entry = currentEntry(engine, target);
    if (verb === 'get' && target.subresource === 'ephemeralcontainers') return jsonResponse(200, objectOf(entry));
    throw new ApiError(501, 'NotImplemented', message);
  };

export const ephemeralContainersHandler = refused(
  'ephemeral containers are not supported by the embedded cluster: use exec, or run the debugging tools in a pod of their own',
);
export const proxyHandler = refused(
  'the API server of the embedded cluster proxies no requests: use port-forward, or the address of the pod, service or node',
);
