/** Tokens and reviews: the same requests to the real server and to ours, with the same objects in both. */
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { realApiServer } from '../../../../../test/control-plane/suite.ts';
import { ApiError } from '../../http/api-error.ts';
import type { JsonObject } from '../../schema/structural.ts';
import { type AuthParts, authParts, contextOf, put, remove } from '../testing/auth-server.fixture.ts';
import { realServer } from '../testing/real-server.fixture.ts';
import { issueToken } from './token-request.ts';

const api = realApiServer();
const call = realServer(api);
const SPACE = 'auth-tokens';
let parts: AuthParts;

async function both(plural: string, object: JsonObject): Promise<JsonObject> {
  const [status, live] = await call('POST', `/api/v1/namespaces/${SPACE}/${plural}`, object);
  expect(status, JSON.stringify(live)).toBe(201);
  return put(parts.store, plural, live);
}

/** What remains when times, keys and ids are taken out. */
function shape(answer: JsonObject): JsonObject {
  const text = JSON.stringify(answer, (key, value) => {
    if (key === 'managedFields') return undefined;
    if (key === 'token') return claims(String(value));
    if (/imestamp$/.test(key)) return 'a time';
    return value;
  });
  return JSON.parse(text.replaceAll(/JTI=[-0-9a-f]{36}/g, 'JTI=an id')) as JsonObject;
}

function claims(token: string): unknown {
  const [header, payload] = token.split('.').map((part) => Buffer.from(part, 'base64url').toString());
  if (!payload?.startsWith('{')) return 'some token';
  const { exp, iat, nbf, jti, ...rest } = JSON.parse(payload) as Record<string, number>;
  return {
    header: Object.keys(JSON.parse(header ?? '{}')),
    alg: (JSON.parse(header ?? '{}') as JsonObject)['alg'],
    seconds: Number(exp) - Number(iat),
    sinceIssued: Number(nbf) - Number(iat),
    id: /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(String(jti)),
    rest,
  };
}

async function ours(answer: Promise<JsonObject>): Promise<JsonObject> {
  try {
    return await answer;
  } catch (error) {
    if (error instanceof ApiError) return error.toStatus();
    throw error;
  }
}

describe.skipIf(api === null)('tokens beside the real server', () => {
  beforeAll(async () => {
    parts = await authParts();
    await call('POST', '/api/v1/namespaces', { metadata: { name: SPACE } });
    await both('serviceaccounts', { metadata: { name: 'bot' } });
    await both('serviceaccounts', { metadata: { name: 'other' } });
    await both('secrets', { metadata: { name: 'kept' } });
    const pod = { serviceAccountName: 'bot', containers: [{ name: 'main', image: 'none' }] };
    await both('pods', { metadata: { name: 'pod' }, spec: pod });
  });
  afterAll(async () => {
    await parts.close();
    await call('DELETE', `/api/v1/namespaces/${SPACE}`);
  });

  const bound = (kind: string, name: string, more: JsonObject = {}): JsonObject => ({
    spec: { boundObjectRef: { kind, apiVersion: 'v1', name, ...more } },
  });
  const requests: [string, JsonObject][] = [
    ['bot', { spec: {} }],
    ['bot', { spec: { audiences: ['a', 'b'], expirationSeconds: 600 } }],
    ['bot', { spec: { expirationSeconds: 599 } }],
    ['bot', { spec: { expirationSeconds: 2 ** 32 } }],
    ['bot', { spec: { expirationSeconds: 2 ** 32 + 1 } }],
    ['bot', { spec: { expirationSeconds: -1 } }],
    ['bot', bound('Pod', 'pod')],
    ['bot', bound('Pod', 'pod', { uid: 'another' })],
    ['bot', bound('Pod', 'absent')],
    ['other', bound('Pod', 'pod')],
    ['bot', bound('Secret', 'kept')],
    ['bot', bound('Secret', 'kept', { uid: 'another' })],
    ['bot', bound('Secret', 'absent')],
    ['bot', bound('Node', 'absent')],
    ['bot', bound('ConfigMap', 'kept')],
    ['bot', bound('Deployment', 'kept', { apiVersion: 'apps/v1' })],
    ['bot', { metadata: { name: 'another' }, spec: {} }],
    ['bot', { metadata: { namespace: 'another' }, spec: {} }],
    ['bot', { metadata: { name: 'bot', namespace: SPACE }, spec: {} }],
    ['absent', { spec: {} }],
  ];
  test.each(requests)('TokenRequest for %s: %j', async (name, object) => {
    const [, real] = await call('POST', `/api/v1/namespaces/${SPACE}/serviceaccounts/${name}/token`, object);
    const deps = { store: parts.store, tokens: parts.tokens, now: () => new Date(parts.clock.now) };
    const own = await ours(issueToken(deps, { namespace: SPACE, name, object }));
    expect(shape(own)).toEqual(shape(real));
  });

  const AUTHENTICATION = 'authentication.k8s.io/v1';
  const AUTHORIZATION = 'authorization.k8s.io/v1';
  const issuer = 'https://kubernetes.default.svc';
  const tokenReviews: [JsonObject, JsonObject][] = [
    [{}, {}],
    [{}, { audiences: ['a'] }],
    [{}, { audiences: ['a', issuer] }],
    [{ audiences: ['a', 'b'] }, {}],
    [{ audiences: ['a', 'b'] }, { audiences: ['b', 'c', 'a'] }],
    [bound('Pod', 'pod')['spec'] as JsonObject, {}],
    [bound('Secret', 'kept')['spec'] as JsonObject, { audiences: [issuer] }],
  ];
  test.each(tokenReviews)('TokenReview of a token for %j asks %j', async (spec, asked) => {
    const [real, own] = await tokensFor(spec);
    expect(await reviewOurs(own, asked)).toEqual(await reviewReal(real, asked));
  });

  test('TokenReview of nonsense and of nothing', async () => {
    expect(await reviewOurs('nonsense', {})).toEqual(await reviewReal('nonsense', {}));
    expect(await reviewOurs('a.b.c', { audiences: ['z'] })).toEqual(await reviewReal('a.b.c', { audiences: ['z'] }));
    expect(await reviewOurs('', {})).toEqual(await reviewReal('', {}));
  });

  test('tokens of what is gone are refused in the same words', async () => {
    await both('serviceaccounts', { metadata: { name: 'brief' } });
    await both('secrets', { metadata: { name: 'brief' } });
    const [realBound, ownBound] = await tokensFor(bound('Secret', 'brief')['spec'] as JsonObject, 'brief');
    const [real, own] = await tokensFor({}, 'brief');
    const gone = { namespace: SPACE, name: 'brief' };
    await call('DELETE', `/api/v1/namespaces/${SPACE}/secrets/brief`);
    await remove(parts.store, 'secrets', gone);
    await agree(ownBound, realBound);
    await call('DELETE', `/api/v1/namespaces/${SPACE}/serviceaccounts/brief`);
    await remove(parts.store, 'serviceaccounts', gone);
    await agree(own, real);
    await both('serviceaccounts', { metadata: { name: 'brief' } });
    await agree(own, real);
  });

  /** The real server looks at caches, and remembers what it said about a token for an audience: we ask for ever new ones. */
  async function agree(own: string, real: string): Promise<void> {
    const { status } = await reviewOurs(own, {});
    let asked = 0;
    await vi.waitFor(
      async () => expect((await reviewReal(real, { audiences: [issuer, `z${asked++}`] }))['status']).toEqual(status),
      { timeout: 10_000, interval: 50 },
    );
    expect(status).not.toHaveProperty('authenticated');
  }

  const path = (kind: string, namespace = '') =>
    `/apis/${kind === 'SelfSubjectReview' ? AUTHENTICATION : AUTHORIZATION}/${namespace}${kind.toLowerCase()}s`;
  const about = { verb: 'get', resource: 'pods', namespace: SPACE };
  const reviews: [string, string, JsonObject][] = [
    ['SubjectAccessReview', '', { spec: {} }],
    ['SubjectAccessReview', '', { spec: { user: 'jane' } }],
    [
      'SubjectAccessReview',
      '',
      { spec: { resourceAttributes: about, nonResourceAttributes: { path: '/', verb: 'get' } } },
    ],
    ['SubjectAccessReview', '', { spec: { user: 'jane', resourceAttributes: about } }],
    [
      'SubjectAccessReview',
      '',
      { spec: { groups: ['system:authenticated'], nonResourceAttributes: { path: '/api', verb: 'get' } } },
    ],
    [
      'SubjectAccessReview',
      '',
      {
        spec: { user: 'jane', uid: 'u', extra: { Foo: ['a'] }, groups: ['system:masters'], resourceAttributes: about },
      },
    ],
    [
      'SubjectAccessReview',
      '',
      {
        spec: {
          user: 'jane',
          resourceAttributes: {
            ...about,
            fieldSelector: { rawSelector: 'a=b', requirements: [{ key: '', operator: 'In', values: ['a'] }] },
          },
        },
      },
    ],
    ['SelfSubjectAccessReview', '', { spec: {} }],
    ['SelfSubjectAccessReview', '', { spec: { resourceAttributes: about } }],
    ['LocalSubjectAccessReview', `namespaces/${SPACE}/`, { spec: { user: 'jane', resourceAttributes: about } }],
    [
      'LocalSubjectAccessReview',
      `namespaces/${SPACE}/`,
      { spec: { user: 'jane', resourceAttributes: { ...about, namespace: 'z' } } },
    ],
    [
      'LocalSubjectAccessReview',
      `namespaces/${SPACE}/`,
      { spec: { user: 'jane', resourceAttributes: { verb: 'get' } } },
    ],
    [
      'LocalSubjectAccessReview',
      `namespaces/${SPACE}/`,
      { spec: { user: 'jane', nonResourceAttributes: { path: '/api', verb: 'get' } } },
    ],
    ['SelfSubjectRulesReview', '', { spec: {} }],
    ['SelfSubjectRulesReview', '', { spec: { namespace: SPACE } }],
    ['SelfSubjectReview', '', {}],
  ];
  test.each(reviews)('%s %s%j', async (kind, where, body) => {
    const apiVersion = kind === 'SelfSubjectReview' ? AUTHENTICATION : AUTHORIZATION;
    const asked: JsonObject = { apiVersion, kind, ...body };
    const [, real] = await call('POST', path(kind, where), asked, {
      'impersonate-user': 'auth-asker',
      'impersonate-group': 'system:masters',
    });
    const metadata = where === '' ? {} : { metadata: { namespace: SPACE } };
    const virtual = parts.virtuals[`${apiVersion.split('/')[0]}/${kind}`];
    const context = contextOf('auth-asker', ['system:masters', 'system:authenticated'], parts.clock.now);
    const own = await ours(virtual?.({ ...asked, ...metadata }, context) ?? Promise.reject(new Error(kind)));
    expect(sorted(shape(own))).toEqual(sorted(shape(real)));
  });

  test('a review with a name is refused', async () => {
    const asked = {
      kind: 'SubjectAccessReview',
      apiVersion: AUTHORIZATION,
      spec: { user: 'a', resourceAttributes: about },
    };
    const named = { ...asked, metadata: { name: 'x' } };
    const [code, real] = await call('POST', path('SubjectAccessReview'), named);
    const own = await ours(
      Promise.resolve().then(() => virtualOf('SubjectAccessReview')(named, contextOf('a', [], 0))),
    );
    expect([own['code'], own['reason']]).toEqual([code, real['reason']]);
    const cut = (text: unknown) => String(text).replace(/,"managedFields":.*\]}/, '}');
    expect(cut(own['message'])).toEqual(cut(real['message']));
  });

  const virtualOf = (kind: string) => {
    const virtual = parts.virtuals[`authorization.k8s.io/${kind}`];
    if (!virtual) throw new Error(`no ${kind}`);
    return virtual;
  };

  async function tokensFor(spec: JsonObject, name = 'bot'): Promise<[real: string, own: string]> {
    const [, real] = await call('POST', `/api/v1/namespaces/${SPACE}/serviceaccounts/${name}/token`, { spec });
    const deps = { store: parts.store, tokens: parts.tokens, now: () => new Date(parts.clock.now) };
    const own = await issueToken(deps, { namespace: SPACE, name, object: { spec } });
    const tokenOf = (answer: JsonObject) => String((answer['status'] as JsonObject)['token']);
    return [tokenOf(real), tokenOf(own)];
  }

  const tokenReview = (token: string, asked: JsonObject): JsonObject => ({
    apiVersion: AUTHENTICATION,
    kind: 'TokenReview',
    spec: { token, ...asked },
  });
  async function reviewReal(token: string, asked: JsonObject): Promise<JsonObject> {
    const [, body] = await call('POST', `/apis/${AUTHENTICATION}/tokenreviews`, tokenReview(token, asked));
    return shape(withoutToken(body));
  }
  async function reviewOurs(token: string, asked: JsonObject): Promise<JsonObject> {
    const answer = parts.virtuals['authentication.k8s.io/TokenReview']?.(
      tokenReview(token, asked),
      contextOf('a', [], parts.clock.now),
    );
    return shape(withoutToken(await ours(answer ?? Promise.reject(new Error('no TokenReview')))));
  }
});

/** The two servers are asked about tokens of their own. */
const withoutToken = (answer: JsonObject): JsonObject =>
  answer['spec'] === undefined ? answer : { ...answer, spec: { ...(answer['spec'] as JsonObject), token: '' } };

/** The order of rules in a rules review is nobody's promise. */
function sorted(answer: JsonObject): JsonObject {
  const status = answer['status'];
  if (typeof status !== 'object' || status === null || Array.isArray(status)) return answer;
  const lists = Object.entries(status).map(([key, value]) => [
    key,
    key.endsWith('Rules') && Array.isArray(value)
      ? value.map((item) => JSON.stringify(item, Object.keys(item as JsonObject).sort())).sort()
      : value,
  ]);
  return { ...answer, status: Object.fromEntries(lists) as JsonObject };
}
