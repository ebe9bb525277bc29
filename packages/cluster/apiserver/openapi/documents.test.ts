import { describe, expect, test } from 'vitest';
import { builtinResources } from '../builtin/resources.ts';
import { ApiError } from '../http/api-error.ts';
import { Registry } from '../registry/registry.ts';
import { discoveryPaths } from './discovery.ts';
import { compareVersions } from './groups.ts';
import { ask, get, parsed } from './testing/requests.fixture.ts';
import { GROUP, widgets } from './testing/widgets.fixture.ts';
import { openApiV2Path } from './v2.ts';
import { openApiV3Paths } from './v3.ts';

const AGGREGATED = 'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList';
/** What client-go of recent years sends. */
const CLIENT_GO = `${AGGREGATED},${AGGREGATED.replace('v=v2', 'v=v2beta1')},application/json`;
const now = () => new Date('2030-01-01T00:00:00Z');

function served(): Registry {
  const registry = new Registry();
  registry.replace(builtinResources());
  return registry;
}

const hashes = (index: ReturnType<typeof parsed>) =>
  index['paths'] as unknown as Record<string, { readonly serverRelativeURL: string }>;

describe('discovery', () => {
  test('is one document for those who ask, and the old ones for others', async () => {
    const handler = discoveryPaths(served());
    expect(parsed(await ask(handler, '/apis', { accept: CLIENT_GO }))['kind']).toBe('APIGroupDiscoveryList');
    for (const accept of ['', 'application/json', '*/*', 'application/vnd.kubernetes.protobuf,application/json'])
      expect(parsed(await ask(handler, '/apis', { accept }))['kind']).toBe('APIGroupList');
    expect(() => handler(get('/apis', { accept: 'text/html' }))).toThrow(ApiError);
  });

  test('is not sent again to those who have it, until a kind comes', async () => {
    const registry = served();
    const handler = discoveryPaths(registry);
    const { headers } = await ask(handler, '/apis', { accept: CLIENT_GO });
    const again = { accept: CLIENT_GO, 'if-none-match': String(headers['etag']) };
    expect(await ask(handler, '/apis', again)).toMatchObject({ status: 304, body: '' });
    registry.replace(widgets);
    const changed = await ask(handler, '/apis', again);
    expect(changed.status).toBe(200);
    expect(String(changed.body)).toContain(GROUP);
  });

  test('says nothing about groups, versions and methods that are not there', async () => {
    const handler = discoveryPaths(served());
    for (const path of ['/apis/nothing', '/apis/apps/v2', '/api/v2', '/apis/apps/v1/deployments', '/apiservices'])
      expect(await handler(get(path)), path).toBeUndefined();
    expect(await handler({ ...get('/apis'), method: 'POST' })).toBeUndefined();
  });

  test('forgets a group whose last kind went', async () => {
    const registry = served();
    registry.replace(widgets);
    const handler = discoveryPaths(registry);
    await ask(handler, `/apis/${GROUP}/v1`);
    registry.replace([], widgets);
    expect(await handler(get(`/apis/${GROUP}/v1`))).toBeUndefined();
  });
});

describe('OpenAPI v3', () => {
  test('a hash that fits makes the document good for ever, another leads to it', async () => {
    const handler = openApiV3Paths(served(), now);
    const url = hashes(parsed(await ask(handler, '/openapi/v3')))['apis/apps/v1']?.serverRelativeURL ?? '';
    const { status, headers } = await ask(handler, url);
    expect(status).toBe(200);
    expect(headers['cache-control']).toBe('public, immutable');
    expect(headers['expires']).toBe('Wed, 01 Jan 2031 00:00:00 GMT');
    const moved = await ask(handler, '/openapi/v3/apis/apps/v1?hash=OLD');
    expect(moved).toMatchObject({ status: 301, headers: { location: url } });
    const plain = await ask(handler, '/openapi/v3/apis/apps/v1');
    expect(plain.headers['cache-control']).toBe('no-cache, private');
    expect(plain.body).toBe((await ask(handler, url)).body);
    expect(() => handler(get(url, { accept: 'application/xml' }))).toThrow(/media types/);
    expect(await handler(get('/openapi/v3/apis/nothing/v1'))).toBeUndefined();
  });

  test('a custom kind changes the document of its own version and no other', async () => {
    const registry = served();
    const handler = openApiV3Paths(registry, now);
    const before = hashes(parsed(await ask(handler, '/openapi/v3')));
    registry.replace(widgets);
    const after = hashes(parsed(await ask(handler, '/openapi/v3')));
    expect(
      Object.keys(after).filter((path) => after[path]?.serverRelativeURL !== before[path]?.serverRelativeURL),
    ).toEqual([`apis/${GROUP}/v1`, `apis/${GROUP}/v1beta1`]);
    registry.replace([], widgets);
    expect(hashes(parsed(await ask(handler, '/openapi/v3')))).toEqual(before);
  });
});

test('OpenAPI v2 has custom kinds as soon as they are there, in both forms', async () => {
  const registry = served();
  const handler = openApiV2Path(registry);
  const protobuf = { accept: 'application/com.github.proto-openapi.spec.v2@v1.0+protobuf' };
  const before = await ask(handler, '/openapi/v2', protobuf);
  expect(String(before.body)).not.toContain('com.example.openapi.v1.Widget');
  registry.replace(widgets);
  for (const headers of [{}, protobuf]) {
    const { body } = await ask(handler, '/openapi/v2', headers);
    expect(String(body)).toContain('com.example.openapi.v1.Widget');
  }
  expect(() => handler(get('/openapi/v2', { accept: 'text/html' }))).toThrow(/media types/);
});

test('versions in the order in which clients prefer them', () => {
  const versions = ['foo1', 'v1alpha1', 'v10', 'v2', 'v1beta2', 'bar', 'v11beta1', 'v1', 'v2alpha1'];
  expect(versions.sort(compareVersions)).toEqual([
    'v10',
    'v2',
    'v1',
    'v11beta1',
    'v1beta2',
    'v2alpha1',
    'v1alpha1',
    'bar',
    'foo1',
  ]);
});
