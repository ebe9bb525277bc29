import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Registry } from 'prom-client';
import { type Listener, type ListenOptions, listen, pathOf } from './listener.ts';

/** Who may read: whoever this says true to. It gets the bearer token; see `tokenReview`. */
export type CheckToken = (token: string) => Promise<boolean> | boolean;

export interface MetricsServerOptions extends ListenOptions {
  /** `none` opens the metrics to everybody who reaches the port: an explicit choice, and one to warn about. */
  readonly auth: CheckToken | 'none';
}

export function serveMetrics(options: MetricsServerOptions, registry: Registry): Promise<Listener> {
  return listen('metrics', options, (request, response) => {
    answer(request, response, options.auth, registry).catch(() => {
      // Why it failed is for the log of whoever checks tokens, not for whoever asks.
      if (!response.headersSent) response.writeHead(500);
      response.end();
    });
  });
}

async function answer(
  request: IncomingMessage,
  response: ServerResponse,
  auth: CheckToken | 'none',
  registry: Registry,
): Promise<void> {
  const refuse = (status: number, headers: Record<string, string> = {}) =>
    void response.writeHead(status, headers).end();
  // No scraper sends an Origin; a web page that tries to reach us through somebody's browser does.
  if (request.headers.origin !== undefined) return refuse(403);
  if (auth !== 'none') {
    const token = /^Bearer ([\w.~+/=-]+)$/.exec(request.headers.authorization ?? '')?.[1];
    if (token === undefined) return refuse(401, { 'www-authenticate': 'Bearer' });
    if (!(await auth(token))) return refuse(403);
  }
  if (pathOf(request.url) !== '/metrics') return refuse(404);
  if (request.method !== 'GET') return refuse(405);
  const body = await registry.metrics();
  response.writeHead(200, { 'content-type': registry.contentType });
  response.end(body);
}
