import { expect, test } from 'vitest';
import type { Asked } from './answer.ts';
import { errorFromAnswer } from './answer.ts';
import { failure } from './api.fixture.ts';

const asked: Asked = {
  verb: 'create',
  resource: 'pools.sandbox.example',
  object: 'ns/a',
  apiVersion: 'sandbox.example/v1',
  about: {
    server: 'https://api',
    source: 'context "x" of /f',
    identity: () => 'user "x" of /f, which expired at 2026-01-01',
  },
};

function errorOf(status: number, body: unknown, more: Partial<Asked> = {}, headers: Record<string, string> = {}) {
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  return errorFromAnswer({ status, headers, body: Buffer.from(text) }, { ...asked, ...more });
}

test.each([
  ['bad-request', 400, 'BadRequest'],
  ['unauthorized', 401, 'Unauthorized'],
  ['forbidden', 403, 'Forbidden'],
  ['already-exists', 409, 'AlreadyExists'],
  ['conflict', 409, 'Conflict'],
  ['gone', 410, 'Expired'],
  ['gone', 410, 'Gone'],
  ['too-large', 413, 'RequestEntityTooLarge'],
  ['unsupported-media-type', 415, 'UnsupportedMediaType'],
  ['invalid', 422, 'Invalid'],
  ['too-many-requests', 429, 'TooManyRequests'],
  ['server-error', 500, 'InternalError'],
  ['unavailable', 503, 'ServiceUnavailable'],
  ['timeout', 504, 'Timeout'],
])('%s is %i %s', (code, status, reason) => {
  expect(errorOf(status, failure(status, reason, 'words'))).toMatchObject({ code, status, answer: { reason } });
});

test('a missing object, a missing namespace and a missing kind are three things', () => {
  const object = errorOf(404, failure(404, 'NotFound', 'pools "a" not found', { name: 'a', kind: 'pools' }));
  expect(object).toMatchObject({
    code: 'not-found',
    message: 'create pools.sandbox.example ns/a: pools "a" not found.',
  });
  const namespace = errorOf(
    404,
    failure(404, 'NotFound', 'namespaces "ns" not found', { name: 'ns', kind: 'namespaces' }),
  );
  expect(namespace).toMatchObject({ code: 'not-found' });
  const kind = errorOf(404, '404 page not found\n');
  expect(kind).toMatchObject({ code: 'kind-not-found' });
  expect(kind.message).toMatch(/does not serve pools\.sandbox\.example in sandbox\.example\/v1: apply the CRD/);
  const subresource = errorOf(404, failure(404, 'NotFound', 'the server could not find the requested resource'), {
    subresource: 'scale',
  });
  expect(subresource.message).toMatch(/or not its subresource scale/);
});

test('fields that failed validation are in the message, once', () => {
  const causes = [
    { field: 'spec.size', message: 'must be positive' },
    { field: 'spec.image', message: 'Required value' },
  ];
  const { message } = errorOf(
    422,
    failure(422, 'Invalid', 'Pool "a" is invalid: spec.size: must be positive', { causes }),
  );
  expect(message).toBe(
    'create pools.sandbox.example ns/a: Pool "a" is invalid: spec.size: must be positive. (spec.image: Required value)',
  );
});

test('who was not accepted, and who may not, is said with the remedy', () => {
  expect(errorOf(401, failure(401, 'Unauthorized', 'Unauthorized')).message).toBe(
    'create pools.sandbox.example ns/a: Unauthorized. The credentials were not accepted: user "x" of /f, which expired at 2026-01-01. Log in again or renew them in context "x" of /f.',
  );
  const rbac =
    'pools.sandbox.example is forbidden: User "jane" cannot create resource "pools" in API group "sandbox.example"';
  expect(errorOf(403, failure(403, 'Forbidden', rbac), { subresource: 'status' }).message).toMatch(
    /Bind a Role or ClusterRole that allows "create" on "pools\.sandbox\.example\/status" to that user\.$/,
  );
  const quota = 'pods "a" is forbidden: exceeded quota: q';
  expect(errorOf(403, failure(403, 'Forbidden', quota)).message).toBe(`create pools.sandbox.example ns/a: ${quota}.`);
});

test('how long to wait is kept, from the header or the Status', () => {
  expect(errorOf(429, 'slow down', {}, { 'retry-after': '3' }).retryAfterMs).toBe(3000);
  expect(errorOf(429, failure(429, 'TooManyRequests', 'x', { retryAfterSeconds: 5 })).retryAfterMs).toBe(5000);
});

test('an answer that is no Status is quoted', () => {
  expect(errorOf(502, '<html>Bad Gateway</html>')).toMatchObject({
    code: 'unavailable',
    message: expect.stringContaining('<html>Bad Gateway'),
  });
  expect(errorOf(400, '{"kind":"Stat').message).toContain('{"kind":"Stat');
});
