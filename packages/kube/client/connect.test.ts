import { expect, test } from 'vitest';
import { kubeconfig, scratch } from '../config/kubeconfig.fixture.ts';
import { ManualClock } from '../testing/manual-clock.ts';
import type { TestApi } from '../transport/api.fixture.ts';
import { answer, failure, startApi } from '../transport/api.fixture.ts';
import { connect } from './connect.ts';

const version = { major: '1', minor: '36', gitVersion: 'v1.36.3' };
const ca = (api: TestApi): object => ({
  server: api.url,
  'certificate-authority-data': Buffer.from(api.authority.pem).toString('base64'),
});

test('gives a client once the server has answered', async () => {
  using folder = scratch();
  await using api = await startApi((_, response) => answer(response, 200, version));
  await using connected = await connect({ kubeconfig: folder.file('config', kubeconfig({}, ca(api))), env: {} });
  expect(connected.version).toEqual(version);
});

test('an expired token is named, with what to do', async () => {
  using folder = scratch();
  await using api = await startApi((_, response) =>
    answer(response, 401, failure(401, 'Unauthorized', 'Unauthorized')),
  );
  const token = `${btoa('{}')}.${Buffer.from(JSON.stringify({ exp: 1 })).toString('base64url')}.x`;
  const file = folder.file('config', kubeconfig({ token }, ca(api)));
  await expect(connect({ kubeconfig: file, env: {} })).rejects.toMatchObject({
    code: 'unauthorized',
    message: `get version: Unauthorized. The credentials were not accepted: user "a" of ${file}, which expired at 1970-01-01T00:00:01.000Z. Log in again or renew them in context "a" of ${file}.`,
  });
});

test('a server that is not there, and one that never answers', async () => {
  using folder = scratch();
  const api = await startApi(() => undefined);
  const file = folder.file('config', kubeconfig({}, ca(api)));
  const clock = new ManualClock();
  const waiting = connect({ kubeconfig: file, env: {}, deadlineMs: 5000, transport: { clock } });
  waiting.catch(() => undefined);
  await expect.poll(() => api.seen.length).toBe(1);
  await clock.move(5000);
  await expect(waiting).rejects.toMatchObject({ code: 'timeout', message: expect.stringMatching(/within 5000 ms/) });
  await api[Symbol.asyncDispose]();
  await expect(connect({ kubeconfig: file, env: {} })).rejects.toMatchObject({
    code: 'unreachable',
    message: expect.stringMatching(/Nothing listens at .*Check that the API server runs/),
  });
});

test('a server that is no Kubernetes', async () => {
  using folder = scratch();
  await using api = await startApi((_, response, count) =>
    answer(response, 200, count === 1 ? '<html>' : { hello: 'world' }),
  );
  const file = folder.file('config', kubeconfig({}, ca(api)));
  await expect(connect({ kubeconfig: file, env: {} })).rejects.toMatchObject({
    code: 'bad-response',
    message: expect.stringContaining('not JSON'),
  });
  await expect(connect({ kubeconfig: file, env: {} })).rejects.toMatchObject({
    code: 'bad-response',
    message: expect.stringMatching(/not as a Kubernetes API server does.*context "a"/),
  });
});
