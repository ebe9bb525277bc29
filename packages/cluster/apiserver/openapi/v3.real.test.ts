/** Our OpenAPI v3 documents beside the real server's, without its prose and without what we do not serve. */
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { realApiServer } from '../../../../test/control-plane/suite.ts';
import { builtinResources } from '../builtin/resources.ts';
import { Registry } from '../registry/registry.ts';
import type { JsonObject } from '../schema/structural.ts';
import { operations, withoutProse } from './testing/openapi.fixture.ts';
import { RealDocuments } from './testing/real-documents.fixture.ts';
import { ask, parsed } from './testing/requests.fixture.ts';
import { CRD_NAME, GROUP, widgetCrd, widgets } from './testing/widgets.fixture.ts';
import { openApiV3Paths } from './v3.ts';

const api = realApiServer();
const CRDS = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';

/** Used by watches and by writes of API services, which are other paths here or none. */
const NOT_REACHED = /(WatchEvent|RawExtension|DeleteOptions|Preconditions|Status|StatusCause|StatusDetails)$/;

interface V3 {
  readonly paths: Record<string, JsonObject>;
  readonly components: { readonly schemas: JsonObject };
}

const registry = new Registry();
registry.replace([...builtinResources(), ...widgets]);
const handler = openApiV3Paths(registry, () => new Date());
const index = parsed(await ask(handler, '/openapi/v3'))['paths'] as JsonObject;

describe.skipIf(api === null)('OpenAPI v3', () => {
  const server = new RealDocuments(api ?? { url: '', ca: '', token: '' });

  beforeAll(async () => {
    await server.send('POST', CRDS, 'application/json', widgetCrd);
    await vi.waitFor(
      async () => expect(JSON.stringify(await server.json('/openapi/v3'))).toContain(`apis/${GROUP}/v1beta1`),
      { timeout: 30_000, interval: 100 },
    );
  });
  afterAll(async () => {
    await server.send('DELETE', `${CRDS}/${CRD_NAME}`, 'application/json');
    await server.close();
  });

  test.each(Object.keys(index))('%s', async (path) => {
    const ours = parsed(await ask(handler, `/openapi/v3/${path}`)) as unknown as V3;
    const real = await server.json<V3>(`/openapi/v3/${path}`);
    const theirs = withoutProse(real.components.schemas) as JsonObject;
    const served = withoutProse(ours.components.schemas) as JsonObject;
    for (const [name, schema] of Object.entries(served)) expect(schema, name).toEqual(theirs[name]);
    const missing = Object.keys(theirs).filter((name) => !Object.hasOwn(served, name));
    expect(missing.filter((name) => !NOT_REACHED.test(name))).toEqual([]);
    expect(comparable(ours.paths)).toEqual(comparable(real.paths));
  });
});

/** API services are not written here. And the real server's list of what a custom kind takes is not what it takes. */
function comparable(paths: V3['paths']): JsonObject {
  const kept = Object.entries(operations(paths)).filter(
    ([name]) => name.startsWith('GET') || !name.includes('/apiservices') || name.endsWith('/status'),
  );
  for (const [name, operation] of kept)
    if (name.includes(GROUP) && INEXACT.has(String((operation as JsonObject)['action'])))
      delete (operation as JsonObject)['parameters'];
  return Object.fromEntries(kept);
}

const INEXACT = new Set(['get', 'deletecollection']);
