import { isGone, KubeError } from '../errors.ts';
import type { Kind } from '../kind.ts';
import { apiVersionOf, collectionPath, resourceName } from '../kind.ts';
import type { KubeObject } from '../object.ts';
import type { Transport } from '../transport/contract.ts';
import type { ClientOptions } from './call.ts';
import { acceptList, send } from './call.ts';
import type { List, ListOptions } from './contract.ts';

interface ListBody<T> {
  items?: T[] | null;
  metadata?: { resourceVersion?: string; continue?: string; remainingItemCount?: number };
}

const pageSize = 500;

/** One page as the server gave it. Items get the apiVersion and kind that lists of built-in kinds leave out. */
export async function listPage<T extends KubeObject>(
  transport: Transport,
  client: ClientOptions,
  kind: Kind<T>,
  options: ListOptions,
): Promise<List<T>> {
  const verb = 'list';
  const body = await send<ListBody<T>>(transport, client, {
    verb,
    kind,
    options,
    request: {
      method: 'GET',
      path: collectionPath(kind, options.namespace),
      query: {
        labelSelector: options.labelSelector,
        fieldSelector: options.fieldSelector,
        limit: options.limit,
        continue: options.continue,
        resourceVersion: options.resourceVersion,
        resourceVersionMatch: options.resourceVersionMatch,
      },
      headers: acceptList(options.metadataOnly),
      signal: options.signal,
      timeoutMs: options.timeoutMs,
      operation: { verb, resource: resourceName(kind) },
    },
  });
  const items = body.items ?? [];
  const apiVersion = apiVersionOf(kind);
  // A metadata-only list names PartialObjectMetadata in each item: what it stands for is more useful.
  for (const item of items) {
    item.apiVersion = apiVersion;
    item.kind = kind.kind;
  }
  const { resourceVersion = '', continue: next, remainingItemCount } = body.metadata ?? {};
  return { items, resourceVersion, continue: next || undefined, remainingItemCount };
}

/**
 * All pages of one revision. When the revision is compacted away in the middle, starts again from nothing, once in
 * pages and then in one piece, which cannot expire: a caller never sees two revisions mixed.
 */
export async function listAll<T extends KubeObject>(
  transport: Transport,
  client: ClientOptions,
  kind: Kind<T>,
  options: ListOptions,
): Promise<List<T>> {
  for (const limit of [pageSize, pageSize, undefined]) {
    try {
      return await pagesOf(transport, client, kind, { ...options, limit });
    } catch (error) {
      if (!(error instanceof PagingExpired)) throw error;
    }
  }
  throw new KubeError(
    'gone',
    `list ${resourceName(kind)}: the pages expired faster than they could be read. Try again.`,
  );
}

class PagingExpired extends Error {}

async function pagesOf<T extends KubeObject>(
  transport: Transport,
  client: ClientOptions,
  kind: Kind<T>,
  options: ListOptions,
): Promise<List<T>> {
  const first = await listPage(transport, client, kind, options);
  let next = first.continue;
  while (next !== undefined) {
    // The token carries the revision; naming one beside it is an error.
    const page = { ...options, continue: next, resourceVersion: undefined, resourceVersionMatch: undefined };
    const more = await listPage(transport, client, kind, page).catch((error: unknown) => {
      throw isGone(error) ? new PagingExpired('page expired', { cause: error }) : error;
    });
    for (const item of more.items) first.items.push(item);
    next = more.continue;
  }
  return { items: first.items, resourceVersion: first.resourceVersion };
}
