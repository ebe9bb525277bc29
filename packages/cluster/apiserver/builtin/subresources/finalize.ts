import { jsonResponse } from '../../http/exchange.ts';
import { contextOf, writeCall } from '../../http/options.ts';
import type { SubresourceHandler } from '../../http/resource-handler.ts';
import { update } from '../../verbs/update.ts';
import type { ReadBody } from './read-body.ts';

/** `PUT namespaces/x/finalize`: who has cleaned up takes its name off; with the last name, the namespace is gone. */
export function finalizeHandler(readBody: ReadBody): SubresourceHandler {
  return async (engine, target, request, verb, warnings) => {
    if (verb !== 'update') return undefined;
    const call = writeCall(request, contextOf(request, engine.now(), warnings, 'finalize'));
    return jsonResponse(200, await update(engine, target, readBody(request), call));
  };
}
