/** From a request to its route: CORS, token, user, then the path. The order is the recorded one. e2b 3.1 */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { basicUser, mayAsk, unauthorized } from '../auth/request.ts';
import type { ContextBase } from '../connect/dispatch.ts';
import type { RuntimeContext } from './context.ts';
import { handleCors } from './cors.ts';
import { HttpError, RuntimeError } from './errors.ts';
import { replyError, replyNotFound, replyWrongMethod, unavailableText } from './reply.ts';
import type { Routes } from './routes.ts';
import { rpcUser } from './state.ts';

export type Audience = 'data' | 'control';

export function createRouter(context: RuntimeContext, routes: Routes, audience: Audience) {
  return (request: IncomingMessage, response: ServerResponse): void => {
    answer(context, routes, audience, request, response).catch((thrown: unknown) => {
      if (thrown instanceof HttpError) {
        replyError(response, thrown.status, thrown.message);
        return;
      }
      context.log.error('request failed', { method: request.method, path: pathOf(request), error: thrown });
      replyError(response, 500, thrown instanceof Error ? thrown.message : String(thrown));
    });
  };
}

async function answer(
  context: RuntimeContext,
  routes: Routes,
  audience: Audience,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  if (handleCors(request, response)) return;
  const path = pathOf(request);
  const control = routes.control.get(path);
  if (audience === 'control') {
    await routes.answerControl(control, path, request, response);
    return;
  }
  if (context.availability !== 'open' && path !== '/health') {
    request.resume();
    replyError(response, 503, unavailableText);
    return;
  }
  if (!mayAsk({ state: context.state, insecureNoToken: context.config.insecureNoToken }, request, path)) {
    request.resume();
    replyError(response, 401, unauthorized);
    return;
  }
  const user = basicUser(request.headers.authorization);
  if (user !== undefined && context.users.find(user) === undefined) {
    await refuseUser(request, response, user);
    return;
  }
  if (path === '/init' && control !== undefined && !routes.controlIsSeparate) {
    await byMethod(control, request, response);
    return;
  }
  const plain = routes.plain.get(path);
  if (plain !== undefined) {
    await byMethod(plain, request, response);
    return;
  }
  await rpc(context, routes, path, user, request, response);
}

async function byMethod(
  handlers: ReadonlyMap<string, Handler>,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const handler = handlers.get(request.method ?? '');
  if (handler === undefined) {
    request.resume();
    replyWrongMethod(response, [...handlers.keys()].join(', '));
    return;
  }
  await handler(request, response);
}

export type Handler = (request: IncomingMessage, response: ServerResponse) => Promise<void> | void;

async function rpc(
  context: RuntimeContext,
  routes: Routes,
  path: string,
  user: string | undefined,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const call = await routes.rpc(path);
  if (call === undefined) {
    request.resume();
    replyNotFound(response);
    return;
  }
  if (request.method !== 'POST') {
    request.resume();
    replyWrongMethod(response, 'POST');
    return;
  }
  const base: ContextBase = {
    user: () => rpcUser(context.state, context.users, user),
    header: (name) => {
      const value = request.headers[name];
      return Array.isArray(value) ? value[0] : value;
    },
    answerHeader: (name, value) => response.setHeader(name, value),
  };
  await call(request, response, base);
}

/** On streams the refusal is an end envelope in a 200, elsewhere a unary error; on every route, also /health. */
async function refuseUser(request: IncomingMessage, response: ServerResponse, user: string): Promise<void> {
  request.resume();
  const error = new RuntimeError('unauthenticated', `invalid username: '${user}'`);
  const contentType = request.headers['content-type'] ?? '';
  const { failedStreamBody, writeUnaryError } = await import('../connect/dispatch.ts');
  if (!contentType.startsWith('application/connect+')) {
    writeUnaryError(response, error);
    return;
  }
  const body = failedStreamBody(error);
  response.writeHead(200, { 'content-type': contentType, 'content-length': body.byteLength }).end(body);
}

export function pathOf(request: IncomingMessage): string {
  const url = request.url ?? '/';
  const question = url.indexOf('?');
  return question === -1 ? url : url.slice(0, question);
}
