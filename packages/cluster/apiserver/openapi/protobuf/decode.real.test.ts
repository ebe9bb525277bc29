/** Every object in two forms from the real API server: what we decode from protobuf is its JSON, field by field. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { realApiServer } from '../../../../../test/control-plane/suite.ts';
import { ApiError } from '../../http/api-error.ts';
import type { JsonObject } from '../../schema/structural.ts';
import { type Example, examples, NAMESPACE, reviews } from '../testing/objects.fixture.ts';
import { PROTOBUF, RealDocuments } from '../testing/real-documents.fixture.ts';
import { decodeProtobuf } from './decode.ts';

const api = realApiServer();
const NAME = 'protobuf-example';

describe.skipIf(api === null)('protobuf bodies', () => {
  const server = new RealDocuments(api ?? { url: '', ca: '', token: '' });

  beforeAll(async () => {
    await server.send('POST', '/api/v1/namespaces', 'application/json', { metadata: { name: NAMESPACE } });
  });
  afterAll(async () => {
    for (const example of examples(NAME)) await server.send('DELETE', pathOf(example), 'application/json');
    await server.send('DELETE', `/api/v1/namespaces/${NAMESPACE}`, 'application/json');
    await server.close();
  });

  test.each(examples(NAME))('$path', async (example) => {
    const created = await server.send('POST', collectionOf(example), 'application/json', example.object);
    expect(created.body.toString('utf8')).toContain('"uid"');
    const { json, protobuf } = await bothForms(example);
    expect(protobuf).toEqual(withoutInnerKinds(json));
  });

  test.each(reviews)('$path', async ({ path, object }) => {
    const json = await server.send('POST', `/apis/${path}`, 'application/json', object);
    const protobuf = await server.send('POST', `/apis/${path}`, PROTOBUF, object);
    expect(json.status).toBe(201);
    expect(withoutTimes(decodeProtobuf(protobuf.body))).toEqual(withoutTimes(JSON.parse(json.body.toString('utf8'))));
  });

  test('everything that a fresh server has', async () => {
    for (const path of [
      'v1/namespaces',
      'v1/services',
      'rbac.authorization.k8s.io/v1/clusterroles',
      'rbac.authorization.k8s.io/v1/clusterrolebindings',
      'scheduling.k8s.io/v1/priorityclasses',
      'apiregistration.k8s.io/v1/apiservices',
    ]) {
      const root = path.startsWith('v1/') ? '/api' : '/apis';
      const list = decodeProtobuf((await server.send('GET', `${root}/${path}`, PROTOBUF)).body);
      expect((list['items'] as JsonObject[]).length, path).toBeGreaterThan(0);
      const json = await server.json<JsonObject>(`${root}/${path}`);
      expect(list['items'], path).toEqual(json['items']);
    }
  });

  /** Bytes that are no object; the words are the real server's. */
  const broken: Record<string, Buffer> = {
    nothing: Buffer.alloc(0),
    'no prefix': Buffer.from('hello'),
    'a long text': Buffer.from('{"kind":"ConfigMap","apiVersion":"v1","metadata":{"name":"x"}}'),
    'a prefix alone': Buffer.from('k8s\0'),
    'a cut envelope': Buffer.concat([Buffer.from('k8s\0'), Buffer.from([0x0a, 0xff])]),
    'a cut object': unknown('v1', 'ConfigMap', Buffer.from([0x0a, 0x7f])),
  };
  test.each(Object.entries(broken))('%s is refused as the real server does', async (_, body) => {
    const path = `/api/v1/namespaces/${NAMESPACE}/configmaps`;
    const real = JSON.parse((await server.send('POST', path, 'application/json', body)).body.toString('utf8'));
    let ours: unknown;
    try {
      decodeProtobuf(body, { apiVersion: 'v1', kind: 'ConfigMap' });
    } catch (error) {
      ours = error;
    }
    expect(ours).toBeInstanceOf(ApiError);
    expect((ours as ApiError).toStatus()).toEqual(real);
  });

  /** Controllers write too: asks until both forms are of one version. */
  async function bothForms(example: Example): Promise<{ json: JsonObject; protobuf: JsonObject }> {
    for (;;) {
      const json = await server.json<JsonObject>(pathOf(example));
      const protobuf = decodeProtobuf((await server.send('GET', pathOf(example), PROTOBUF)).body);
      if (versionOf(json) === versionOf(protobuf)) return { json, protobuf };
    }
  }
});

function collectionOf({ path, namespaced }: Example): string {
  const at = path.lastIndexOf('/');
  const root = path.startsWith('v1/') ? '/api' : '/apis';
  return namespaced ? `${root}/${path.slice(0, at)}/namespaces/${NAMESPACE}${path.slice(at)}` : `${root}/${path}`;
}

const pathOf = (example: Example) =>
  `${collectionOf(example)}/${(example.object['metadata'] as JsonObject)['name'] as string}`;
const versionOf = (object: JsonObject) => (object['metadata'] as JsonObject)['resourceVersion'];

/** The kind of an object inside an object is in no protobuf; the server fills it in where it has a default. */
function withoutInnerKinds(object: JsonObject): JsonObject {
  const spec = object['spec'] as JsonObject | undefined;
  for (const claim of (spec?.['volumeClaimTemplates'] ?? []) as JsonObject[]) {
    delete claim['kind'];
    delete claim['apiVersion'];
  }
  return object;
}

/** Set by the server to now, twice. */
function withoutTimes(object: JsonObject): JsonObject {
  const { metadata, ...rest } = object;
  const { creationTimestamp: _, ...kept } = (metadata ?? {}) as JsonObject;
  return { ...rest, metadata: { ...kept, managedFields: [] } };
}

function unknown(apiVersion: string, kind: string, raw: Buffer): Buffer {
  const field = (number: number, bytes: Buffer) =>
    Buffer.concat([Buffer.from([(number << 3) | 2, bytes.length]), bytes]);
  const type = Buffer.concat([field(1, Buffer.from(apiVersion)), field(2, Buffer.from(kind))]);
  return Buffer.concat([Buffer.from('k8s\0'), field(1, type), field(2, raw)]);
}
