/** Our patches, merges and owners, step by step, against what the real API server makes of the same requests. */

import { Agent, request } from 'undici';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { realApiServer } from '../../../../test/control-plane/suite.ts';
import { builtinSchema } from '../builtin/schemas.ts';
import type { JsonObject, Structural } from '../schema/structural.ts';
import { emptyObject } from './empty-object.ts';
import { jsonPatch } from './json-patch.ts';
import { applyConfiguration, conflictMessage, trackUpdate } from './managed-fields.ts';
import { mergePatch } from './merge-patch.ts';
import { strategicMerge } from './strategic-merge.ts';

const api = realApiServer();
const NAMESPACE = 'patches';

interface Kind {
  readonly apiVersion: string;
  readonly kind: string;
  readonly path: string;
  readonly schema: Structural;
  readonly builtin: boolean;
}

const object = { type: 'object' } as const;
const text = { type: 'string' } as const;
const widgetSchema = {
  ...object,
  properties: {
    apiVersion: text,
    kind: text,
    metadata: { ...object },
    spec: {
      ...object,
      properties: {
        size: { type: 'integer' },
        color: text,
        map: { ...object, additionalProperties: text },
        whole: { ...object, 'x-kubernetes-map-type': 'atomic', properties: { a: text, b: text } },
        parts: {
          type: 'array',
          'x-kubernetes-list-type': 'map',
          'x-kubernetes-list-map-keys': ['name', 'port'],
          items: {
            ...object,
            required: ['name'],
            properties: {
              name: text,
              port: { type: 'integer', default: 80 },
              note: text,
              deep: { ...object, properties: { x: text } },
            },
          },
        },
        tags: { type: 'array', 'x-kubernetes-list-type': 'set', items: text },
        plain: { type: 'array', items: text },
        free: { ...object, 'x-kubernetes-preserve-unknown-fields': true },
      },
    },
  },
} as const satisfies Structural;
/** The published schema of a custom kind has the real metadata; ours too. */
const widgetTyped: Structural = {
  ...widgetSchema,
  properties: {
    ...widgetSchema.properties,
    metadata: builtinSchema('io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta'),
  },
};
const widget: Kind = {
  apiVersion: 'patches.test/v1',
  kind: 'Widget',
  path: '/apis/patches.test/v1/namespaces/patches/widgets',
  schema: widgetTyped,
  builtin: false,
};
const core = (kind: string, plural: string): Kind => ({
  apiVersion: 'v1',
  kind,
  path: `/api/v1/namespaces/patches/${plural}`,
  schema: builtinSchema(`io.k8s.api.core.v1.${kind}`),
  builtin: true,
});
const configMap = core('ConfigMap', 'configmaps');
const serviceAccount = core('ServiceAccount', 'serviceaccounts');
const pod = core('Pod', 'pods');

type Step = { readonly as: string } & (
  | { readonly create: JsonObject }
  | { readonly merge: JsonObject }
  | { readonly json: JsonObject[] }
  | { readonly strategic: JsonObject }
  | { readonly apply: JsonObject; readonly force?: boolean }
);

const agent = new Agent({ connect: { ca: api?.ca ?? '' } });
async function call(
  method: 'POST' | 'PATCH' | 'DELETE',
  path: string,
  sent: unknown,
  type = 'application/json',
): Promise<[number, JsonObject]> {
  const answer = await request(`${api?.url}${path}`, {
    method,
    dispatcher: agent,
    body: JSON.stringify(sent),
    headers: { 'content-type': type, authorization: `Bearer ${api?.token}` },
  });
  const body = await answer.body.text();
  // A path that is not served yet is answered in plain text.
  return [answer.statusCode, body.startsWith('{') ? (JSON.parse(body) as JsonObject) : {}];
}

function send(kind: Kind, name: string, step: Step): Promise<[number, JsonObject]> {
  const query = `?fieldManager=${step.as}`;
  const full = (body: JsonObject) => ({
    apiVersion: kind.apiVersion,
    kind: kind.kind,
    ...body,
    metadata: { ...(body['metadata'] as JsonObject), name },
  });
  if ('create' in step) return call('POST', `${kind.path}${query}`, full(step.create));
  const path = `${kind.path}/${name}${query}`;
  if ('merge' in step) return call('PATCH', path, step.merge, 'application/merge-patch+json');
  if ('json' in step) return call('PATCH', path, step.json, 'application/json-patch+json');
  if ('strategic' in step) return call('PATCH', path, step.strategic, 'application/strategic-merge-patch+json');
  return call('PATCH', `${path}&force=${step.force ?? false}`, full(step.apply), 'application/apply-patch+yaml');
}

/** What we make of the same step. `theirs` gives the values that only a server knows (uid, defaults). */
function ours(kind: Kind, live: JsonObject, step: Step, theirs: JsonObject, name: string): JsonObject | string {
  const now = timeOf(theirs, step.as);
  const { schema } = kind;
  if ('apply' in step) {
    const manager = { name: step.as, operation: 'Apply', apiVersion: kind.apiVersion } as const;
    const config: JsonObject = {
      apiVersion: kind.apiVersion,
      kind: kind.kind,
      ...step.apply,
      metadata: { ...(step.apply['metadata'] as JsonObject), name },
    };
    const result = applyConfiguration({ live, config, schema, manager, now, force: step.force ?? false });
    return 'conflicts' in result ? conflictMessage(result.conflicts) : result.object;
  }
  const manager = { name: step.as, operation: 'Update', apiVersion: kind.apiVersion } as const;
  if ('create' in step) {
    const before = kind.builtin ? emptyObject(schema) : { apiVersion: kind.apiVersion, kind: kind.kind };
    const tracked = trackUpdate({ live: before, updated: beforeAdmission(theirs), schema, manager, now });
    return { ...theirs, metadata: tracked['metadata'] ?? {} };
  }
  const updated =
    'merge' in step
      ? mergePatch(live, step.merge)
      : 'json' in step
        ? jsonPatch(live, step.json)
        : strategicMerge(live, step.strategic, schema);
  return trackUpdate({ live, updated: updated as JsonObject, schema, manager, now });
}

/** The server's own clock, read off its answer: so times can be compared too. */
function timeOf(object: JsonObject, manager: string): Date {
  const owners = ((object['metadata'] as JsonObject | undefined)?.['managedFields'] ?? []) as JsonObject[];
  const time = owners.find((entry) => entry['manager'] === manager)?.['time'];
  return typeof time === 'string' ? new Date(time) : new Date();
}

/** Owners of a create are found before admission adds its own fields. */
function beforeAdmission(object: JsonObject): JsonObject {
  const { status, spec, ...rest } = object;
  if (object['kind'] !== 'Pod') return object;
  const { volumes, priority, preemptionPolicy, serviceAccount, serviceAccountName, tolerations, containers, ...own } =
    spec as JsonObject;
  const plain = (containers as JsonObject[]).map(({ volumeMounts, ...container }) => container);
  return { ...rest, spec: { ...own, containers: plain } };
}

/** Without what only a server makes. */
function comparable(object: JsonObject): unknown {
  const { resourceVersion, generation, creationTimestamp, uid, managedFields, ...metadata } = object[
    'metadata'
  ] as JsonObject;
  const owners = (managedFields as JsonObject[] | undefined)?.map(({ time, ...entry }) => entry);
  return { ...object, metadata: { ...metadata, managedFields: owners } };
}

const histories: [string, Kind, Step[]][] = [
  [
    'config map: create, patches, ownership moves',
    configMap,
    [
      { as: 'a', create: { metadata: { labels: { x: '1' } }, data: { k: 'v', l: 'w' } } },
      { as: 'b', merge: { data: { k: 'changed', m: 'new' } } },
      { as: 'a', merge: { data: { l: null } } },
      { as: 'c', json: [{ op: 'add', path: '/metadata/labels/y', value: '2' }] },
      { as: 'b', merge: { metadata: { labels: null } } },
      { as: 'd', strategic: { data: { $patch: 'replace', only: 'this' } } },
    ],
  ],
  [
    'config map: two appliers, shared and moved fields',
    configMap,
    [
      { as: 'a', apply: { metadata: { labels: { app: 'x' } }, data: { one: '1', two: '2' } } },
      { as: 'b', apply: { data: { two: '2', three: '3' } } },
      { as: 'a', apply: { data: { one: '1' } } },
      { as: 'b', apply: { data: { three: '3' } } },
      { as: 'b', apply: { data: { one: 'mine' } } },
      { as: 'b', apply: { data: { one: 'mine' } }, force: true },
      { as: 'a', apply: {} },
    ],
  ],
  [
    'config map: apply over updates',
    configMap,
    [
      { as: 'kubectl-create', create: { data: { a: '1', b: '2', c: '3' } } },
      { as: 'applier', apply: { data: { a: '1' } } },
      { as: 'applier', apply: { data: { a: '9' } } },
      { as: 'applier', apply: { data: { a: '9', b: '8' } }, force: true },
      { as: 'editor', merge: { data: { a: '7' } } },
      { as: 'applier', apply: { data: { a: '7', b: '8' } } },
      { as: 'applier', apply: { data: { b: '8' } } },
    ],
  ],
  [
    'service account: lists by merge key',
    serviceAccount,
    [
      { as: 'a', create: { secrets: [{ name: 'one' }, { name: 'two' }], imagePullSecrets: [{ name: 'pull' }] } },
      { as: 'b', strategic: { secrets: [{ name: 'three' }, { name: 'one', $patch: 'delete' }] } },
      {
        as: 'b',
        strategic: { secrets: [{ name: 'zero' }], '$setElementOrder/secrets': [{ name: 'zero' }, { name: 'two' }] },
      },
      { as: 'c', strategic: { secrets: [{ $patch: 'replace' }, { name: 'last' }] } },
      { as: 'c', strategic: { metadata: { finalizers: ['test/one', 'test/two'] } } },
      {
        as: 'd',
        strategic: { metadata: { finalizers: ['test/three'], '$deleteFromPrimitiveList/finalizers': ['test/one'] } },
      },
      { as: 'd', strategic: { metadata: { finalizers: null } } },
    ],
  ],
  [
    'pod: owners of a created pod',
    pod,
    [
      {
        as: 'kubectl',
        create: {
          metadata: { labels: { a: 'b' } },
          spec: {
            containers: [
              { name: 'main', image: 'i', ports: [{ containerPort: 80 }], env: [{ name: 'A', value: 'b' }] },
            ],
          },
        },
      },
      { as: 'editor', merge: { metadata: { annotations: { note: 'x' } } } },
      { as: 'editor', strategic: { spec: { containers: [{ name: 'main', image: 'j' }] } } },
    ],
  ],
  [
    'custom kind: everything about lists and maps',
    widget,
    [
      {
        as: 'a',
        create: {
          spec: {
            size: 1,
            parts: [
              { name: 'x', note: 'n' },
              { name: 'y', port: 81 },
            ],
            tags: ['t'],
            plain: ['p'],
            whole: { a: '1' },
            free: { any: { thing: [1] } },
          },
        },
      },
      {
        as: 'b',
        apply: {
          spec: {
            parts: [
              { name: 'z', port: 1 },
              { name: 'x', port: 80, deep: { x: '1' } },
            ],
            tags: ['u', 't'],
          },
        },
      },
      { as: 'b', apply: { spec: { parts: [{ name: 'x', port: 80 }], tags: ['t'] } } },
      { as: 'c', apply: { spec: { whole: { a: '1' }, plain: ['p'] } } },
      { as: 'c', apply: { spec: { whole: { b: '2' }, plain: ['q'] } } },
      { as: 'c', apply: { spec: { whole: { b: '2' }, plain: ['q'] } }, force: true },
      { as: 'a', merge: { spec: { parts: [{ name: 'y', port: 81, note: 'only' }] } } },
      { as: 'b', apply: { spec: { map: { k: 'v' }, free: { any: 'else' } } }, force: true },
      { as: 'b', apply: { spec: { free: { any: 'else' } } } },
      { as: 'd', merge: { spec: { size: null, map: {}, color: 'red' } } },
    ],
  ],
  [
    'custom kind: an emptied parent goes with its last field, unless somebody holds on',
    widget,
    [
      { as: 'a', apply: { spec: { map: { one: '1' }, parts: [{ name: 'p', port: 80, deep: { x: '1' } }] } } },
      { as: 'b', apply: { spec: { parts: [{ name: 'p', port: 80, note: 'b' }] } } },
      { as: 'a', apply: { spec: { size: 3 } } },
      { as: 'b', apply: { metadata: { labels: { l: 'm' } } } },
      { as: 'a', apply: {} },
    ],
  ],
];

describe.skipIf(api === null)('patches and owners as the real server has them', () => {
  beforeAll(async () => {
    await call('POST', '/api/v1/namespaces', { metadata: { name: NAMESPACE } });
    await call('POST', '/apis/apiextensions.k8s.io/v1/customresourcedefinitions', {
      metadata: { name: 'widgets.patches.test' },
      spec: {
        group: 'patches.test',
        scope: 'Namespaced',
        names: { kind: 'Widget', plural: 'widgets' },
        versions: [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: widgetSchema } }],
      },
    });
    const probe = { apiVersion: widget.apiVersion, kind: 'Widget', metadata: { name: 'probe' } };
    const served = async () => (await call('POST', `${widget.path}?dryRun=All`, probe))[0] === 201;
    await vi.waitUntil(served, { timeout: 20_000, interval: 100 });
  });
  afterAll(async () => {
    await call('DELETE', `/api/v1/namespaces/${NAMESPACE}`, {});
    await call('DELETE', '/apis/apiextensions.k8s.io/v1/customresourcedefinitions/widgets.patches.test', {});
    await agent.close();
  });

  test.each(histories)('%s', async (_, kind, steps) => {
    const name = `o${histories.findIndex(([title]) => title === _)}`;
    let live: JsonObject = {};
    for (const [index, step] of steps.entries()) {
      const [status, theirs] = await send(kind, name, step);
      const mine = ours(kind, live, step, theirs, name);
      const where = `step ${index}: ${JSON.stringify(step)}`;
      if (status === 409) {
        expect(mine, where).toBe(theirs['message']);
        continue;
      }
      expect(status, `${where} ${JSON.stringify(theirs)}`).toBeLessThan(300);
      expect(typeof mine, where).toBe('object');
      const base = {
        ...(mine as JsonObject),
        metadata: { namespace: NAMESPACE, ...((mine as JsonObject)['metadata'] as JsonObject) },
      };
      expect(comparable(base), where).toEqual(comparable(theirs));
      live = theirs;
    }
  });
});
