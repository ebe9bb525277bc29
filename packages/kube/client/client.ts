import { KubeError } from '../errors.ts';
import type { Kind } from '../kind.ts';
import { apiVersionOf, collectionPath, objectPath, resourceName } from '../kind.ts';
import type { KubeObject, ObjectKey } from '../object.ts';
import { keyOf } from '../object.ts';
import type { KubeRequest, Transport } from '../transport/contract.ts';
import type { ClientOptions } from './call.ts';
import { acceptObject, send } from './call.ts';
import type {
  ApplyOptions,
  Client,
  DeleteOptions,
  GetOptions,
  List,
  ListOptions,
  New,
  Patch,
  Selection,
  WatchEvent,
  WatchOptions,
  WriteOptions,
} from './contract.ts';
import { listAll, listPage } from './list.ts';
import { watch } from './watch.ts';

const jsonBody = { 'content-type': 'application/json' };
const applyBody = { 'content-type': 'application/apply-patch+yaml' };

export function createClient(transport: Transport, options: ClientOptions = {}): Client {
  return new TransportClient(transport, options);
}

class TransportClient implements Client {
  readonly #transport: Transport;
  readonly #options: ClientOptions;

  constructor(transport: Transport, options: ClientOptions) {
    this.#transport = transport;
    this.#options = options;
  }

  async get<T extends KubeObject>(kind: Kind<T>, key: ObjectKey, options?: GetOptions): Promise<T> {
    const request: KubeRequest = {
      method: 'GET',
      path: pathOf(kind, key, options?.subresource, 'get'),
      query: { resourceVersion: options?.resourceVersion },
      headers: acceptObject(options?.metadataOnly),
      signal: options?.signal,
      timeoutMs: options?.timeoutMs,
      operation: { verb: 'get', resource: resourceName(kind) },
    };
    const call = { verb: 'get', kind, key, subresource: options?.subresource, options, request };
    const object = await send<T>(this.#transport, this.#options, call);
    return options?.metadataOnly ? Object.assign(object, { apiVersion: apiVersionOf(kind), kind: kind.kind }) : object;
  }

  list<T extends KubeObject>(kind: Kind<T>, options: ListOptions = {}): Promise<List<T>> {
    const onePage = options.limit !== undefined || options.continue !== undefined;
    return (onePage ? listPage : listAll)(this.#transport, this.#options, kind, options);
  }

  async create<T extends KubeObject>(kind: Kind<T>, object: New<T>, options?: WriteOptions): Promise<T> {
    const key = keyOf(object);
    const path =
      options?.subresource === undefined
        ? collectionPath(kind, namespaceFor(kind, key, 'create'))
        : pathOf(kind, key, options.subresource, 'create');
    return this.#write('create', 'POST', path, kind, key, JSON.stringify(typed(kind, object)), jsonBody, options);
  }

  async update<T extends KubeObject>(kind: Kind<T>, object: New<T>, options?: WriteOptions): Promise<T> {
    const key = keyOf(object);
    const path = pathOf(kind, key, options?.subresource, 'update');
    return this.#write('update', 'PUT', path, kind, key, JSON.stringify(typed(kind, object)), jsonBody, options);
  }

  async patch<T extends KubeObject>(kind: Kind<T>, key: ObjectKey, patch: Patch, options?: WriteOptions): Promise<T> {
    const path = pathOf(kind, key, options?.subresource, 'patch');
    const [body, type] = patchBody(patch);
    return this.#write('patch', 'PATCH', path, kind, key, body, { 'content-type': type }, options);
  }

  async apply<T extends KubeObject>(kind: Kind<T>, object: New<T>, options: ApplyOptions): Promise<T> {
    const key = keyOf(object);
    const path = pathOf(kind, key, options.subresource, 'apply');
    // JSON is YAML: no second serializer is needed for what the server reads as YAML.
    const body = JSON.stringify(typed(kind, object));
    return this.#write('apply', 'PATCH', path, kind, key, body, applyBody, options, options.force);
  }

  async delete<T extends KubeObject>(kind: Kind<T>, key: ObjectKey, options?: DeleteOptions): Promise<T | undefined> {
    const request = deleteRequest('delete', kind, pathOf(kind, key, undefined, 'delete'), undefined, options);
    const answer = await send<KubeObject>(this.#transport, this.#options, {
      verb: 'delete',
      kind,
      key,
      options,
      request,
    });
    return answer.kind === 'Status' ? undefined : (answer as T);
  }

  async deleteCollection<T extends KubeObject>(kind: Kind<T>, options: DeleteOptions & Selection = {}): Promise<void> {
    const verb = 'deletecollection';
    const { labelSelector, fieldSelector } = options;
    const path = collectionPath(kind, options.namespace);
    const request = deleteRequest(verb, kind, path, { labelSelector, fieldSelector }, options);
    await send<unknown>(this.#transport, this.#options, { verb, kind, options, request });
  }

  watch<T extends KubeObject>(kind: Kind<T>, options?: WatchOptions): AsyncIterable<WatchEvent<T>> {
    return watch(this.#transport, kind, options);
  }

  #write<T>(
    verb: string,
    method: KubeRequest['method'],
    path: string,
    kind: Kind,
    key: ObjectKey,
    body: string,
    headers: Record<string, string>,
    options: WriteOptions | undefined,
    force?: boolean,
  ): Promise<T> {
    const request: KubeRequest = {
      method,
      path,
      query: {
        fieldManager: options?.fieldManager ?? this.#options.fieldManager,
        fieldValidation: options?.fieldValidation,
        dryRun: options?.dryRun ? 'All' : undefined,
        force,
      },
      headers,
      body,
      signal: options?.signal,
      timeoutMs: options?.timeoutMs,
      operation: { verb, resource: resourceName(kind) },
    };
    return send(this.#transport, this.#options, {
      verb,
      kind,
      key,
      subresource: options?.subresource,
      options,
      request,
    });
  }
}

function deleteRequest(
  verb: string,
  kind: Kind,
  path: string,
  query: NonNullable<KubeRequest['query']> | undefined,
  options: DeleteOptions | undefined,
): KubeRequest {
  const { uid, resourceVersion, propagation, gracePeriodSeconds, dryRun, signal, timeoutMs } = options ?? {};
  const guarded = uid !== undefined || resourceVersion !== undefined;
  return {
    method: 'DELETE',
    path,
    ...(query ? { query } : {}),
    headers: jsonBody,
    body: JSON.stringify({
      kind: 'DeleteOptions',
      apiVersion: 'v1',
      preconditions: guarded ? { uid, resourceVersion } : undefined,
      propagationPolicy: propagation,
      gracePeriodSeconds,
      dryRun: dryRun ? ['All'] : undefined,
    }),
    signal,
    timeoutMs,
    operation: { verb, resource: resourceName(kind) },
  };
}

function patchBody(patch: Patch): [body: string, type: string] {
  if ('json' in patch) return [JSON.stringify(patch.json), 'application/json-patch+json'];
  if ('merge' in patch) return [JSON.stringify(patch.merge), 'application/merge-patch+json'];
  return [JSON.stringify(patch.strategic), 'application/strategic-merge-patch+json'];
}

function typed<T extends KubeObject>(kind: Kind<T>, object: New<T>): KubeObject {
  return object.apiVersion !== undefined && object.kind !== undefined
    ? object
    : { apiVersion: apiVersionOf(kind), kind: kind.kind, ...object };
}

/** An empty name would turn the path of an object into that of its collection, and a delete into a massacre. */
function pathOf(kind: Kind, key: ObjectKey, subresource: string | undefined, verb: string): string {
  if (!key.name)
    throw new KubeError('bad-request', `${verb} ${resourceName(kind)}: the object has no name. Set metadata.name.`);
  return objectPath(kind, { name: key.name, namespace: namespaceFor(kind, key, verb) }, subresource);
}

function namespaceFor(kind: Kind, key: ObjectKey, verb: string): string | undefined {
  if (!kind.namespaced) return undefined;
  if (key.namespace) return key.namespace;
  throw new KubeError(
    'bad-request',
    `${verb} ${resourceName(kind)} ${key.name}: the kind is namespaced and no namespace is given. Set metadata.namespace.`,
  );
}
