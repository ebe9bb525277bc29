import { generateKeyPairSync, type KeyObject } from 'node:crypto';
import { type JWTPayload, SignJWT, UnsecuredJWT } from 'jose';
import { describe, expect, test } from 'vitest';
import { ApiError } from '../http/api-error.ts';
import type { User } from '../registry/resource.ts';
import type { JsonObject } from '../schema/structural.ts';
import { textOf } from '../verbs/stored-object.ts';
import { type AuthParts, authPartsOfTest, put, remove } from './testing/auth-server.fixture.ts';
import { makeToken, staticTokens } from './tokens/static-tokens.ts';
import { issueToken, secretToken } from './tokens/token-request.ts';

const SPACE = 'ns';
const of = (name: string) => ({ namespace: SPACE, name });

async function ask(parts: AuthParts, authorization: string | undefined): Promise<User | undefined | 401> {
  try {
    return await parts.authenticator.authenticate({ authorization }, {});
  } catch (error) {
    expect(error).toBeInstanceOf(ApiError);
    expect((error as ApiError).toStatus()).toMatchObject({
      code: 401,
      message: 'Unauthorized',
      reason: 'Unauthorized',
    });
    return 401;
  }
}

async function withAccount(): Promise<AuthParts & { uid: string; request(spec?: JsonObject): Promise<string> }> {
  const parts = await authPartsOfTest();
  const account = await put(parts.store, 'serviceaccounts', { metadata: of('bot') });
  const deps = { store: parts.store, tokens: parts.tokens, now: () => new Date(parts.clock.now) };
  const request = async (spec: JsonObject = {}) => {
    const answer = await issueToken(deps, { namespace: SPACE, name: 'bot', object: { spec } });
    return String((answer['status'] as JsonObject)['token']);
  };
  return { ...parts, uid: textOf(account, 'uid'), request };
}

test('a client certificate is a user and its groups, before any token', async () => {
  const { authenticator } = await authPartsOfTest();
  const certificate = { commonName: 'jane', organizations: ['dev'] };
  expect(await authenticator.authenticate({ authorization: 'Bearer nonsense' }, { certificate })).toEqual({
    name: 'jane',
    groups: ['dev'],
  });
  const nameless = { commonName: '', organizations: ['system:masters'] };
  expect(await authenticator.authenticate({}, { certificate: nameless })).toBeUndefined();
});

describe('tokens that were handed out', () => {
  test('are random, kept as hashes, and found', async () => {
    const admin: User = { name: 'admin', groups: ['system:masters'] };
    const [one, two] = [makeToken(admin), makeToken({ name: 'jane', groups: [] })];
    expect(Buffer.from(one.token, 'base64url')).toHaveLength(32);
    expect(JSON.stringify(one.record)).not.toContain(one.token);
    const parts = await authPartsOfTest([one.record, two.record]);
    expect(await ask(parts, `Bearer ${one.token}`)).toEqual(admin);
    expect(await ask(parts, `bearer   ${two.token}`)).toMatchObject({ name: 'jane' });
    expect(await ask(parts, `Bearer ${one.record.hash}`)).toBe(401);
    expect(await ask(parts, `Bearer ${one.token}x`)).toBe(401);
  });

  test('a damaged record matches nothing', () => {
    expect(staticTokens([{ hash: '', user: { name: 'x', groups: [] } }])('')).toBeUndefined();
    expect(staticTokens([{ hash: 'abc', user: { name: 'x', groups: [] } }])('abc')).toBeUndefined();
  });
});

test.each([
  [undefined, undefined],
  ['Basic YTpi', undefined],
  ['Bearer', undefined],
  ['Bearer ', undefined],
  ['Bearer x', 401],
  ['Bearer a.b.c', 401],
  [`Bearer ${'x'.repeat(20_000)}`, 401],
])('credentials %j', async (header, expected) => {
  expect(await ask(await authPartsOfTest(), header)).toEqual(expected);
});

describe('service-account tokens', () => {
  test('are their account', async () => {
    const parts = await withAccount();
    const expected = {
      name: 'system:serviceaccount:ns:bot',
      uid: parts.uid,
      groups: ['system:serviceaccounts', 'system:serviceaccounts:ns'],
    };
    const token = await parts.request();
    expect(await ask(parts, `Bearer ${token}`)).toMatchObject(expected);
    // The second time without a signature check.
    expect(await ask(parts, `Bearer ${token}`)).toMatchObject(expected);
  });

  test('end when their time does, although they were good a moment ago', async () => {
    const parts = await withAccount();
    const token = await parts.request({ expirationSeconds: 600 });
    const t0 = Math.floor(parts.clock.now / 1000) * 1000;
    parts.clock.now = t0 + 599_999;
    expect(await ask(parts, `Bearer ${token}`)).toMatchObject({ uid: parts.uid });
    parts.clock.now = t0 + 600_000;
    expect(await ask(parts, `Bearer ${token}`)).toBe(401);
    parts.clock.now = t0 - 1000;
    expect(await ask(parts, `Bearer ${token}`)).toBe(401);
  });

  test('end with their account, and do not come back with another of its name', async () => {
    const parts = await withAccount();
    const token = await parts.request();
    expect(await ask(parts, `Bearer ${token}`)).toMatchObject({ uid: parts.uid });
    await remove(parts.store, 'serviceaccounts', of('bot'));
    expect(await ask(parts, `Bearer ${token}`)).toBe(401);
    await put(parts.store, 'serviceaccounts', { metadata: of('bot') });
    expect(await ask(parts, `Bearer ${token}`)).toBe(401);
    await put(parts.store, 'serviceaccounts', { metadata: { ...of('bot'), uid: parts.uid } });
    expect(await ask(parts, `Bearer ${token}`)).toMatchObject({ uid: parts.uid });
  });

  test.each([
    ['Pod', 'pods'],
    ['Secret', 'secrets'],
  ])('end with the %s that they are bound to', async (kind, plural) => {
    const parts = await withAccount();
    const bound = { metadata: of('b'), spec: { serviceAccountName: 'bot' } };
    const first = await put(parts.store, plural, bound);
    const token = await parts.request({ boundObjectRef: { kind, apiVersion: 'v1', name: 'b' } });
    expect(await ask(parts, `Bearer ${token}`)).toMatchObject({ uid: parts.uid });
    // Being deleted, it may still say goodbye for a minute.
    const deletionTimestamp = new Date(parts.clock.now).toISOString();
    await put(parts.store, plural, { ...first, metadata: { ...(first['metadata'] as JsonObject), deletionTimestamp } });
    expect(await ask(parts, `Bearer ${token}`)).toMatchObject({ uid: parts.uid });
    parts.clock.now += 61_000;
    expect(await ask(parts, `Bearer ${token}`)).toBe(401);
    await put(parts.store, plural, bound);
    expect(await ask(parts, `Bearer ${token}`)).toBe(401);
    await remove(parts.store, plural, of('b'));
    expect(await ask(parts, `Bearer ${token}`)).toBe(401);
  });

  test('say which pod and node they are for', async () => {
    const parts = await withAccount();
    const node = await put(parts.store, 'nodes', { metadata: { name: 'n1' } });
    await put(parts.store, 'pods', {
      metadata: { ...of('b'), uid: 'pod-uid' },
      spec: { serviceAccountName: 'bot', nodeName: 'n1' },
    });
    const token = await parts.request({ boundObjectRef: { kind: 'Pod', apiVersion: 'v1', name: 'b' } });
    const user = await ask(parts, `Bearer ${token}`);
    expect(user).toMatchObject({
      extra: {
        'authentication.kubernetes.io/pod-name': ['b'],
        'authentication.kubernetes.io/pod-uid': ['pod-uid'],
        'authentication.kubernetes.io/node-name': ['n1'],
        'authentication.kubernetes.io/node-uid': [textOf(node, 'uid')],
      },
    });
  });

  test('for somebody else are refused here', async () => {
    const parts = await withAccount();
    expect(await ask(parts, `Bearer ${await parts.request({ audiences: ['vault'] })}`)).toBe(401);
    const both = await parts.request({ audiences: ['vault', parts.tokens.issuer] });
    expect(await ask(parts, `Bearer ${both}`)).toMatchObject({ uid: parts.uid });
  });

  test('of a Secret live as long as the Secret holds them', async () => {
    const parts = await withAccount();
    const account = { name: 'bot', uid: parts.uid };
    const token = await secretToken(parts.tokens, { namespace: SPACE, account, secret: 'old' });
    expect(await ask(parts, `Bearer ${token}`)).toBe(401);
    const type = 'kubernetes.io/service-account-token';
    await put(parts.store, 'secrets', {
      metadata: of('old'),
      type,
      data: { token: Buffer.from(token).toString('base64') },
    });
    expect(await ask(parts, `Bearer ${token}`)).toMatchObject({ uid: parts.uid, name: 'system:serviceaccount:ns:bot' });
    await put(parts.store, 'secrets', { metadata: of('old'), type, data: { token: 'b3RoZXI=' } });
    expect(await ask(parts, `Bearer ${token}`)).toBe(401);
  });
});

describe('forged tokens', () => {
  const forged = async (change: (payload: JWTPayload) => JWTPayload, key?: KeyObject) => {
    const parts = await withAccount();
    const good = await parts.request();
    const payload = JSON.parse(Buffer.from(good.split('.')[1] ?? '', 'base64url').toString()) as JWTPayload;
    const header = JSON.parse(Buffer.from(good.split('.')[0] ?? '', 'base64url').toString()) as { kid: string };
    const other = key ?? generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey;
    return { parts, good, payload: change(payload), header, other };
  };

  test('by another key, without a signature, by the public key as a secret', async () => {
    const { parts, payload, header, other } = await forged((same) => same);
    const signed = await new SignJWT(payload).setProtectedHeader({ alg: 'ES256', kid: header.kid }).sign(other);
    expect(await ask(parts, `Bearer ${signed}`)).toBe(401);
    expect(await ask(parts, `Bearer ${new UnsecuredJWT(payload).encode()}`)).toBe(401);
    const jwks = Buffer.from(JSON.stringify(parts.tokens.keySet()));
    const symmetric = await new SignJWT(payload).setProtectedHeader({ alg: 'HS256', kid: header.kid }).sign(jwks);
    expect(await ask(parts, `Bearer ${symmetric}`)).toBe(401);
  });

  test('with changed words', async () => {
    const { parts, good, payload } = await forged((same) => ({ ...same, exp: 9_999_999_999 }));
    const [head, , signature] = good.split('.');
    const changed = Buffer.from(JSON.stringify(payload)).toString('base64url');
    expect(await ask(parts, `Bearer ${head}.${changed}.${signature}`)).toBe(401);
    expect(await ask(parts, `Bearer ${good}`)).toMatchObject({ uid: parts.uid });
  });
});
