/** The same requests to subresources, here and on the real server. */
import { Agent, request } from 'undici';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { realApiServer } from '../../../../../test/control-plane/suite.ts';
import { ApiError } from '../../http/api-error.ts';
import type { ApiRequest } from '../../http/exchange.ts';
import { requestInfo } from '../../http/request-info.ts';
import { resourceHandler } from '../../http/resource-handler.ts';
import type { JsonObject } from '../../schema/structural.ts';
import { ourServer } from '../testing/ours.fixture.ts';
import { subresourceHandlers } from './handlers.ts';

const api = realApiServer();
const agent = new Agent({ connect: { ca: api?.ca ?? '' } });
const NAMESPACE = 'builtin-subresources';
const BASE = `/api/v1/namespaces/${NAMESPACE}`;
const APPS = `/apis/apps/v1/namespaces/${NAMESPACE}`;
const POLICY = `/apis/policy/v1/namespaces/${NAMESPACE}`;
type Answer = readonly [number, JsonObject];
type Call = (method: string, path: string, body?: unknown, type?: string) => Promise<Answer>;

const theirs: Call = async (method, path, body, type = 'application/json') => {
  const answer = await request(`${api?.url}${path}`, {
    method: method as 'POST',
    dispatcher: agent,
    body: body === undefined ? null : JSON.stringify(body),
    headers: { 'content-type': type, authorization: `Bearer ${api?.token}` },
  });
  return [answer.statusCode, parsed(await answer.body.text())];
};

/** Logs are text; what is said about them is a Status. */
const parsed = (text: string): JsonObject => (text === '' ? { metadata: {} } : (JSON.parse(text) as JsonObject));

async function ourCall(): Promise<Call> {
  const { engine } = await ourServer(NAMESPACE);
  const handle = resourceHandler({ engine, subresources: subresourceHandlers() });
  return async (method, path, body, type = 'application/json') => {
    const url = new URL(path, 'http://localhost');
    const info = requestInfo(method, url.pathname, url.searchParams);
    if (info.kind !== 'resource') throw new Error(`${path} is no object`);
    const sent: ApiRequest = {
      method,
      path: url.pathname,
      query: url.searchParams,
      headers: { 'content-type': type },
      body: Buffer.from(body === undefined ? '' : JSON.stringify(body)),
      user: { name: 'admin', groups: ['system:masters'] },
      signal: new AbortController().signal,
    };
    try {
      const { status, body: answer } = await handle(sent, info);
      return [status, parsed(String(answer))];
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      return [error.code, error.toStatus()];
    }
  };
}

const pod = (name: string, more: JsonObject = {}): JsonObject => ({
  metadata: { name, labels: { app: name } },
  spec: { containers: [{ name: 'c', image: 'i' }], ...more },
});
const deployment: JsonObject = {
  metadata: { name: 'd' },
  spec: {
    replicas: 0,
    selector: { matchLabels: { app: 'd' }, matchExpressions: [{ key: 'x', operator: 'In', values: ['b', 'a'] }] },
    template: { metadata: { labels: { app: 'd', x: 'a' } }, spec: { containers: [{ name: 'c', image: 'i' }] } },
  },
};
const merge = 'application/merge-patch+json';
const binding = (node: string, name = 'x'): JsonObject => ({
  metadata: { name },
  target: { kind: 'Node', name: node },
});

/** Steps in order, against both; each row is one request. */
const steps: readonly (readonly [string, string, string, JsonObject?, string?])[] = [
  ['a pod', 'POST', `${BASE}/pods`, pod('x')],
  ['logs of a pod without a node', 'GET', `${BASE}/pods/x/log`],
  ['logs of a container that is not there', 'GET', `${BASE}/pods/x/log?container=nope`],
  ['logs of a pod that is not there', 'GET', `${BASE}/pods/nope/log`],
  ['a binding to nowhere', 'POST', `${BASE}/pods/x/binding`, { metadata: { name: 'x' }, target: { kind: 'Node' } }],
  ['a binding', 'POST', `${BASE}/pods/x/binding`, binding('n1')],
  ['a second binding', 'POST', `${BASE}/pods/x/binding`, binding('n2')],
  ['a binding of no pod', 'POST', `${BASE}/pods/nope/binding`, binding('n2', 'nope')],
  ['the bound pod', 'GET', `${BASE}/pods/x`],
  ['a gated pod', 'POST', `${BASE}/pods`, pod('g', { schedulingGates: [{ name: 'a' }] })],
  ['a binding of a gated pod', 'POST', `${BASE}/pods/g/binding`, binding('n1', 'g')],
  [
    'two containers',
    'POST',
    `${BASE}/pods`,
    pod('two', {
      containers: [
        { name: 'a', image: 'a' },
        { name: 'b', image: 'b' },
      ],
      initContainers: [{ name: 'i', image: 'i' }],
    }),
  ],
  ['logs without a choice', 'GET', `${BASE}/pods/two/log`],
  ['bad log options', 'GET', `${BASE}/pods/x/log?tailLines=-1&limitBytes=0&sinceSeconds=0`],
  ['a deployment', 'POST', `${APPS}/deployments`, deployment],
  ['its scale', 'GET', `${APPS}/deployments/d/scale`],
  ['scaled by an update', 'PUT', `${APPS}/deployments/d/scale`, { metadata: { name: 'd' }, spec: { replicas: 2 } }],
  ['scaled by a patch', 'PATCH', `${APPS}/deployments/d/scale`, { spec: { replicas: 3 } }, merge],
  ['scaled below nothing', 'PATCH', `${APPS}/deployments/d/scale`, { spec: { replicas: -1 } }, merge],
  ['scaled to nothing', 'PATCH', `${APPS}/deployments/d/scale`, { spec: { replicas: 0 } }, merge],
  ['the scale of nothing', 'GET', `${APPS}/deployments/nope/scale`],
  [
    'a running pod',
    'PATCH',
    `${BASE}/pods/x/status`,
    { status: { phase: 'Running', conditions: [{ type: 'Ready', status: 'True' }] } },
    merge,
  ],
  [
    'a budget',
    'POST',
    `${POLICY}/poddisruptionbudgets`,
    { metadata: { name: 'b' }, spec: { minAvailable: 1, selector: { matchLabels: { app: 'x' } } } },
  ],
  ['an eviction that the budget forbids', 'POST', `${BASE}/pods/x/eviction`, { metadata: { name: 'x' } }],
  ['an eviction under another name', 'POST', `${BASE}/pods/x/eviction`, { metadata: { name: 'y' } }],
  ['an eviction that nothing forbids', 'POST', `${BASE}/pods/g/eviction`, { metadata: { name: 'g' } }],
  ['it is gone', 'GET', `${BASE}/pods/g`],
  [
    'an image is no resource',
    'PATCH',
    `${BASE}/pods/two/resize`,
    {
      spec: {
        containers: [
          { name: 'a', image: 'z' },
          { name: 'b', image: 'b' },
        ],
      },
    },
    merge,
  ],
  [
    'a resize that changes the class',
    'PATCH',
    `${BASE}/pods/two/resize`,
    {
      spec: {
        containers: [
          { name: 'a', image: 'a', resources: { requests: { cpu: '1' } } },
          { name: 'b', image: 'b' },
        ],
      },
    },
    merge,
  ],
  [
    'a pod with resources',
    'POST',
    `${BASE}/pods`,
    pod('r', { containers: [{ name: 'c', image: 'i', resources: { requests: { cpu: '100m' } } }] }),
  ],
  [
    'resized',
    'PATCH',
    `${BASE}/pods/r/resize`,
    { spec: { containers: [{ name: 'c', image: 'i', resources: { requests: { cpu: '200m' } } }] } },
    merge,
  ],
];

describe.skipIf(api === null)('subresources', () => {
  let ours: Call;
  beforeAll(async () => {
    ours = await ourCall();
    await theirs('POST', '/api/v1/namespaces', { metadata: { name: NAMESPACE } });
    await vi.waitFor(async () => expect((await theirs('GET', `${BASE}/serviceaccounts/default`))[0]).toBe(200), {
      timeout: 30_000,
      interval: 100,
    });
  });
  afterAll(async () => {
    await theirs('DELETE', `/api/v1/namespaces/${NAMESPACE}`);
    await agent.close();
  });

  test.each(steps.map((step) => [step[0], step] as const))('%s', async (name, [, ...call]) => {
    const [mine, real] = [await ours(...call), await theirs(...call)];
    expect(comparable(mine, name)).toEqual(comparable(real, name));
  });
});

const UID = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g;
const TIME = /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ/g;

function comparable([code, body]: Answer, name: string): unknown {
  const text = JSON.stringify(body)
    .replaceAll(UID, 'UID')
    .replaceAll(TIME, 'TIME')
    .replaceAll(/The disruption budget b [^"]*/g, 'The disruption budget b …')
    .replaceAll(/kube-api-access-[a-z0-9]{5}/g, 'kube-api-access-x');
  const value = JSON.parse(text) as JsonObject;
  if (value['kind'] === 'Status') {
    const { message, reason, details } = value;
    const causes = ((details as JsonObject | undefined)?.['causes'] ?? []) as JsonObject[];
    return {
      code,
      message: String(message).split('\n')[0],
      reason,
      causes: causes.map(({ message: why, ...rest }) => ({ ...rest, message: String(why).split('\n')[0] })),
    };
  }
  const {
    managedFields: _,
    resourceVersion: _version,
    generation: _generation,
    ...metadata
  } = value['metadata'] as JsonObject;
  // Controllers of the real server write statuses; what matters there has steps of its own.
  const status =
    value['kind'] === 'Pod' || (value['kind'] === 'Scale' && name === 'its scale') ? value['status'] : undefined;
  return { code, ...value, metadata, status };
}
