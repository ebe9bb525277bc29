/** Our discovery documents beside the real server's: the same, less the kinds that we do not serve. */
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { realApiServer } from '../../../../test/control-plane/suite.ts';
import { builtinResources } from '../builtin/resources.ts';
import { Registry } from '../registry/registry.ts';
import type { JsonObject } from '../schema/structural.ts';
import { discoveryPaths } from './discovery.ts';
import { RealDocuments } from './testing/real-documents.fixture.ts';
import { ask, parsed } from './testing/requests.fixture.ts';
import { CRD_NAME, GROUP, widgetCrd, widgets } from './testing/widgets.fixture.ts';
import { versionPath } from './version.ts';

const api = realApiServer();
const AGGREGATED = 'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList';
const CRDS = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
/** Groups that the embedded server does not have. */
const NOT_SERVED = new Set(['certificates.k8s.io', 'resource.k8s.io', 'flowcontrol.apiserver.k8s.io']);

describe.skipIf(api === null)('discovery', () => {
  const server = new RealDocuments(api ?? { url: '', ca: '', token: '' });
  const registry = new Registry();
  registry.replace([...builtinResources(), ...widgets]);
  const handler = discoveryPaths(registry);

  beforeAll(async () => {
    await server.send('POST', CRDS, 'application/json', widgetCrd);
    await vi.waitFor(
      async () => expect(JSON.stringify(await server.json('/apis', AGGREGATED))).toContain(`"${GROUP}"`),
      { timeout: 30_000, interval: 100 },
    );
  });
  afterAll(async () => {
    await server.send('DELETE', `${CRDS}/${CRD_NAME}`, 'application/json');
    await server.close();
  });

  test.each(['/api', '/apis'])('%s in one document', async (path) => {
    const ours = parsed(await ask(handler, path, { accept: AGGREGATED }));
    const real = await server.json<JsonObject>(path, AGGREGATED);
    const kept = items(real).filter((item) => isServed(String((item['metadata'] as JsonObject)['name'] ?? '')));
    expect(items(ours)).toEqual(kept.map(readOnlyServices));
    expect({ ...ours, items: [] }).toEqual({ ...real, items: [] });
  });

  test('/apis, group by group', async () => {
    const ours = parsed(await ask(handler, '/apis'));
    const real = await server.json<JsonObject>('/apis');
    const groups = (real['groups'] as JsonObject[]).filter(({ name }) => isServed(String(name)));
    expect(ours).toEqual({ ...real, groups });
    for (const { name, versions } of ours['groups'] as { name: string; versions: { groupVersion: string }[] }[]) {
      expect(parsed(await ask(handler, `/apis/${name}`))).toEqual(await server.json(`/apis/${name}`));
      for (const { groupVersion } of versions) {
        const document = parsed(await ask(handler, `/apis/${groupVersion}/`));
        expect(document).toEqual(asServedHere(await server.json<JsonObject>(`/apis/${groupVersion}`)));
      }
    }
  });

  test('the core group', async () => {
    expect(parsed(await ask(handler, '/api/v1'))).toEqual(await server.json('/api/v1'));
    const { serverAddressByClientCIDRs: ours, ...rest } = parsed(await ask(handler, '/api'));
    expect(ours).toEqual([{ clientCIDR: '0.0.0.0/0', serverAddress: 'here:6443' }]);
    const { serverAddressByClientCIDRs: _, ...real } = await server.json<JsonObject>('/api');
    expect(rest).toEqual(real);
  });

  test('the version has the same fields, and is the same but for its suffix', async () => {
    const ours = parsed(await ask(versionPath, '/version'));
    const real = await server.json<JsonObject>('/version');
    expect(Object.keys(ours).sort()).toEqual(Object.keys(real).sort());
    expect(ours['gitVersion']).toBe(`${real['gitVersion'] as string}+sandbank`);
    for (const field of ['major', 'minor', 'emulationMinor', 'minCompatibilityMinor'])
      expect(ours[field]).toBe(real[field]);
  });
});

const items = (document: JsonObject) => document['items'] as JsonObject[];
// Suites share the server: kinds of others come and go.
const isServed = (group: string) => !NOT_SERVED.has(group) && (!group.endsWith('example.com') || group === GROUP);
const READ = ['get', 'list', 'watch'];
const readOnly = (verbs: unknown) => (verbs as string[]).filter((verb) => READ.includes(verb));

/** API services are told here, and written there. */
function readOnlyServices(item: JsonObject): JsonObject {
  for (const version of item['versions'] as { resources: JsonObject[] }[])
    for (const resource of version.resources)
      if (resource['resource'] === 'apiservices') resource['verbs'] = readOnly(resource['verbs']);
  return item;
}

/** As they are here: API services are not written, and nothing is stored as the v1beta1 of former times. */
function asServedHere(document: JsonObject): JsonObject {
  for (const resource of document['resources'] as JsonObject[]) {
    const name = String(resource['name']);
    if (name === 'apiservices') resource['verbs'] = readOnly(resource['verbs']);
    if (STORED_AS_BETA.test(name)) resource['storageVersionHash'] = expect.any(String) as string;
  }
  return document;
}

const STORED_AS_BETA = /^(mutatingadmissionpolicies|mutatingadmissionpolicybindings|customresourcedefinitions)$/;
