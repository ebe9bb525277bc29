/** Columns and cells of `kubectl get`, against those of the real server for the same objects. */
import { Agent, request } from 'undici';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { realApiServer } from '../../../../../test/control-plane/suite.ts';
import type { Resource } from '../../registry/resource.ts';
import type { Json, JsonObject } from '../../schema/structural.ts';
import { builtinResources } from '../resources.ts';
import { kindCases } from '../testing/kind-cases.fixture.ts';
import { podTableCases } from '../testing/pod-table-cases.fixture.ts';
import { statusTableCases } from '../testing/status-table-cases.fixture.ts';
import { views } from '../views.ts';

const api = realApiServer();
const NAMESPACE = 'builtin-tables';
const TABLE = 'application/json;as=Table;v=v1;g=meta.k8s.io';
const agent = new Agent({ connect: { ca: api?.ca ?? '' } });
const resources = builtinResources().filter(({ verbs }) => verbs.includes('list'));
const rootOf = ({ group, version }: Resource) => (group === '' ? `/api/${version}` : `/apis/${group}/${version}`);
const nameOf = ({ group, version, plural }: Resource) =>
  [group, version, plural].filter((part) => part !== '').join('/');
const creatable = kindCases.filter(
  ({ name, patch }) =>
    !patch &&
    / (the least|headless|external name|labels|taints|parallel|indexed|two ports|target by name|egress|a percentage|held)$/.test(
      name,
    ),
);

async function call(
  method: string,
  path: string,
  body?: unknown,
  accept = 'application/json',
): Promise<[number, JsonObject]> {
  const answer = await request(`${api?.url}${path}`, {
    method: method as 'POST',
    dispatcher: agent,
    body: body === undefined ? null : JSON.stringify(body),
    headers: {
      'content-type': method === 'PATCH' ? 'application/merge-patch+json' : 'application/json',
      authorization: `Bearer ${api?.token}`,
      accept,
    },
  });
  return [answer.statusCode, (await answer.body.json()) as JsonObject];
}

interface RealTable {
  readonly columnDefinitions: { name: string; type: string; format: string; priority: number }[];
  readonly rows: { readonly cells: Json[]; readonly object: JsonObject }[];
}

const tableAt = async (path: string): Promise<RealTable> =>
  (
    await call('GET', `${path}${path.includes('?') ? '&' : '?'}includeObject=Object`, undefined, TABLE)
  )[1] as unknown as RealTable;

/** Ages move while we look: ours must be theirs for one of the seconds around now. */
function expectCells(resource: Resource, real: RealTable): void {
  const view = views.get(nameOf(resource));
  for (const { cells, object } of real.rows) {
    const stored = view ? view.toStorage(object) : object;
    const at = Date.now();
    const tries = [-3, -2, -1, 0, 1].map((seconds) => resource.table.row(stored, new Date(at + seconds * 1000)));
    expect(tries).toContainEqual(cells);
  }
}

describe.skipIf(api === null)('tables', () => {
  beforeAll(async () => {
    await call('POST', '/api/v1/namespaces', { metadata: { name: NAMESPACE } });
    await vi.waitFor(
      async () => expect((await call('GET', `/api/v1/namespaces/${NAMESPACE}/serviceaccounts/default`))[0]).toBe(200),
      { timeout: 30_000, interval: 100 },
    );
  });
  afterAll(async () => {
    await call('DELETE', `/api/v1/namespaces/${NAMESPACE}`);
    await agent.close();
  });

  test.each(resources.map((resource) => [nameOf(resource), resource] as const))(
    'columns of %s',
    async (_, resource) => {
      const real = await tableAt(`${rootOf(resource)}/${resource.plural}?limit=1`);
      const shape = ({
        name,
        type,
        format,
        priority,
      }: {
        name: string;
        type: string;
        format?: string;
        priority: number;
      }) => ({ name, type, format: format ?? '', priority });
      expect(resource.table.columns.map(shape)).toEqual(real.columnDefinitions.map(shape));
      expect(resource.table.columns.every(({ description }) => description !== '')).toBe(true);
    },
  );

  function resourceOf(of: string): Resource {
    const found = resources.find((resource) => nameOf(resource) === of);
    if (!found) throw new Error(`no kind ${of}`);
    return found;
  }

  /** Creates it for real, sets its status where one is given, reads it as a table, and deletes it. */
  async function shown(of: string, object: JsonObject, status?: JsonObject): Promise<[Resource, RealTable]> {
    const resource = resourceOf(of);
    const name = `t${Math.random().toString(36).slice(2, 10)}`;
    const collection = `${rootOf(resource)}${resource.namespaced ? `/namespaces/${NAMESPACE}` : ''}/${resource.plural}`;
    const text = JSON.stringify(object).replaceAll('builtin-kinds', NAMESPACE);
    const body = JSON.parse(text) as JsonObject;
    const [code, answer] = await call('POST', collection, {
      ...body,
      metadata: { ...(body['metadata'] as JsonObject), name },
    });
    expect(code, JSON.stringify(answer)).toBe(201);
    if (status) {
      const [patched, why] = await call('PATCH', `${collection}/${name}/status`, { status });
      expect(patched, JSON.stringify(why)).toBe(200);
    }
    const table = await tableAt(`${collection}/${name}`);
    await call('DELETE', `${collection}/${name}?gracePeriodSeconds=0&propagationPolicy=Background`);
    return [resource, table];
  }

  test.each(podTableCases.map((one) => [one.name, one] as const))('a pod: %s', async (_, { spec, status, cells }) => {
    const [resource, table] = await shown('v1/pods', { spec }, status);
    expect(table.rows[0]?.cells.slice(1, 3)).toEqual(cells);
    expectCells(resource, table);
  });

  test.each(statusTableCases.map((one) => [one.name, one] as const))('%s', async (_, { of, object, status }) => {
    expectCells(...(await shown(of, object, status)));
  });

  test.each(creatable.map((one) => [one.name, one] as const))('%s', async (_, { of, object }) => {
    expectCells(...(await shown(of, object)));
  });

  test.each([
    'rbac.authorization.k8s.io/v1/clusterrolebindings',
    'rbac.authorization.k8s.io/v1/clusterroles',
    'scheduling.k8s.io/v1/priorityclasses',
    'v1/namespaces',
    'networking.k8s.io/v1/servicecidrs',
    'networking.k8s.io/v1/ipaddresses',
    'apiregistration.k8s.io/v1/apiservices',
    'coordination.k8s.io/v1/leases',
  ])('everything there is of %s', async (of) => {
    const resource = resourceOf(of);
    const table = await tableAt(`${rootOf(resource)}/${resource.plural}`);
    expect(table.rows.length).toBeGreaterThan(0);
    expectCells(resource, table);
  });
});
