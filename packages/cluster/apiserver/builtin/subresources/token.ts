import { jsonResponse } from '../../http/exchange.ts';
import type { SubresourceHandler } from '../../http/resource-handler.ts';
import type { JsonObject } from '../../schema/structural.ts';
import type { ReadBody } from './read-body.ts';

/** Makes a token for an account. Whoever has the signing key implements it; it throws an ApiError for what it refuses. */
export type IssueToken = (request: {
  readonly namespace: string;
  readonly name: string;
  readonly object: JsonObject;
}) => Promise<JsonObject>;

/** `POST serviceaccounts/x/token`. */
export function tokenHandler(readBody: ReadBody, issue: IssueToken): SubresourceHandler {
  return async (_engine, target, request) =>
    jsonResponse(201, await issue({ namespace: target.namespace ?? '', name: target.name, object: readBody(request) }));
}
