/** The way of every request: who is it, may they, what is it about. What goes wrong on it becomes a Status. */
import type { Attributes, Authenticate, Authorize, Peer } from '../auth/contract.ts';
import type { User } from '../registry/resource.ts';
import { ApiError, pathNotFound, unauthorized } from './api-error.ts';
import { type ApiRequest, type ApiResponse, jsonResponse } from './exchange.ts';
import { type RequestInfo, type ResourceRequest, requestInfo } from './request-info.ts';

/** Paths beside objects: discovery, OpenAPI, version, metrics. Undefined: not mine. */
export type PathHandler = (request: ApiRequest) => Promise<ApiResponse | undefined> | ApiResponse | undefined;

export interface HandlerOptions {
  readonly authenticate: Authenticate;
  readonly authorize: Authorize;
  readonly resources: (request: ApiRequest, info: ResourceRequest) => Promise<ApiResponse>;
  readonly paths: readonly PathHandler[];
  /** Whether the server is fit to serve; asked by the health endpoints. */
  readonly healthy: () => boolean;
  readonly onError?: (error: unknown, request: { method: string; path: string }) => void;
}

export type RawRequest = Omit<ApiRequest, 'user'> & { readonly peer: Peer };
export type Handle = (request: RawRequest) => Promise<ApiResponse>;

/** Answer ok or not and nothing else, to anybody. */
const HEALTH = new Set(['/healthz', '/livez', '/readyz']);

export function createHandler(options: HandlerOptions): Handle {
  return async (raw) => {
    try {
      if (HEALTH.has(raw.path)) return health(options.healthy());
      const user = await identify(options, raw);
      const request: ApiRequest = { ...raw, user };
      const info = requestInfo(raw.method, raw.path, raw.query);
      authorizeRequest(options.authorize, user, info, raw.method);
      if (info.kind === 'resource') return await options.resources(request, info);
      for (const path of options.paths) {
        const response = await path(request);
        if (response) return response;
      }
      throw pathNotFound();
    } catch (error) {
      return errorResponse(error, options, raw);
    }
  };
}

async function identify(options: HandlerOptions, raw: RawRequest): Promise<User> {
  const user = await options.authenticate(raw.headers, raw.peer);
  if (!user) throw unauthorized();
  const as = raw.headers['impersonate-user'];
  if (as !== undefined) return impersonated(options.authorize, user, as, raw);
  // Half an impersonation must not run as the caller.
  if (Object.keys(raw.headers).some((name) => name.startsWith('impersonate-'))) {
    throw new ApiError(500, 'InternalError', 'requested impersonation without a user: set Impersonate-User too');
  }
  return withAuthenticated(user);
}

const withAuthenticated = (user: User): User =>
  user.groups.includes('system:authenticated') ? user : { ...user, groups: [...user.groups, 'system:authenticated'] };

/** `kubectl --as`: every user and group that is put on must be allowed by the verb impersonate. */
function impersonated(authorize: Authorize, user: User, name: string, raw: RawRequest): User {
  const groups = (raw.headers['impersonate-group'] ?? '')
    .split(',')
    .map((group) => group.trim())
    .filter((group) => group !== '');
  const check = (resource: string, target: string, namespace = '') =>
    demand(authorize, {
      user: withAuthenticated(user),
      verb: 'impersonate',
      group: '',
      version: 'v1',
      resource,
      subresource: '',
      namespace,
      name: target,
      path: undefined,
    });
  const account = /^system:serviceaccount:([^:]+):([^:]+)$/.exec(name);
  if (account) check('serviceaccounts', account[2] ?? '', account[1] ?? '');
  else check('users', name);
  for (const group of groups) check('groups', group);
  const own =
    account && groups.length === 0 ? ['system:serviceaccounts', `system:serviceaccounts:${account[1]}`] : groups;
  return withAuthenticated({ name, groups: own });
}

function authorizeRequest(authorize: Authorize, user: User, info: RequestInfo, method: string): void {
  if (info.kind === 'path') {
    demand(authorize, {
      user,
      verb: method.toLowerCase(),
      group: '',
      version: '',
      resource: '',
      subresource: '',
      namespace: '',
      name: '',
      path: info.path,
    });
    return;
  }
  const { verb, group, version, plural, subresource = '', namespace = '', name = '' } = info;
  demand(authorize, { user, verb, group, version, resource: plural, subresource, namespace, name, path: undefined });
}

function demand(authorize: Authorize, attributes: Attributes): void {
  const decision = authorize(attributes);
  if (!decision.allowed) throw refusal(attributes, decision.reason);
}

function refusal(
  { user, verb, group, resource, subresource, namespace, name, path }: Attributes,
  reason: string,
): ApiError {
  if (path !== undefined) {
    return new ApiError(
      403,
      'Forbidden',
      `forbidden: User "${user.name}" cannot ${verb} path "${path}"${reason ? `: ${reason}` : ''}`,
      {},
    );
  }
  const full = subresource === '' ? resource : `${resource}/${subresource}`;
  const where = namespace === '' ? ' at the cluster scope' : ` in the namespace "${namespace}"`;
  const what = `${group === '' ? resource : `${resource}.${group}`}${name === '' ? '' : ` "${name}"`}`;
  const message = `${what} is forbidden: User "${user.name}" cannot ${verb} resource "${full}" in API group "${group}"${where}${reason ? `: ${reason}` : ''}`;
  return new ApiError(403, 'Forbidden', message, {
    ...(name === '' ? {} : { name }),
    ...(group === '' ? {} : { group }),
    kind: resource,
  });
}

const health = (ok: boolean): ApiResponse => ({
  status: ok ? 200 : 500,
  headers: { 'content-type': 'text/plain; charset=utf-8' },
  body: ok ? 'ok' : 'not ok',
});

function errorResponse(error: unknown, options: HandlerOptions, raw: RawRequest): ApiResponse {
  if (error instanceof ApiError) {
    const retry = error.details?.retryAfterSeconds;
    return jsonResponse(error.code, error.toStatus(), retry === undefined ? {} : { 'retry-after': String(retry) });
  }
  // What went wrong inside is for the log, never for the caller.
  options.onError?.(error, { method: raw.method, path: raw.path });
  return jsonResponse(
    500,
    new ApiError(
      500,
      'InternalError',
      'Internal error occurred: the server failed to handle this request; its log says why',
    ).toStatus(),
  );
}
