/** Small answers of the plain HTTP routes, with the headers that the recordings show. e2b 3.5 */
import type { ServerResponse } from 'node:http';

const jsonError = 'application/json; charset=utf-8';
const text = 'text/plain; charset=utf-8';

export const unavailableText = 'the sandbox is being reset, or its reset was refused and it waits to be deleted';

/** `{code, message}`, one line. */
export function replyError(response: ServerResponse, status: number, message: string): void {
  if (response.headersSent) {
    response.destroy();
    return;
  }
  const body = Buffer.from(`${JSON.stringify({ code: status, message })}\n`, 'utf8');
  response.writeHead(status, {
    'content-type': jsonError,
    'x-content-type-options': 'nosniff',
    'content-length': body.byteLength,
  });
  response.end(body);
}

export function replyText(response: ServerResponse, status: number, message: string): void {
  const body = Buffer.from(`${message}\n`, 'utf8');
  response.writeHead(status, {
    'content-type': text,
    'x-content-type-options': 'nosniff',
    'content-length': body.byteLength,
  });
  response.end(body);
}

export function replyJson(response: ServerResponse, status: number, value: unknown): void {
  const body = Buffer.from(`${JSON.stringify(value)}\n`, 'utf8');
  response.writeHead(status, { 'content-type': 'application/json', 'content-length': body.byteLength });
  response.end(body);
}

export function replyEmpty(response: ServerResponse, status: number): void {
  response.writeHead(status, status === 204 ? {} : { 'content-length': 0 }).end();
}

export function replyNotFound(response: ServerResponse): void {
  replyText(response, 404, '404 page not found');
}

export function replyWrongMethod(response: ServerResponse, allow: string): void {
  response.writeHead(405, { allow, 'content-length': 0 }).end();
}
