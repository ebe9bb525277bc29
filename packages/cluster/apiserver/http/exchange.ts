import type { User } from '../registry/resource.ts';

/** A request as the API server sees it, whether it came over a socket or from the same process. */
export interface ApiRequest {
  readonly method: string;
  readonly path: string;
  readonly query: URLSearchParams;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string | undefined>>;
  readonly body: Buffer;
  readonly user: User;
  /** Aborted when the caller goes away. */
  readonly signal: AbortSignal;
}

export interface ApiResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | readonly string[]>>;
  /** A whole body, or pieces of one that ends when the iteration does. */
  readonly body: string | Buffer | AsyncIterable<string | Buffer>;
}

export function jsonResponse(
  status: number,
  body: unknown,
  headers: Readonly<Record<string, string | readonly string[]>> = {},
): ApiResponse {
  return {
    status,
    headers: { 'content-type': 'application/json', ...headers },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  };
}
