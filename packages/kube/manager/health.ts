import type { IncomingMessage, ServerResponse } from 'node:http';
import { type Listener, type ListenOptions, listen, pathOf } from './listener.ts';

export interface HealthChecks {
  /** Restart me when this is false. */
  readonly live: () => boolean;
  /** Send me no work while this is false. */
  readonly ready: () => boolean;
}

/** Probes. They answer ok or not and nothing else: they are open to everybody. */
export function serveHealth(options: ListenOptions, checks: HealthChecks): Promise<Listener> {
  return listen('health', options, (request, response) => answer(request, response, checks));
}

function answer(request: IncomingMessage, response: ServerResponse, checks: HealthChecks): void {
  const status = statusOf(request, checks);
  response.writeHead(status, { 'content-type': 'text/plain; charset=utf-8', 'cache-control': 'no-store' });
  response.end(status === 200 ? 'ok' : 'not ok');
}

function statusOf({ method, url }: IncomingMessage, checks: HealthChecks): number {
  if (method !== 'GET' && method !== 'HEAD') return 405;
  switch (pathOf(url)) {
    case '/healthz':
    case '/health':
    case '/livez':
      return checks.live() ? 200 : 503;
    case '/readyz':
      return checks.ready() ? 200 : 503;
    default:
      return 404;
  }
}
