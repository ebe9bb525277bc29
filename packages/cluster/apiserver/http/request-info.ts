/** What a request is about, read from its method, path and query alone: the base of routing and of authorization. */

export interface ResourceRequest {
  readonly kind: 'resource';
  readonly verb: 'get' | 'list' | 'watch' | 'create' | 'update' | 'patch' | 'delete' | 'deletecollection';
  readonly group: string;
  readonly version: string;
  readonly plural: string;
  readonly namespace: string | undefined;
  readonly name: string | undefined;
  readonly subresource: string | undefined;
  /** What follows the subresource, for proxies. */
  readonly rest: string | undefined;
}

export interface PathRequest {
  readonly kind: 'path';
  readonly verb: string;
  readonly path: string;
}

export type RequestInfo = ResourceRequest | PathRequest;

/** Subresources of a namespace itself, which look like kinds inside it. */
const OF_NAMESPACES = new Set(['status', 'finalize']);

export function requestInfo(method: string, path: string, query: URLSearchParams): RequestInfo {
  const plain: PathRequest = { kind: 'path', verb: method.toLowerCase(), path };
  const parts = segments(path);
  if (!parts) return plain;
  const root = parts.shift();
  if (root !== 'api' && root !== 'apis') return plain;
  const group = root === 'api' ? '' : (parts.shift() ?? '');
  const version = parts.shift();
  if (version === undefined || parts.length === 0 || (root === 'apis' && group === '')) return plain;

  let namespace: string | undefined;
  if (parts[0] === 'namespaces' && parts.length >= 2) {
    const third = parts[2];
    const isNamespaceItself = third === undefined || (parts.length === 3 && OF_NAMESPACES.has(third));
    if (isNamespaceItself && group === '') namespace = parts[1];
    else [namespace] = [parts[1], parts.splice(0, 2)];
  }
  const [plural = '', name, subresource, ...rest] = parts;
  const verb = verbOf(method, name, query);
  if (!verb) return plain;
  return {
    kind: 'resource',
    verb,
    group,
    version,
    plural,
    namespace,
    name,
    subresource,
    rest: rest.length > 0 ? rest.join('/') : undefined,
  };
}

/** Decoded segments; undefined for a path that tries to be clever (empty, `.`, `..`, an encoded slash, bad encoding). */
function segments(path: string): string[] | undefined {
  const parts: string[] = [];
  for (const raw of path.replace(/\/$/, '').split('/').slice(1)) {
    let part: string;
    try {
      part = decodeURIComponent(raw);
    } catch {
      return undefined;
    }
    if (part === '' || part === '.' || part === '..' || part.includes('/') || part.includes('\0')) return undefined;
    parts.push(part);
  }
  return parts;
}

function verbOf(method: string, name: string | undefined, query: URLSearchParams): ResourceRequest['verb'] | undefined {
  switch (method) {
    case 'GET':
    case 'HEAD':
      if (isTrue(query.get('watch'))) return 'watch';
      return name === undefined ? 'list' : 'get';
    case 'POST':
      return 'create';
    case 'PUT':
      return 'update';
    case 'PATCH':
      return 'patch';
    case 'DELETE':
      return name === undefined ? 'deletecollection' : 'delete';
    default:
      return undefined;
  }
}

export const isTrue = (text: string | null | undefined) => text === 'true' || text === '1' || text === '';
