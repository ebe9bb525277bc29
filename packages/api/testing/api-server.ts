import { request } from 'node:https';
import { setTimeout as delay } from 'node:timers/promises';
import { collectionPath, defineKind, type Kind, type KubeObject, objectPath, type Status } from '@sandbank/kube';
import { crdName, crdOf } from '../schema/crd.ts';
import type { ApiKind } from '../schema/kind.ts';

/**
 * A real API server, spoken to byte by byte: what these suites prove must not depend on what our own client does to
 * objects on their way.
 */
export interface ApiServer {
  readonly url: string;
  readonly ca: string;
  readonly token: string;
}

export type Json = KubeObject & Record<string, unknown>;

export interface Answer<T = Json> {
  readonly code: number;
  readonly body: T;
  /** Of the fields that the server complained about. */
  readonly fields: readonly string[];
  readonly message: string;
}

export interface Call {
  readonly method?: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  readonly body?: unknown;
  readonly contentType?: string;
  readonly accept?: string;
}

export function call<T = Json>(api: ApiServer, path: string, options: Call = {}): Promise<Answer<T>> {
  const { method = 'GET', body, contentType = 'application/json', accept = 'application/json' } = options;
  return new Promise((resolve, reject) => {
    const outgoing = request(
      new URL(api.url + path),
      { method, ca: api.ca, headers: { authorization: `Bearer ${api.token}`, accept, 'content-type': contentType } },
      (response) => {
        const chunks: Buffer[] = [];
        response.on('data', (chunk: Buffer) => chunks.push(chunk));
        response.on('error', reject);
        response.on('end', () => {
          const text = Buffer.concat(chunks).toString();
          // A path that nobody serves is answered in plain text.
          const isJson = response.headers['content-type']?.startsWith('application/json');
          resolve(answer(response.statusCode ?? 0, isJson ? JSON.parse(text) : { message: text }));
        });
      },
    );
    outgoing.on('error', reject);
    outgoing.end(body === undefined ? undefined : JSON.stringify(body));
  });
}

function answer<T>(code: number, body: T): Answer<T> {
  const status = (code >= 400 ? body : {}) as Status;
  return {
    code,
    body,
    message: status.message ?? '',
    fields: (status.details?.causes ?? []).map(({ field = '' }) => field),
  };
}

/** With strict field validation: an unknown field is an error. */
export function create(api: ApiServer, kind: Kind, namespace: string, object: unknown): Promise<Answer> {
  const path = `${collectionPath(kind, namespace)}?fieldValidation=Strict`;
  return call(api, path, { method: 'POST', body: object });
}

export function read(api: ApiServer, kind: Kind, namespace: string, name: string): Promise<Answer> {
  return call(api, objectPath(kind, { namespace, name }));
}

export function merge(api: ApiServer, path: string, patch: unknown): Promise<Answer> {
  return call(api, `${path}?fieldValidation=Strict`, {
    method: 'PATCH',
    body: patch,
    contentType: 'application/merge-patch+json',
  });
}

export function remove(api: ApiServer, kind: Kind, namespace: string, name: string): Promise<Answer> {
  return call(api, objectPath(kind, { namespace, name }), { method: 'DELETE' });
}

const Namespace = defineKind({ group: '', version: 'v1', kind: 'Namespace', plural: 'namespaces', namespaced: false });
const Crd = defineKind({
  group: 'apiextensions.k8s.io',
  version: 'v1',
  kind: 'CustomResourceDefinition',
  plural: 'customresourcedefinitions',
  namespaced: false,
});

/** A namespace of one's own, gone at the end. */
export async function ownNamespace(api: ApiServer): Promise<AsyncDisposable & { readonly name: string }> {
  const made = await create(api, Namespace, '', { metadata: { generateName: 'api-' } });
  const name = made.body.metadata?.name ?? '';
  return {
    name,
    [Symbol.asyncDispose]: async () => {
      await remove(api, Namespace, '', name);
    },
  };
}

export interface Condition {
  readonly type: string;
  readonly status: string;
  readonly message?: string;
}

/** Installs the CRDs, waits until each of them is served, and takes them away at the end. */
export async function installCrds(api: ApiServer, kinds: readonly ApiKind[]): Promise<AsyncDisposable> {
  await Promise.all(kinds.map((kind) => installed(api, kind)));
  return {
    [Symbol.asyncDispose]: async () => {
      await Promise.all(kinds.map((kind) => remove(api, Crd, '', crdName(kind))));
      await Promise.all(
        kinds.map((kind) =>
          until(
            () => readCrd(api, kind),
            ({ code }) => code === 404,
          ),
        ),
      );
    },
  };
}

export function readCrd(api: ApiServer, kind: ApiKind): Promise<Answer> {
  return read(api, Crd, '', crdName(kind));
}

async function installed(api: ApiServer, kind: ApiKind): Promise<void> {
  const made = await create(api, Crd, '', crdOf(kind));
  if (made.code !== 201) throw new Error(`CRD ${crdName(kind)} was refused: ${made.message}`);
  await until(
    () => call(api, `/apis/${kind.group}/${kind.version}`),
    ({ body }) => ((body['resources'] ?? []) as { name: string }[]).some(({ name }) => name === kind.plural),
  );
  await until(
    () => call(api, collectionPath(kind)),
    ({ code }) => code === 200,
  );
}

/** Asks until the answer is the wanted one; a suite's own deadline ends what never comes. */
async function until(ask: () => Promise<Answer>, wanted: (answer: Answer) => boolean): Promise<void> {
  while (!wanted(await ask())) await delay(50);
}
