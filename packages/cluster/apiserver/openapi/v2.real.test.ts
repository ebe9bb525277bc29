/** Our OpenAPI v2 document beside the real server's, in both forms. */
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { realApiServer } from '../../../../test/control-plane/suite.ts';
import { builtinResources } from '../builtin/resources.ts';
import { Registry } from '../registry/registry.ts';
import type { JsonObject } from '../schema/structural.ts';
import { decodeMessage } from './gnostic/decode.fixture.ts';
import { encodeDocument } from './gnostic/encode.ts';
import { withoutProse } from './testing/openapi.fixture.ts';
import { RealDocuments } from './testing/real-documents.fixture.ts';
import { ask, parsed } from './testing/requests.fixture.ts';
import { CRD_NAME, widgetCrd, widgets } from './testing/widgets.fixture.ts';
import { openApiV2Path } from './v2.ts';

const api = realApiServer();
const CRDS = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
const PROTOBUF = 'application/com.github.proto-openapi.spec.v2@v1.0+protobuf';

const registry = new Registry();
registry.replace([...builtinResources(), ...widgets]);
const handler = openApiV2Path(registry);

describe.skipIf(api === null)('OpenAPI v2', () => {
  const server = new RealDocuments(api ?? { url: '', ca: '', token: '' });
  let real: JsonObject = {};

  beforeAll(async () => {
    await server.send('POST', CRDS, 'application/json', widgetCrd);
    await vi.waitFor(
      async () => {
        real = await server.json<JsonObject>('/openapi/v2');
        expect(real['definitions']).toHaveProperty(['com.example.openapi.v1beta1.Widget']);
      },
      { timeout: 30_000, interval: 250 },
    );
  });
  afterAll(async () => {
    await server.send('DELETE', `${CRDS}/${CRD_NAME}`, 'application/json');
    await server.close();
  });

  test('every definition', async () => {
    const ours = withoutProse(parsed(await ask(handler, '/openapi/v2'))['definitions'] ?? {}) as JsonObject;
    const theirs = withoutProse(real['definitions'] ?? {}) as JsonObject;
    for (const [name, definition] of Object.entries(ours)) expect(definition, name).toEqual(theirs[name]);
    expect(Object.keys(ours).length).toBeGreaterThan(480);
  });

  test('the real document in protobuf is read by our table, and is its JSON', async () => {
    const { body } = await server.send('GET', '/openapi/v2', PROTOBUF);
    expect(decodeMessage('Document', body)).toEqual(real);
  });

  test('the real document survives our encoding', () => {
    expect(decodeMessage('Document', encodeDocument(real))).toEqual(real);
  });
});

test('our document in protobuf is our document in JSON', async () => {
  const json = parsed(await ask(handler, '/openapi/v2'));
  const protobuf = await ask(handler, '/openapi/v2', { accept: PROTOBUF });
  expect(protobuf.headers['content-type']).toBe('application/com.github.proto-openapi.spec.v2.v1.0+protobuf');
  expect(decodeMessage('Document', protobuf.body as Buffer)).toEqual(json);
});
