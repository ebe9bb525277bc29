/** Cross-origin rules as recorded: any origin, preflight answered before any check. e2b 3 */
import type { IncomingMessage, ServerResponse } from 'node:http';

const exposed = 'Grpc-Status, Grpc-Message, Grpc-Status-Details-Bin, Location, Cache-Control, X-Content-Type-Options';

/** True if the request was a preflight and has been answered. */
export function handleCors(request: IncomingMessage, response: ServerResponse): boolean {
  const { origin } = request.headers;
  const method = request.headers['access-control-request-method'];
  if (request.method === 'OPTIONS' && origin !== undefined && method !== undefined) {
    const headers = request.headers['access-control-request-headers'];
    response.writeHead(204, {
      'access-control-allow-origin': '*',
      'access-control-allow-methods': method,
      ...(headers === undefined ? {} : { 'access-control-allow-headers': headers }),
      'access-control-max-age': '7200',
      vary: 'Origin, Access-Control-Request-Method, Access-Control-Request-Headers',
    });
    response.end();
    return true;
  }
  response.setHeader('vary', 'Origin');
  if (origin !== undefined) {
    response.setHeader('access-control-allow-origin', '*');
    response.setHeader('access-control-expose-headers', exposed);
  }
  return false;
}
