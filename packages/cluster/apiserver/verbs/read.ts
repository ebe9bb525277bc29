import { isStoreError } from '../../store/errors.ts';
import type { Entry, Page } from '../../store/store.ts';
import { ApiError, badRequest, gone } from '../http/api-error.ts';
import type { Resource } from '../registry/resource.ts';
import type { Engine } from './engine.ts';
import { collectionPrefix } from './keys.ts';
import { type Matcher, matcherOf } from './selection.ts';
import { objectOf } from './stored-object.ts';

export interface ListQuery {
  readonly namespace: string | undefined;
  readonly labelSelector: string;
  readonly fieldSelector: string;
  readonly limit: number;
  readonly continue: string;
  readonly resourceVersion: string;
  readonly resourceVersionMatch: string;
}

export interface Listed {
  readonly entries: readonly Entry[];
  readonly revision: number;
  readonly continue: string;
  /** Undefined when a selector makes it unknowable, as on the real server. */
  readonly remaining: number | undefined;
}

export function list(engine: Engine, resource: Resource, query: ListQuery): Listed {
  const matches = matcherOf(resource, query.labelSelector, query.fieldSelector);
  const prefix = collectionPrefix(resource, query.namespace);
  const revision = exactRevision(engine, query);
  const limit = query.limit > 0 ? query.limit : undefined;
  const page = (token: string, size: number | undefined): Page =>
    answering(() =>
      engine.store.list(prefix, {
        limit: size,
        continue: token === '' ? undefined : token,
        revision: token === '' ? revision : undefined,
      }),
    );
  if (!matches) {
    const { entries, revision: at, continue: next = '', remaining } = page(query.continue, limit);
    return { entries, revision: at, continue: next, remaining: next === '' ? undefined : remaining };
  }
  return thinned(page, matches, query.continue, limit);
}

/** A page of `limit` matching objects, however many have to be looked at for it. */
function thinned(
  page: (token: string, size: number | undefined) => Page,
  matches: Matcher,
  token: string,
  limit: number | undefined,
): Listed {
  const entries: Entry[] = [];
  let next = token;
  for (;;) {
    // Never more than is missing, so that the token after the last match skips nothing.
    const found = page(next, limit === undefined ? undefined : limit - entries.length);
    entries.push(...found.entries.filter((entry) => matches(objectOf(entry))));
    next = found.continue ?? '';
    if (next === '' || (limit !== undefined && entries.length >= limit)) {
      return { entries, revision: found.revision, continue: next, remaining: undefined };
    }
  }
}

function exactRevision(engine: Engine, query: ListQuery): number | undefined {
  const { resourceVersion: text, resourceVersionMatch: match } = query;
  if (query.continue !== '') {
    if (text !== '' && text !== '0') throw badRequest('specifying resource version is not allowed when using continue');
    return undefined;
  }
  if (match !== '' && text === '')
    throw badRequest('resourceVersionMatch is forbidden unless resourceVersion is provided');
  if (text === '' || text === '0') return undefined;
  const wanted = parseRevision(text);
  if (wanted > engine.store.revision) throw tooLarge(wanted, engine.store.revision);
  return match === 'Exact' ? wanted : undefined;
}

export function parseRevision(text: string): number {
  if (!/^\d{1,15}$/.test(text))
    throw badRequest(
      `Invalid value: ${JSON.stringify(text)}: strconv.ParseUint: parsing ${JSON.stringify(text)}: invalid syntax`,
    );
  return Number(text);
}

export const tooLarge = (wanted: number, current: number) =>
  new ApiError(504, 'Timeout', `Too large resource version: ${wanted}, current: ${current}`, {
    retryAfterSeconds: 1,
    causes: [{ reason: 'ResourceVersionTooLarge', message: 'Too large resource version' }],
  });

/** The store's refusals in the API server's words. */
export function answering<T>(read: () => T): T {
  try {
    return read();
  } catch (error) {
    throw asApiError(error);
  }
}

export function asApiError(error: unknown): unknown {
  if (isStoreError(error, 'compacted')) {
    return gone(
      'The provided continue parameter or resource version is too old to display a consistent list result. You must start a new list without it.',
    );
  }
  if (isStoreError(error, 'bad-continue')) return badRequest('continue key is not valid: invalid continue token');
  if (isStoreError(error, 'disk-full'))
    return new ApiError(500, 'InternalError', error.message, undefined, { cause: error });
  return error;
}
