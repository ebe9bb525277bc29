import { expect, test } from 'vitest';
import type { Handler } from '../transport/api.fixture.ts';
import { answer, failure, startApi } from '../transport/api.fixture.ts';
import { createTransport } from '../transport/http.ts';
import { discover } from './discover.ts';
import { createMapper } from './mapper.ts';

const aggregatedType = 'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList';
const verbs = ['get', 'list'];

const pods = {
  resource: 'pods',
  responseKind: { kind: 'Pod' },
  scope: 'Namespaced',
  singularResource: 'pod',
  verbs,
  shortNames: ['po'],
  categories: ['all'],
  subresources: [{ subresource: 'log' }, { subresource: 'status' }],
};
const nodes = { resource: 'nodes', responseKind: { kind: 'Node' }, scope: 'Cluster', singularResource: 'node', verbs };
const widget = (more: object = {}): object => ({
  resource: 'widgets',
  responseKind: { kind: 'Widget' },
  scope: 'Namespaced',
  singularResource: 'widget',
  verbs,
  shortNames: ['nodes', 'wd'],
  ...more,
});

/** A server with aggregated discovery. `crd` says whether the CRD is there yet. */
function aggregated(crd: () => boolean): Handler {
  return (request, response) => {
    const groups = crd()
      ? [
          {
            metadata: { name: 'example.com' },
            versions: [
              { version: 'v1', resources: [widget()] },
              { version: 'v1beta1', resources: [widget({ scope: 'Cluster' })] },
            ],
          },
        ]
      : [];
    const stale = { metadata: { name: 'metrics.k8s.io' }, versions: [{ version: 'v1', freshness: 'Stale' }] };
    const items =
      request.url === '/api'
        ? [{ metadata: {}, versions: [{ version: 'v1', resources: [pods, nodes] }] }]
        : [...groups, stale];
    answer(response, 200, { kind: 'APIGroupDiscoveryList', items }, { 'content-type': aggregatedType });
  };
}

/** The same from documents of before 1.27, with one group whose server is down. */
const legacy: Handler = (request, response) => {
  const documents: Record<string, unknown> = {
    '/api': { versions: ['v1'] },
    '/apis': {
      groups: [
        {
          name: 'example.com',
          preferredVersion: { version: 'v1' },
          versions: [{ version: 'v1beta1' }, { version: 'v1' }],
        },
        { name: 'metrics.k8s.io', versions: [{ version: 'v1' }] },
      ],
    },
    '/api/v1': {
      resources: [
        { name: 'pods', kind: 'Pod', namespaced: true, singularName: 'pod', shortNames: ['po'], verbs },
        { name: 'pods/log', kind: 'Pod', namespaced: true, verbs },
        { name: 'nodes', kind: 'Node', singularName: '', verbs },
      ],
    },
    '/apis/example.com/v1': {
      resources: [{ name: 'widgets', kind: 'Widget', namespaced: true, verbs, shortNames: ['wd'] }],
    },
    '/apis/example.com/v1beta1': { resources: [{ name: 'widgets', kind: 'Widget', verbs }] },
  };
  const document = documents[request.url ?? ''];
  if (document) answer(response, 200, document);
  else answer(response, 500, failure(500, 'InternalError', 'metrics server is down'));
};

test.each([
  ['aggregated', aggregated(() => true), 2],
  ['legacy', legacy, 8],
])('names are mapped from %s discovery', async (_, handler, requests) => {
  await using api = await startApi(handler);
  const transport = createTransport(api.config(), { retry: { retries: 0 } });
  const mapper = createMapper(transport);
  for (const name of ['pods', 'pod', 'po', 'Pod', 'PODS']) {
    expect(await mapper.byName(name)).toMatchObject({
      group: '',
      version: 'v1',
      kind: 'Pod',
      plural: 'pods',
      namespaced: true,
    });
  }
  expect((await mapper.byName('pods')).subresources).toContain('log');
  expect(await mapper.byName('nodes')).toMatchObject({ kind: 'Node', namespaced: false });
  for (const name of ['widgets', 'wd', 'widgets.example.com', 'widget.v1.example.com']) {
    expect(await mapper.byName(name)).toMatchObject({ group: 'example.com', version: 'v1', namespaced: true });
  }
  expect(await mapper.byName('widgets.v1beta1.example.com')).toMatchObject({ version: 'v1beta1', namespaced: false });
  expect(await mapper.byKind('example.com/v1beta1', 'Widget')).toMatchObject({ version: 'v1beta1' });
  expect(await mapper.byKind('v1', 'Pod')).toMatchObject({ plural: 'pods' });
  expect(api.seen).toHaveLength(requests);
  expect((await discover(transport)).problems).toEqual([expect.stringContaining('metrics.k8s.io/v1')]);
  await transport.close();
});

test('a name that is missing is looked for once more, and a CRD applied since is found', async () => {
  let crd = false;
  await using api = await startApi(aggregated(() => crd));
  const transport = createTransport(api.config());
  const mapper = createMapper(transport);
  await mapper.byName('pods');
  await expect(mapper.byKind('example.com/v1', 'Widget')).rejects.toMatchObject({
    code: 'kind-not-found',
    message: expect.stringMatching(/does not serve Widget in example\.com\/v1\. Apply the CRD.*metrics\.k8s\.io/),
  });
  crd = true;
  const found = await Promise.all(['widgets', 'wd'].map((name) => mapper.byName(name)));
  expect(found.map((one) => one.kind)).toEqual(['Widget', 'Widget']);
  expect(api.seen).toHaveLength(6);
  mapper.invalidate();
  expect(await mapper.all()).toHaveLength(4);
  expect(api.seen).toHaveLength(8);
  await transport.close();
});
