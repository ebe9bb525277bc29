/** The options of a request, from its query: parsed once, refused clearly. */

import type { RequestContext } from '../registry/resource.ts';
import type { Json, JsonObject } from '../schema/structural.ts';
import type { DeleteCall } from '../verbs/delete.ts';
import type { WriteCall } from '../verbs/engine.ts';
import type { ListQuery } from '../verbs/read.ts';
import { ApiError, badRequest } from './api-error.ts';
import type { ApiRequest } from './exchange.ts';
import type { IncludeObject } from './representation.ts';
import { isTrue } from './request-info.ts';

const FIELD_VALIDATIONS = ['Strict', 'Warn', 'Ignore'] as const;

export function listQuery(query: URLSearchParams, namespace: string | undefined): ListQuery {
  return {
    namespace,
    labelSelector: query.get('labelSelector') ?? '',
    fieldSelector: query.get('fieldSelector') ?? '',
    limit: wholeNumber(query, 'limit') ?? 0,
    continue: query.get('continue') ?? '',
    resourceVersion: query.get('resourceVersion') ?? '',
    resourceVersionMatch: query.get('resourceVersionMatch') ?? '',
  };
}

export function wholeNumber(query: URLSearchParams, name: string): number | undefined {
  const text = query.get(name);
  if (text === null || text === '') return undefined;
  if (!/^-?\d{1,15}$/.test(text)) throw badRequest(`strconv.ParseInt: parsing ${JSON.stringify(text)}: invalid syntax`);
  return Number(text);
}

export function includeObject(query: URLSearchParams): IncludeObject {
  const text = query.get('includeObject') ?? '';
  return text === 'None' || text === 'Object' ? text : 'Metadata';
}

/** The name that owns what a write changes: given, or the first word of the user agent, as kubectl and client-go expect. */
function managerOf(request: ApiRequest): string {
  const given = request.query.get('fieldManager');
  if (given !== null && given !== '') {
    if (given.length > 128 || !/^[\x20-\x7e]*$/.test(given))
      throw badRequest(
        `fieldManager: Invalid value: ${JSON.stringify(given)}: must be at most 128 printable characters`,
      );
    return given;
  }
  const agent = (request.headers['user-agent'] ?? '').split('/')[0] ?? '';
  return agent.replace(/[^\x20-\x7e]/g, '').slice(0, 128) || 'unknown';
}

export function contextOf(
  request: ApiRequest,
  now: Date,
  warnings: string[],
  subresource: string | undefined,
): RequestContext {
  const dryRun = request.query.getAll('dryRun');
  if (dryRun.some((value) => value !== 'All' && value !== ''))
    throw badRequest(`dryRun: Unsupported value: ${JSON.stringify(dryRun)}: supported values: "All"`);
  return { user: request.user, now, dryRun: dryRun.includes('All'), subresource, warn: (text) => warnings.push(text) };
}

export function writeCall(request: ApiRequest, context: RequestContext): WriteCall {
  const validation = request.query.get('fieldValidation') || 'Warn';
  const fieldValidation = FIELD_VALIDATIONS.find((known) => known === validation);
  if (!fieldValidation) {
    throw new ApiError(
      422,
      'Invalid',
      `fieldValidation: Unsupported value: ${JSON.stringify(validation)}: supported values: "Ignore", "Strict", "Warn"`,
    );
  }
  return { context, fieldManager: managerOf(request), fieldValidation, options: Object.fromEntries(request.query) };
}

const PROPAGATIONS = ['Background', 'Foreground', 'Orphan'] as const;

/** DeleteOptions come in the body, or in the query, or partly in both; the body wins. */
export function deleteCall(request: ApiRequest, call: WriteCall, body: JsonObject): DeleteCall {
  const preconditions = (body['preconditions'] ?? {}) as JsonObject;
  const propagationText = textOf(body['propagationPolicy']) ?? request.query.get('propagationPolicy') ?? undefined;
  const propagation = PROPAGATIONS.find((known) => known === propagationText);
  if (propagationText !== undefined && propagationText !== '' && !propagation) {
    throw new ApiError(
      422,
      'Invalid',
      `DeleteOptions.meta.k8s.io "" is invalid: propagationPolicy: Unsupported value: ${JSON.stringify(propagationText)}: supported values: "Foreground", "Background", "Orphan", "nil"`,
    );
  }
  const orphan =
    body['orphanDependents'] ??
    (request.query.has('orphanDependents') ? isTrue(request.query.get('orphanDependents')) : undefined);
  const grace = body['gracePeriodSeconds'];
  const dryRun = call.context.dryRun || (Array.isArray(body['dryRun']) && body['dryRun'].includes('All'));
  return {
    ...call,
    context: { ...call.context, dryRun },
    gracePeriodSeconds: typeof grace === 'number' ? grace : wholeNumber(request.query, 'gracePeriodSeconds'),
    propagation: propagation ?? (typeof orphan === 'boolean' ? (orphan ? 'Orphan' : 'Background') : undefined),
    uid: textOf(preconditions['uid']),
    resourceVersion: textOf(preconditions['resourceVersion']),
  };
}

const textOf = (value: Json | undefined) => (typeof value === 'string' ? value : undefined);
