/** A kind on the real API server whose spec has one field per case, so that a whole table costs one CRD. */
import { setTimeout as delay } from 'node:timers/promises';
import { Agent, request } from 'undici';
import { customSchema } from '../../crd/custom-schema.ts';
import type { FieldError, Json, JsonObject, Structural } from '../structural.ts';

export interface ServerAddress {
  readonly url: string;
  readonly ca: string;
  readonly token: string;
}

export interface Answer {
  readonly code: number;
  readonly body: JsonObject;
  readonly text: string;
  readonly warnings: readonly string[];
}

export class RealServer {
  readonly #api: ServerAddress;
  readonly #agent: Agent;

  constructor(api: ServerAddress) {
    this.#api = api;
    this.#agent = new Agent({ connect: { ca: api.ca } });
  }

  async call(
    method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE',
    path: string,
    body?: Json | string,
    type = 'application/json',
  ): Promise<Answer> {
    const answer = await request(`${this.#api.url}${path}`, {
      method,
      dispatcher: this.#agent,
      ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
      headers: { 'content-type': type, authorization: `Bearer ${this.#api.token}` },
    });
    const text = await answer.body.text();
    const header = [answer.headers['warning'] ?? []].flat().join(', ');
    const warnings = [...header.matchAll(/299 - "((?:[^"\\]|\\.)*)"/g)].map(([, line = '']) =>
      line.replace(/\\(.)/g, '$1'),
    );
    return {
      code: answer.statusCode,
      text,
      body: text.startsWith('{') ? (JSON.parse(text) as JsonObject) : {},
      warnings,
    };
  }

  close(): Promise<void> {
    return this.#agent.close();
  }
}

export interface RealKind {
  readonly apiVersion: string;
  readonly kind: string;
  readonly path: string;
  readonly schema: Structural;
  remove(): Promise<void>;
}

const CRDS = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';

export function crdOf(group: string, plural: string, openAPIV3Schema: Structural): JsonObject {
  const kind = plural[0]?.toUpperCase() + plural.slice(1, -1);
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `${plural}.${group}` },
    spec: {
      group,
      scope: 'Cluster',
      names: { plural, kind, singular: kind.toLowerCase(), listKind: `${kind}List` },
      versions: [
        { name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: openAPIV3Schema as unknown as Json } },
      ],
    },
  };
}

/** Installs it and waits until it is served. */
export async function installKind(server: RealServer, group: string, openApi: Structural): Promise<RealKind> {
  const crd = crdOf(group, 'cases', openApi);
  const made = await server.call('POST', CRDS, crd);
  if (made.code !== 201) throw new Error(`the CRD was refused: ${made.text}`);
  const path = `/apis/${group}/v1/cases`;
  while ((await server.call('GET', path)).code !== 200) await delay(50);
  const settled = async () =>
    (
      await server.call('POST', `${path}?dryRun=All`, {
        apiVersion: `${group}/v1`,
        kind: 'Case',
        metadata: { name: 'probe' },
      })
    ).code;
  while ((await settled()) === 404) await delay(50);
  return {
    apiVersion: `${group}/v1`,
    kind: 'Case',
    path,
    schema: customSchema(openApi),
    remove: async () => {
      await server.call('DELETE', `${CRDS}/cases.${group}`);
    },
  };
}

/** The causes of a refusal, sorted: the real server walks maps in any order. */
export function causesOf({ body }: Answer): FieldError[] {
  const details = (body['details'] ?? {}) as { causes?: { field?: string; reason?: string; message?: string }[] };
  return sorted(
    (details.causes ?? []).map(
      ({ field = '', reason = '', message = '' }) => ({ field, reason, message }) as FieldError,
    ),
  );
}

export function sorted(errors: readonly FieldError[]): FieldError[] {
  const text = ({ field, message }: FieldError) => `${field}\n${message}`;
  return errors
    .map(({ field, reason, message }) => ({ field, reason, message }))
    .sort((a, b) => (text(a) < text(b) ? -1 : 1));
}
