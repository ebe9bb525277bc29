import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { expect, test } from 'vitest';
import { defineKind } from '../kind.ts';
import type { KubeObject } from '../object.ts';
import type { Handler, TestApi } from '../transport/api.fixture.ts';
import { answer, failure, startApi } from '../transport/api.fixture.ts';
import { createTransport } from '../transport/http.ts';
import type { ClientOptions } from './call.ts';
import { createClient } from './client.ts';
import type { Client, WatchEvent } from './contract.ts';
import { bindPod, evict, getScale, requestToken, setScale } from './subresources.ts';

interface Widget extends KubeObject {
  spec?: { size?: number };
}
const Widget = defineKind<Widget>({
  group: 'example.com',
  version: 'v1',
  kind: 'Widget',
  plural: 'widgets',
  namespaced: true,
});
const Node = defineKind<KubeObject>({ group: '', version: 'v1', kind: 'Node', plural: 'nodes', namespaced: false });
const key = { namespace: 'ns', name: 'a' };

interface Fixture extends AsyncDisposable {
  readonly client: Client;
  readonly api: TestApi;
}

async function serve(handler: Handler, options?: ClientOptions): Promise<Fixture> {
  const api = await startApi(handler);
  const transport = createTransport(api.config(), { retry: { retries: 0 } });
  return {
    api,
    client: createClient(transport, options),
    async [Symbol.asyncDispose]() {
      await transport.close();
      await api[Symbol.asyncDispose]();
    },
  };
}

/** Answers with what was asked. */
const mirror: Handler = (request, response) =>
  answer(response, 200, {
    kind: 'Mirror',
    asked: `${request.method} ${request.url}`,
    type: request.headers['content-type'],
    accept: request.headers.accept,
    body: request.text === '' ? undefined : JSON.parse(request.text),
  });

test('every verb has its method, path, query, content type and body', async () => {
  await using at = await serve(mirror, { fieldManager: 'tester' });
  const { client } = at;
  const object = { metadata: { name: 'a', namespace: 'ns' }, spec: { size: 1 } };
  const typed = { apiVersion: 'example.com/v1', kind: 'Widget', ...object };
  const path = '/apis/example.com/v1/namespaces/ns/widgets';

  expect(await client.get(Widget, key, { resourceVersion: '0' })).toMatchObject({
    asked: `GET ${path}/a?resourceVersion=0`,
    accept: 'application/json',
  });
  expect(await client.get(Node, { name: 'n/../x' })).toMatchObject({ asked: 'GET /api/v1/nodes/n%2F..%2Fx' });
  expect(await client.create(Widget, object, { dryRun: true, fieldValidation: 'Strict' })).toMatchObject({
    asked: `POST ${path}?fieldManager=tester&fieldValidation=Strict&dryRun=All`,
    type: 'application/json',
    body: typed,
  });
  expect(await client.update(Widget, object, { subresource: 'status', fieldManager: 'me' })).toMatchObject({
    asked: `PUT ${path}/a/status?fieldManager=me`,
    body: typed,
  });
  expect(await client.patch(Widget, key, { merge: { spec: null } })).toMatchObject({
    asked: `PATCH ${path}/a?fieldManager=tester`,
    type: 'application/merge-patch+json',
    body: { spec: null },
  });
  expect(await client.patch(Widget, key, { json: [{ op: 'remove', path: '/spec' }] })).toMatchObject({
    type: 'application/json-patch+json',
    body: [{ op: 'remove', path: '/spec' }],
  });
  expect(await client.patch(Widget, key, { strategic: { spec: {} } }, { subresource: 'scale' })).toMatchObject({
    asked: `PATCH ${path}/a/scale?fieldManager=tester`,
    type: 'application/strategic-merge-patch+json',
  });
  expect(await client.apply(Widget, object, { fieldManager: 'me', force: true })).toMatchObject({
    asked: `PATCH ${path}/a?fieldManager=me&force=true`,
    type: 'application/apply-patch+yaml',
    body: typed,
  });
  expect(
    await client.delete(Widget, key, {
      uid: 'u',
      resourceVersion: '5',
      propagation: 'Foreground',
      gracePeriodSeconds: 0,
      dryRun: true,
    }),
  ).toMatchObject({
    asked: `DELETE ${path}/a`,
    body: {
      kind: 'DeleteOptions',
      apiVersion: 'v1',
      preconditions: { uid: 'u', resourceVersion: '5' },
      propagationPolicy: 'Foreground',
      gracePeriodSeconds: 0,
      dryRun: ['All'],
    },
  });
  await client.deleteCollection(Widget, { namespace: 'ns', labelSelector: 'a=b' });
  expect(at.api.seen.at(-1)).toBe(`DELETE ${path}?labelSelector=a%3Db`);
});

test('metadata alone can be asked for, and is called by its own kind', async () => {
  await using at = await serve((request, response) =>
    answer(
      response,
      200,
      request.url?.endsWith('/a')
        ? { kind: 'PartialObjectMetadata', accept: request.headers.accept }
        : { items: [{ kind: 'PartialObjectMetadata' }] },
    ),
  );
  expect(await at.client.get(Widget, key, { metadataOnly: true })).toMatchObject({
    kind: 'Widget',
    apiVersion: 'example.com/v1',
    accept: expect.stringContaining('as=PartialObjectMetadata;'),
  });
  expect((await at.client.list(Widget, { metadataOnly: true })).items).toEqual([
    { kind: 'Widget', apiVersion: 'example.com/v1' },
  ]);
});

test('subresources of another kind', async () => {
  await using at = await serve((request, response) =>
    request.url?.endsWith('/token')
      ? answer(response, 201, { status: { token: 't', expirationTimestamp: 'later' } })
      : mirror(request, response, 0),
  );
  const { client } = at;
  expect(await getScale(client, Widget, key)).toMatchObject({
    asked: 'GET /apis/example.com/v1/namespaces/ns/widgets/a/scale',
  });
  expect(await setScale(client, Widget, key, 3)).toMatchObject({ body: { spec: { replicas: 3 } } });
  await evict(client, key, { uid: 'u' });
  await bindPod(client, key, 'node-1');
  expect(await requestToken(client, key, { expirationSeconds: 600 })).toEqual({ token: 't', expires: 'later' });
  expect(at.api.seen.slice(2)).toEqual(
    ['eviction', 'binding']
      .map((sub) => `POST /api/v1/namespaces/ns/pods/a/${sub}`)
      .concat('POST /api/v1/namespaces/ns/serviceaccounts/a/token'),
  );
});

test('an object without name or namespace never becomes a collection', async () => {
  await using at = await serve(mirror);
  await expect(at.client.delete(Widget, { namespace: 'ns', name: '' })).rejects.toMatchObject({
    code: 'bad-request',
    message: expect.stringContaining('metadata.name'),
  });
  await expect(at.client.get(Widget, { name: 'a' })).rejects.toMatchObject({
    code: 'bad-request',
    message: expect.stringContaining('metadata.namespace'),
  });
  await expect(at.client.create(Widget, { metadata: { generateName: 'a-' } })).rejects.toMatchObject({
    code: 'bad-request',
  });
  expect(at.api.seen).toEqual([]);
});

test('delete gives the object while it lingers and nothing when it is gone', async () => {
  await using at = await serve((_, response, count) =>
    answer(
      response,
      200,
      count === 1 ? { kind: 'Status', status: 'Success' } : { kind: 'Widget', metadata: { finalizers: ['x'] } },
    ),
  );
  expect(await at.client.delete(Widget, key)).toBeUndefined();
  expect(await at.client.delete(Widget, key)).toMatchObject({ metadata: { finalizers: ['x'] } });
});

test('warnings reach the callback and the channel', async () => {
  const told: string[] = [];
  const heard: unknown[] = [];
  const listen = (message: unknown): void => void heard.push(message);
  subscribe('sandbank:kube:warning', listen);
  await using at = await serve(
    (_, response) => {
      response.setHeader('warning', ['299 - "old \\"v1\\", use v2"', '299 - "second", 299 - "third"']);
      answer(response, 200, {});
    },
    { onWarning: (text, resource) => void told.push(`${resource}: ${text}`) },
  );
  await at.client.get(Widget, key);
  unsubscribe('sandbank:kube:warning', listen);
  expect(told).toEqual([
    'widgets.example.com: old "v1", use v2',
    'widgets.example.com: second',
    'widgets.example.com: third',
  ]);
  expect(heard).toHaveLength(3);
});

test('errors name verb, resource and object; what is not JSON is no answer', async () => {
  await using at = await serve((_, response, count) =>
    count === 1
      ? answer(response, 409, failure(409, 'Conflict', 'the object has been modified'))
      : answer(response, 200, '<html>login</html>'),
  );
  await expect(at.client.patch(Widget, key, { merge: {} })).rejects.toMatchObject({
    code: 'conflict',
    message: expect.stringMatching(/^patch widgets\.example\.com ns\/a: .*Read the object again/),
  });
  await expect(at.client.get(Widget, key)).rejects.toMatchObject({
    code: 'bad-response',
    message: expect.stringContaining('not JSON'),
  });
});

/** A list of `total` items in pages, which expires before the pages named in `expired` (counted over all requests). */
function pages(total: number, expired: readonly number[] = []): Handler {
  let revision = 0;
  return (request, response, count) => {
    const query = new URL(request.url ?? '', 'https://x').searchParams;
    if (expired.includes(count)) {
      answer(response, 410, failure(410, 'Expired', 'The provided continue parameter is too old'));
      return;
    }
    const token = query.get('continue');
    if (token === null) revision += 1;
    const [wanted = revision, from = 0] = token === null ? [] : token.split(':').map(Number);
    const to = Math.min(total, from + Number(query.get('limit') ?? total));
    answer(response, 200, {
      metadata: {
        resourceVersion: String(wanted),
        continue: to < total ? `${wanted}:${to}` : '',
        remainingItemCount: total - to,
      },
      items: Array.from({ length: to - from }, (_, index) => ({ metadata: { name: `${wanted}-${from + index}` } })),
    });
  };
}

test('a list is all pages of one revision', async () => {
  await using at = await serve(pages(1203));
  const list = await at.client.list(Widget, {
    namespace: 'ns',
    labelSelector: 'a',
    resourceVersion: '1',
    resourceVersionMatch: 'NotOlderThan',
  });
  expect(list.resourceVersion).toBe('1');
  expect(list.continue).toBeUndefined();
  expect(list.items.map((item) => item.metadata?.name)).toEqual(
    Array.from({ length: 1203 }, (_, index) => `1-${index}`),
  );
  expect(list.items[0]).toMatchObject({ kind: 'Widget', apiVersion: 'example.com/v1' });
  expect(at.api.seen).toHaveLength(3);
  expect(at.api.seen[1]).toContain('labelSelector=a');
  expect(at.api.seen[1]).not.toContain('resourceVersion');
});

test.each([
  ['once', [2], '2'],
  ['twice, and then comes in one piece', [2, 4], '3'],
])('a list whose revision expires %s starts again and mixes nothing', async (_, expired, revision) => {
  await using at = await serve(pages(1203, expired));
  const { items, resourceVersion } = await at.client.list(Widget, { namespace: 'ns' });
  expect(resourceVersion).toBe(revision);
  expect(items.map((item) => item.metadata?.name)).toEqual(
    Array.from({ length: 1203 }, (_item, index) => `${revision}-${index}`),
  );
});

test('a page by itself is a page by itself, expiry included', async () => {
  await using at = await serve(pages(10, [3]));
  const first = await at.client.list(Widget, { namespace: 'ns', limit: 4 });
  expect(first).toMatchObject({ continue: '1:4', remainingItemCount: 6 });
  const second = await at.client.list(Widget, { namespace: 'ns', limit: 4, continue: first.continue });
  expect(second.items).toHaveLength(4);
  await expect(at.client.list(Widget, { namespace: 'ns', limit: 4, continue: second.continue })).rejects.toMatchObject({
    code: 'gone',
  });
});

test('an empty list of Go is a list', async () => {
  await using at = await serve((_, response) =>
    answer(response, 200, { items: null, metadata: { resourceVersion: '7' } }),
  );
  expect(await at.client.list(Widget)).toMatchObject({ items: [], resourceVersion: '7' });
});

const event = (type: string, object: object): string => `${JSON.stringify({ type, object })}\n`;

test('a watch gives events, however their bytes come, and ends quietly', async () => {
  const big = 'ü'.repeat(700_000);
  const text = Buffer.from(
    event('ADDED', { metadata: { name: 'a', annotations: { big } } }) +
      event('BOOKMARK', { metadata: { resourceVersion: '9', annotations: { 'k8s.io/initial-events-end': 'true' } } }) +
      event('DELETED', { metadata: { name: 'ä' } }),
  );
  await using at = await serve(async (_, response) => {
    response.writeHead(200);
    // An odd size cuts characters in two.
    for (let part = 0; part < text.length; part += 9973) {
      if (!response.write(text.subarray(part, part + 9973)))
        await new Promise((resolve) => response.once('drain', resolve));
    }
    response.end();
  });
  const events = await Array.fromAsync(
    at.client.watch(Widget, {
      namespace: 'ns',
      resourceVersion: '5',
      bookmarks: true,
      serverTimeoutSeconds: 30,
      sendInitialEvents: true,
    }),
  );
  expect(events).toEqual([
    { type: 'ADDED', object: { metadata: { name: 'a', annotations: { big } } } },
    { type: 'BOOKMARK', resourceVersion: '9', initialEventsEnd: true },
    { type: 'DELETED', object: { metadata: { name: 'ä' } } },
  ]);
  expect(at.api.seen[0]).toBe(
    'GET /apis/example.com/v1/namespaces/ns/widgets?watch=true&resourceVersion=5&allowWatchBookmarks=true&timeoutSeconds=30&sendInitialEvents=true&resourceVersionMatch=NotOlderThan',
  );
});

test.each<[string, Handler, object]>([
  [
    'an ERROR event',
    (_, response) => answer(response, 200, event('ERROR', failure(410, 'Expired', 'too old resource version'))),
    { code: 'gone', message: expect.stringMatching(/^watch widgets.*too old.*List again/) },
  ],
  [
    'a refusal',
    (_, response) => answer(response, 403, failure(403, 'Forbidden', 'User "x" cannot watch resource "widgets"')),
    { code: 'forbidden' },
  ],
  [
    'an end in the middle of a line',
    (_, response) => answer(response, 200, '{"type":"ADDED","obj'),
    { code: 'connection-lost', message: expect.stringContaining('middle of an event') },
  ],
  ['a line that is not JSON', (_, response) => answer(response, 200, 'hello\n'), { code: 'bad-response' }],
  ['an unknown type', (_, response) => answer(response, 200, event('SURPRISE', {})), { code: 'bad-response' }],
])('a watch throws %s', async (_, handler, error) => {
  await using at = await serve(handler);
  await expect(Array.fromAsync(at.client.watch(Widget))).rejects.toMatchObject(error);
});

test('leaving a watch frees its connection', async () => {
  const closed = Promise.withResolvers<void>();
  await using at = await serve((request, response) => {
    request.socket.once('close', () => closed.resolve());
    response.writeHead(200);
    response.write(event('ADDED', { metadata: { name: 'a' } }));
  });
  const seen: WatchEvent<Widget>[] = [];
  for await (const one of at.client.watch(Widget)) {
    seen.push(one);
    break;
  }
  await closed.promise;
  expect(seen).toHaveLength(1);
});
