/**
 * OpenAPI v3: an index, and a document per group and version. The index names each document with a hash of its content, so that
 * clients keep them for good. kubectl explains, applies and diffs by these.
 */
import { ApiError } from '../http/api-error.ts';
import type { ApiRequest, ApiResponse } from '../http/exchange.ts';
import type { PathHandler } from '../http/handler.ts';
import type { Registry } from '../registry/registry.ts';
import type { Resource } from '../registry/resource.ts';
import { firstOf } from './accept.ts';
import { builtinDefinitions, customDefinitions, type Definition, reachable } from './definitions.ts';
import { answer, byGeneration, type Document, isRead, jsonDocument, trimmed } from './documents.ts';
import { type ServedVersion, servedGroups } from './groups.ts';
import { type Operation, type Parameter, type PathItem, pathItems, RESPONSES, referenced } from './operations.ts';
import { serverVersion } from './version.ts';

const ROOT = '/openapi/v3';
const YEAR_MS = 365 * 24 * 3600 * 1000;

export function openApiV3Paths(registry: Registry, now: () => Date): PathHandler {
  /** A document is as old as its kinds: a CRD that comes changes that of its own version and no other. */
  const kept = new Map<string, { readonly resources: readonly Resource[]; readonly document: Document }>();
  const documents = byGeneration(registry, (resources) => {
    const versions = servedGroups(resources).flatMap((group) => group.versions);
    const current = new Map(versions.map((version) => [pathOf(version), documentFor(version)]));
    for (const path of kept.keys()) if (!current.has(path)) kept.delete(path);
    return { current, index: jsonDocument(indexOf(current)) };
  });

  function documentFor(version: ServedVersion): Document {
    const path = pathOf(version);
    const old = kept.get(path);
    if (old && sameMembers(old.resources, version.resources)) return old.document;
    const document = jsonDocument(versionDocument(version));
    kept.set(path, { resources: version.resources, document });
    return document;
  }

  return (request) => {
    const path = trimmed(request.path);
    if (!isRead(request) || !(path === ROOT || path.startsWith(`${ROOT}/`))) return undefined;
    const { current, index } = documents();
    if (path === ROOT) return answer(request, index, { 'cache-control': 'no-cache, private' });
    const document = current.get(path.slice(ROOT.length + 1));
    return document && serve(request, path, document, now);
  };
}

/** A right hash makes the answer good for ever; a wrong one leads to the right one. */
function serve(request: ApiRequest, path: string, document: Document, now: () => Date): ApiResponse {
  if (firstOf(request.headers['accept'], ['application/json']) === undefined)
    throw new ApiError(406, 'NotAcceptable', 'only the following media types are accepted: application/json');
  const hash = request.query.get('hash');
  if (hash === null) return answer(request, document, { 'cache-control': 'no-cache, private' });
  if (hash !== document.hash)
    return { status: 301, headers: { location: `${path}?hash=${document.hash}`, vary: 'Accept' }, body: '' };
  return answer(request, document, {
    'cache-control': 'public, immutable',
    expires: new Date(now().getTime() + YEAR_MS).toUTCString(),
  });
}

const sameMembers = (a: readonly Resource[], b: readonly Resource[]) =>
  a.length === b.length && a.every((one, index) => one === b[index]);

/** As the index calls it: `api/v1`, `apis/apps/v1`. */
const pathOf = ({ group, groupVersion }: ServedVersion) =>
  group === '' ? `api/${groupVersion}` : `apis/${groupVersion}`;

function indexOf(documents: ReadonlyMap<string, Document>): object {
  const entries = [...documents]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([path, { hash }]) => [path, { serverRelativeURL: `${ROOT}/${path}?hash=${hash}` }]);
  return { paths: Object.fromEntries(entries) };
}

function versionDocument(version: ServedVersion): object {
  const items = pathItems(version);
  const own: Record<string, Definition> = {};
  for (const resource of version.resources) if (!resource.builtin) Object.assign(own, customDefinitions(resource));
  const definitions = reachable(referenced(items), (name) => own[name] ?? builtinDefinitions[name]);
  return {
    openapi: '3.0.0',
    info: { title: 'Kubernetes', version: `${serverVersion.major}.${serverVersion.minor}` },
    paths: Object.fromEntries(items.map((item) => [item.path, pathObject(item)])),
    components: {
      schemas: Object.fromEntries([...definitions].map(([name, definition]) => [name, schemaV3(definition)])),
      securitySchemes: { BearerToken: { type: 'apiKey', name: 'authorization', in: 'header' } },
    },
  };
}

function pathObject({ parameters, operations }: PathItem): object {
  return {
    ...Object.fromEntries(
      Object.entries(operations).map(([method, operation]) => [method, operationObject(operation)]),
    ),
    ...(parameters.length > 0 && { parameters: parameters.map(parameterObject) }),
  };
}

function operationObject({ id, tag, action, kind, parameters, body, responses }: Operation): object {
  return {
    tags: [tag],
    operationId: id,
    ...(parameters.length > 0 && { parameters: parameters.map(parameterObject) }),
    ...(body && {
      requestBody: { content: contentOf(body.types, body.definition), ...(body.required && { required: true }) },
    }),
    responses: Object.fromEntries(
      Object.entries(responses).map(([status, definition]) => [status, responseObject(status, definition, action)]),
    ),
    ...(action !== undefined && { 'x-kubernetes-action': action }),
    ...(kind && { 'x-kubernetes-group-version-kind': kind }),
  };
}

const parameterObject = ({ name, in: where, type }: Parameter) => ({
  name,
  in: where,
  ...(where === 'path' && { required: true }),
  schema: { type, uniqueItems: true },
});

function responseObject(status: string, definition: string | undefined, action: string | undefined): object {
  const description = RESPONSES[status] ?? 'OK';
  if (status === '401') return { description };
  if (definition === undefined) return { description, content: { '*/*': { schema: { type: 'string' } } } };
  const types = action === 'list' ? ['application/json', 'application/json;stream=watch'] : ['application/json'];
  return { description, content: contentOf(types, definition) };
}

const contentOf = (types: readonly string[], definition: string) =>
  Object.fromEntries(types.map((type) => [type, { schema: { $ref: refV3(definition) } }]));

const refV3 = (name: string) => `#/components/schemas/${name}`;

/** Nothing may stand beside a reference in v3: it is wrapped. */
function schemaV3({ $ref, properties, items, additionalProperties, ...own }: Definition): object {
  if ($ref !== undefined)
    return Object.keys(own).length === 0 ? { $ref: refV3($ref) } : { ...own, allOf: [{ $ref: refV3($ref) }] };
  return {
    ...own,
    ...(properties && {
      properties: Object.fromEntries(Object.entries(properties).map(([name, one]) => [name, schemaV3(one)])),
    }),
    ...(items && { items: schemaV3(items) }),
    ...(additionalProperties !== undefined && {
      additionalProperties:
        typeof additionalProperties === 'boolean' ? additionalProperties : schemaV3(additionalProperties),
    }),
  };
}
