/** Requests for objects: from a parsed request to a verb, and from its result to an answer. */
import type { Resource } from '../registry/resource.ts';
import type { JsonObject } from '../schema/structural.ts';
import { create } from '../verbs/create.ts';
import { type Deleted, remove } from '../verbs/delete.ts';
import { apiVersionOf, type Engine, type Target } from '../verbs/engine.ts';
import { patch, patchType } from '../verbs/patch.ts';
import { list } from '../verbs/read.ts';
import { objectOf, textOf } from '../verbs/stored-object.ts';
import { currentEntry, update } from '../verbs/update.ts';
import { openWatch } from '../verbs/watch.ts';
import { methodNotAllowed, pathNotFound } from './api-error.ts';
import { type DecodeProtobuf, decodeObject, decodePatch } from './body.ts';
import { type ApiRequest, type ApiResponse, jsonResponse } from './exchange.ts';
import { negotiate } from './negotiation.ts';
import { contextOf, deleteCall, includeObject, listQuery, wholeNumber, writeCall } from './options.ts';
import { listText, objectText, represent, withVersion } from './representation.ts';
import { isTrue, type ResourceRequest } from './request-info.ts';
import { watchLines } from './watch-stream.ts';

/** A subresource with rules of its own. Undefined as an answer means: the generic verbs do. */
export type SubresourceHandler = (
  engine: Engine,
  target: Target,
  request: ApiRequest,
  verb: ResourceRequest['verb'],
  warnings: string[],
) => Promise<ApiResponse | undefined>;

export interface ResourceHandlerOptions {
  readonly engine: Engine;
  readonly decodeProtobuf?: DecodeProtobuf | undefined;
  /** By `group/plural/subresource`. */
  readonly subresources: ReadonlyMap<string, SubresourceHandler>;
  readonly bookmarkEveryMs?: number;
}

/** Watches without a time-out of their own end after half an hour to an hour, so that load spreads over servers and time. */
const WATCH_MIN_MS = 30 * 60_000;
const BOOKMARK_EVERY_MS = 60_000;

export function resourceHandler(
  options: ResourceHandlerOptions,
): (request: ApiRequest, info: ResourceRequest) => Promise<ApiResponse> {
  const { engine } = options;
  return async (request, info) => {
    const resource = engine.registry.find(info.group, info.version, info.plural);
    if (!resource) throw pathNotFound();
    const warnings: string[] = [];
    const response = await dispatch(resource, request, info, warnings);
    return warnings.length === 0
      ? response
      : { ...response, headers: { ...response.headers, warning: warnings.map(warningHeader) } };
  };

  async function dispatch(
    resource: Resource,
    request: ApiRequest,
    info: ResourceRequest,
    warnings: string[],
  ): Promise<ApiResponse> {
    const target: Target = {
      resource,
      namespace: resource.namespaced ? info.namespace : undefined,
      name: info.name ?? '',
      subresource: info.subresource,
    };
    if (info.subresource !== undefined) {
      const own = options.subresources.get(`${info.group}/${info.plural}/${info.subresource}`);
      const answer = own ? await own(engine, target, request, info.verb, warnings) : undefined;
      if (answer) return answer;
      const generic = resource.subresources.find(({ name }) => name === info.subresource);
      if (!generic) throw pathNotFound();
      if (!generic.verbs.includes(info.verb)) throw methodNotAllowed(info.verb, resource);
    } else if (!resource.verbs.includes(info.verb)) {
      throw methodNotAllowed(info.verb, resource);
    }
    switch (info.verb) {
      case 'get':
        return get(target, request);
      case 'list':
        return listAll(resource, request, target.namespace);
      case 'watch':
        return watch(resource, request, target);
      case 'create':
        return write(target, request, warnings, 201);
      case 'update':
      case 'patch':
        return write(target, request, warnings, 200);
      case 'delete':
        return removeOne(target, request, warnings);
      default:
        return removeAll(resource, request, target.namespace, warnings);
    }
  }

  function get(target: Target, request: ApiRequest): ApiResponse {
    const { resource } = target;
    const text = objectText(
      currentEntry(engine, target),
      resource,
      negotiate(request.headers['accept']),
      includeObject(request.query),
      engine.now(),
    );
    return jsonResponse(200, text);
  }

  function listAll(resource: Resource, request: ApiRequest, namespace: string | undefined): ApiResponse {
    const wanted = negotiate(request.headers['accept']);
    const { entries, ...meta } = list(engine, resource, listQuery(request.query, namespace));
    return jsonResponse(200, listText(entries, meta, resource, wanted, includeObject(request.query), engine.now()));
  }

  function watch(resource: Resource, request: ApiRequest, target: Target): ApiResponse {
    const { query, signal } = request;
    const wanted = negotiate(request.headers['accept']);
    const sendInitialEvents = isTrue(query.get('sendInitialEvents') ?? 'false');
    const oneName = target.name === '' ? '' : `metadata.name=${target.name}`;
    const selection = listQuery(query, target.namespace);
    const fieldSelector = [selection.fieldSelector, oneName].filter((part) => part !== '').join(',');
    const opened = openWatch(engine, resource, { ...selection, fieldSelector, sendInitialEvents }, signal);
    const seconds = wholeNumber(query, 'timeoutSeconds');
    const timeoutMs = seconds === undefined || seconds <= 0 ? WATCH_MIN_MS * (1 + engine.random()) : seconds * 1000;
    const body = watchLines(opened, {
      resource,
      wanted,
      include: includeObject(query),
      bookmarks: isTrue(query.get('allowWatchBookmarks') ?? 'false'),
      sendInitialEvents,
      timeoutMs,
      bookmarkEveryMs: options.bookmarkEveryMs ?? BOOKMARK_EVERY_MS,
      now: engine.now,
      signal,
    });
    return { status: 200, headers: { 'content-type': 'application/json;stream=watch' }, body };
  }

  async function write(target: Target, request: ApiRequest, warnings: string[], success: number): Promise<ApiResponse> {
    const { resource, subresource } = target;
    const wanted = negotiate(request.headers['accept']);
    const call = writeCall(request, contextOf(request, engine.now(), warnings, subresource));
    let object: JsonObject;
    let status = success;
    if (request.method === 'PATCH') {
      const type = patchType(request.headers['content-type'] ?? '', resource);
      const force = isTrue(request.query.get('force') ?? 'false');
      const patched = await patch(engine, target, type, decodePatch(request), { ...call, force });
      object = patched.object;
      if (patched.created) status = 201;
    } else {
      const { value, duplicates } = decodeObject(
        request,
        resource.builtin ? options.decodeProtobuf : undefined,
        call.fieldValidation !== 'Ignore',
      );
      const full = { ...call, duplicates };
      object =
        request.method === 'POST'
          ? await create(engine, target, value, full)
          : await update(engine, target, value, full);
    }
    return jsonResponse(
      status,
      represent(withVersion(object, resource), resource, wanted, includeObject(request.query), engine.now()),
    );
  }

  async function removeOne(target: Target, request: ApiRequest, warnings: string[]): Promise<ApiResponse> {
    const call = writeCall(request, contextOf(request, engine.now(), warnings, undefined));
    const result = await remove(engine, target, deleteCall(request, call, deleteOptions(request)));
    return jsonResponse(200, deletionAnswer(result, target.resource));
  }

  async function removeAll(
    resource: Resource,
    request: ApiRequest,
    namespace: string | undefined,
    warnings: string[],
  ): Promise<ApiResponse> {
    const call = writeCall(request, contextOf(request, engine.now(), warnings, undefined));
    const options = deleteCall(request, call, deleteOptions(request));
    const { entries, revision } = list(engine, resource, listQuery(request.query, namespace));
    const items: JsonObject[] = [];
    for (const entry of entries) {
      const object = objectOf(entry);
      const target = { resource, namespace: textOf(object, 'namespace') || undefined, name: textOf(object, 'name') };
      // Somebody else was faster: gone is what was wanted.
      if (engine.store.get(entry.key)) await remove(engine, target, options);
      items.push(object);
    }
    return jsonResponse(200, {
      kind: resource.listKind,
      apiVersion: apiVersionOf(resource),
      metadata: { resourceVersion: String(revision) },
      items,
    });
  }

  function deleteOptions(request: ApiRequest): JsonObject {
    return request.body.length === 0 ? {} : decodeObject(request, options.decodeProtobuf, false).value;
  }
}

/** Kinds that answer a delete with the object itself even when it is gone at once. */
const RETURNS_OBJECT = new Set([
  'pods',
  'services',
  'serviceaccounts',
  'persistentvolumes',
  'persistentvolumeclaims',
  'podtemplates',
  'resourcequotas',
]);

function deletionAnswer({ object, gone }: Deleted, resource: Resource): JsonObject {
  if (!gone || (resource.group === '' && RETURNS_OBJECT.has(resource.plural))) return withVersion(object, resource);
  return {
    kind: 'Status',
    apiVersion: 'v1',
    metadata: {},
    status: 'Success',
    details: {
      name: textOf(object, 'name'),
      ...(resource.group === '' ? {} : { group: resource.group }),
      kind: resource.plural,
      uid: textOf(object, 'uid'),
    },
  };
}

/** RFC 7234: 299 is a miscellaneous persistent warning. */
const warningHeader = (text: string) => `299 - ${JSON.stringify(text)}`;
