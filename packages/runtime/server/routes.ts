/** The table of routes. RPC services and file routes are loaded at first use: most warm sandboxes only answer /health. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { equalSecrets } from '../auth/token.ts';
import type { ContextBase } from '../connect/dispatch.ts';
import type { RuntimeContext } from './context.ts';
import { handleEnvs, handleHealth } from './health.ts';
import { handleInit } from './init.ts';
import { replyError, replyNotFound, replyWrongMethod, unavailableText } from './reply.ts';
import type { Handler } from './router.ts';

type Handlers = ReadonlyMap<string, Handler>;
export type RpcCall = (request: IncomingMessage, response: ServerResponse, base: ContextBase) => Promise<void>;

export interface Routes {
  readonly plain: ReadonlyMap<string, Handlers>;
  readonly control: ReadonlyMap<string, Handlers>;
  /** A control listener exists: then the data listener has no control routes at all. */
  readonly controlIsSeparate: boolean;
  rpc(path: string): Promise<RpcCall | undefined>;
  answerControl(
    handlers: Handlers | undefined,
    path: string,
    request: IncomingMessage,
    response: ServerResponse,
  ): Promise<void>;
}

export function createRoutes(context: RuntimeContext): Routes {
  const one = (method: string, handler: Handler): Handlers => new Map([[method, handler]]);
  const health = one('GET', (_request, response) => handleHealth(response));
  const metrics = loadOnce(() => import('./metrics.ts'));
  const downloads = loadOnce(() => import('../files/download.ts'));
  const uploads = loadOnce(() => import('../files/upload.ts'));
  const composes = loadOnce(() => import('../files/compose.ts'));
  const services = loadOnce(async () => await (await import('./services.ts')).createServices(context));
  return {
    plain: new Map<string, Handlers>([
      ['/health', health],
      ['/envs', one('GET', (_request, response) => handleEnvs(context.state, response))],
      ['/metrics', one('GET', async (_request, response) => (await metrics()).handleMetrics(response))],
      [
        '/files',
        new Map<string, Handler>([
          ['GET', async (request, response) => await (await downloads()).download(context, request, response)],
          ['POST', async (request, response) => await (await uploads()).upload(context, request, response)],
        ]),
      ],
      [
        '/files/compose',
        one('POST', async (request, response) => await (await composes()).compose(context, request, response)),
      ],
    ]),
    control: new Map<string, Handlers>([
      ['/health', health],
      ['/init', one('POST', (request, response) => handleInit(context, request, response))],
      [
        '/reset',
        one('POST', async (request, response) =>
          (await import('../reset/route.ts')).handleReset(context, request, response),
        ),
      ],
    ]),
    controlIsSeparate: context.config.control !== undefined,
    rpc: async (path) => {
      const [, service, method, ...rest] = path.split('/');
      if (service === undefined || method === undefined || rest.length > 0 || !service.includes('.')) return undefined;
      return (await services())(service, method);
    },
    answerControl: async (handlers, path, request, response) => {
      if (path !== '/health' && !controlAllowed(context, request)) {
        request.resume();
        replyError(response, 401, 'the control listener needs its token in X-Control-Token');
        return;
      }
      // Whoever claims a sandbox must not believe that it got one that waits to be deleted.
      if (path === '/init' && context.availability !== 'open') {
        request.resume();
        replyError(response, 503, unavailableText);
        return;
      }
      if (handlers === undefined) {
        request.resume();
        replyNotFound(response);
        return;
      }
      const handler = handlers.get(request.method ?? '');
      if (handler === undefined) {
        request.resume();
        replyWrongMethod(response, [...handlers.keys()].join(', '));
        return;
      }
      await handler(request, response);
    },
  };
}

function controlAllowed(context: RuntimeContext, request: IncomingMessage): boolean {
  const expected = context.config.controlToken;
  if (expected === undefined) return true;
  const given = request.headers['x-control-token'];
  return typeof given === 'string' && equalSecrets(given, expected);
}

function loadOnce<T>(load: () => Promise<T>): () => Promise<T> {
  let loading: Promise<T> | undefined;
  return () => {
    loading ??= load();
    return loading;
  };
}
