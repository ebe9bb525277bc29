import type { ApiRequest, ApiResponse } from '../../http/exchange.ts';
import type { PathHandler } from '../../http/handler.ts';
import type { JsonObject } from '../../schema/structural.ts';

export function get(target: string, headers: Record<string, string> = {}): ApiRequest {
  const { pathname, searchParams } = new URL(target, 'https://here');
  return {
    method: 'GET',
    path: pathname,
    query: searchParams,
    headers: { host: 'here:6443', ...headers },
    body: Buffer.alloc(0),
    user: { name: 'tester', groups: [] },
    signal: new AbortController().signal,
  };
}

/** The answer of a handler that must have one. */
export async function ask(
  handler: PathHandler,
  target: string,
  headers?: Record<string, string>,
): Promise<ApiResponse> {
  const response = await handler(get(target, headers));
  if (!response) throw new Error(`nothing answers ${target}`);
  return response;
}

export const parsed = ({ body }: ApiResponse): JsonObject => JSON.parse(String(body)) as JsonObject;
