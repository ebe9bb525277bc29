import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { createServer } from 'node:net';
import { gzipSync } from 'node:zlib';
import { context, propagation, ROOT_CONTEXT, TraceFlags, trace } from '@opentelemetry/api';
import { describe, expect, test, vi } from 'vitest';
import type { ClusterConfigInit } from '../config/cluster-config.ts';
import { ManualClock } from '../testing/manual-clock.ts';
import type { TestApi } from './api.fixture.ts';
import { answer, quiet, startApi } from './api.fixture.ts';
import { createAuthority } from './certificates.fixture.ts';
import type { KubeRequest, Transport } from './contract.ts';
import type { RequestMessage } from './diagnostics.ts';
import type { TransportOptions } from './http.ts';
import { createTransport } from './http.ts';

const get: KubeRequest = { method: 'GET', path: '/api/v1/pods' };
const post: KubeRequest = { method: 'POST', path: '/api/v1/pods', body: '{}' };
/** Waits that a test cannot see: it asserts what happened, not when. */
const quick: TransportOptions = { retry: { baseMs: 1 } };

function open(
  api: TestApi,
  options: TransportOptions = quick,
  init?: Partial<ClusterConfigInit>,
): Transport & AsyncDisposable {
  const transport = createTransport(api.config(init), options);
  return Object.assign(transport, { [Symbol.asyncDispose]: () => transport.close() });
}

describe('a request', () => {
  test('carries path, query, credentials, impersonation and user agent', async () => {
    await using api = await startApi((request, response) =>
      answer(response, 200, { url: request.url, headers: request.headersDistinct, body: request.text }),
    );
    await using transport = open(api, quick, {
      server: `${api.url}/k8s/clusters/c-1/`,
      token: 'secret',
      userAgent: 'tester/1',
      impersonate: { user: 'jane', uid: 'u1', groups: ['dev', 'ops'], extra: { 'example.com/Scopes': ['a', 'b'] } },
    });
    const response = await transport.request({
      method: 'PATCH',
      path: '/api/v1/namespaces/a%2Fb/pods/x',
      query: { labelSelector: 'a=b,c in (d)', watch: true, missing: undefined, command: ['sh', '-c'] },
      headers: { 'content-type': 'application/merge-patch+json' },
      body: '{"ä":1}',
    });
    const seen = JSON.parse(response.body.toString());
    expect(seen.url).toBe(
      '/k8s/clusters/c-1/api/v1/namespaces/a%2Fb/pods/x?labelSelector=a%3Db%2Cc%20in%20(d)&watch=true&command=sh&command=-c',
    );
    expect(seen.body).toBe('{"ä":1}');
    expect(seen.headers).toMatchObject({
      authorization: ['Bearer secret'],
      'user-agent': ['tester/1'],
      accept: ['application/json'],
      'impersonate-user': ['jane'],
      'impersonate-uid': ['u1'],
      'impersonate-group': ['dev', 'ops'],
      'impersonate-extra-example.com%2fscopes': ['a', 'b'],
    });
    expect(seen.headers['accept-encoding']).toBeUndefined();
  });

  test('resolves with any status', async () => {
    await using api = await startApi((_, response) => answer(response, 418, 'teapot'));
    await using transport = open(api);
    expect(await transport.request(get)).toMatchObject({ status: 418, body: Buffer.from('teapot') });
  });

  test('asks for gzip where it pays, and unpacks it', async () => {
    await using api = await startApi((request, response) => {
      response.writeHead(200, { 'content-encoding': 'gzip', asked: String(request.headers['accept-encoding']) });
      response.end(gzipSync('x'.repeat(100_000)));
    });
    await using transport = open(api, quick, { compression: true });
    const response = await transport.request(get);
    expect(response.headers['asked']).toBe('gzip');
    expect(response.body.toString()).toBe('x'.repeat(100_000));
  });

  test('many at once share few connections, and one signal serves them all without a leak', async () => {
    await using api = await startApi((_, response) => answer(response, 200, '{}'));
    await using transport = open(api, { connections: 4 });
    const warned = vi.fn();
    process.on('warning', warned);
    const { signal } = new AbortController();
    for (let round = 0; round < 5; round += 1) {
      await Promise.all(Array.from({ length: 50 }, () => transport.request({ ...get, signal })));
    }
    process.off('warning', warned);
    expect(warned).not.toHaveBeenCalled();
    expect(api.connections()).toBeLessThanOrEqual(4);
  });

  test('carries the trace context of the active span', async () => {
    await using api = await startApi((request, response) => answer(response, 200, request.headers));
    await using transport = open(api);
    const span = trace.wrapSpanContext({
      traceId: '0af7651916cd43dd8448eb211c80319c',
      spanId: 'b7ad6b7169203331',
      traceFlags: TraceFlags.SAMPLED,
    });
    // The API without an SDK has no active context: a minimal manager stands in for the SDK's.
    let active = ROOT_CONTEXT;
    context.setGlobalContextManager({
      active: () => active,
      with: (next, run, self, ...args) => {
        active = next;
        try {
          return run.call(self as never, ...args);
        } finally {
          active = ROOT_CONTEXT;
        }
      },
      bind: (_, target) => target,
      enable() {
        return this;
      },
      disable() {
        return this;
      },
    });
    try {
      const traced = await context.with(trace.setSpan(ROOT_CONTEXT, span), () => transport.request(get));
      expect(JSON.parse(traced.body.toString())).toMatchObject({
        traceparent: '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01',
      });
      const plain = await transport.request(get);
      expect(JSON.parse(plain.body.toString()).traceparent).toBeUndefined();
    } finally {
      context.disable();
      propagation.disable();
    }
  });

  test('is reported with verb, resource, status and sizes', async () => {
    await using api = await startApi((_, response, count) =>
      count === 1 ? answer(response, 503, 'no') : answer(response, 200, 'four'),
    );
    await using transport = open(api);
    const seen: RequestMessage[] = [];
    const listen = (message: unknown): void => void seen.push(message as RequestMessage);
    subscribe('sandbank:kube:request', listen);
    await transport.request({ ...get, operation: { verb: 'list', resource: 'pods' } });
    unsubscribe('sandbank:kube:request', listen);
    expect(seen).toMatchObject([
      { verb: 'list', resource: 'pods', method: 'GET', status: 503, attempt: 1, requestBytes: 0, responseBytes: 2 },
      { status: 200, attempt: 2, responseBytes: 4, error: undefined },
    ]);
  });
});

describe('deadlines', () => {
  test('a server that never answers is a timeout, by the clock of the transport', async () => {
    const arrived = Promise.withResolvers<void>();
    await using api = await startApi(() => arrived.resolve());
    const clock = new ManualClock();
    await using transport = open(api, { clock });
    const answered = transport.request({ ...get, timeoutMs: 1000 });
    answered.catch(() => undefined);
    await arrived.promise;
    await clock.move(1000);
    await expect(answered).rejects.toMatchObject({
      code: 'timeout',
      message: expect.stringMatching(/GET \/api\/v1\/pods at https:.* within 1000 ms/),
    });
    expect(clock.waiting).toBe(0);
  });

  test('also while it waits for a free connection, and the connection stays usable', async () => {
    const arrived = Promise.withResolvers<void>();
    let release = (): void => undefined;
    await using api = await startApi((_, response, count) => {
      if (count > 1) return answer(response, 200, '{}');
      release = () => answer(response, 200, '{}');
      arrived.resolve();
    });
    const clock = new ManualClock();
    await using transport = open(api, { clock, connections: 1 });
    const first = transport.request({ ...get, timeoutMs: 5000 });
    await arrived.promise;
    const second = transport.request({ ...get, timeoutMs: 1000 });
    second.catch(() => undefined);
    await clock.move(1000);
    await expect(second).rejects.toMatchObject({ code: 'timeout' });
    release();
    expect((await first).status).toBe(200);
    expect((await transport.request(get)).status).toBe(200);
    expect(api.seen).toHaveLength(2);
  });

  test('the caller’s signal is aborted, its AbortSignal.timeout a timeout', async () => {
    const arrived = Promise.withResolvers<void>();
    await using api = await startApi(() => arrived.resolve());
    await using transport = open(api);
    const controller = new AbortController();
    const answered = transport.request({ ...get, signal: controller.signal });
    answered.catch(() => undefined);
    await arrived.promise;
    controller.abort(new Error('enough'));
    await expect(answered).rejects.toMatchObject({ code: 'aborted', cause: { message: 'enough' } });
    await expect(transport.request({ ...get, signal: controller.signal })).rejects.toMatchObject({ code: 'aborted' });
    await expect(transport.request({ ...get, signal: AbortSignal.timeout(1) })).rejects.toMatchObject({
      code: 'timeout',
    });
  });

  test('closing answers whatever waits', async () => {
    const arrived = Promise.withResolvers<void>();
    await using api = await startApi(() => arrived.resolve());
    const transport = createTransport(api.config());
    const answered = transport.request(get);
    answered.catch(() => undefined);
    await arrived.promise;
    await transport.close();
    await expect(answered).rejects.toMatchObject({ code: 'aborted', message: expect.stringContaining('was closed') });
    await expect(transport.request(get)).rejects.toMatchObject({ code: 'aborted' });
  });
});

describe('retries', () => {
  test.each([
    ['429 with Retry-After, any verb', 429, { 'retry-after': '2' }, post, 2],
    ['503 with Retry-After, any verb', 503, { 'retry-after': '2' }, post, 2],
    ['503 without, when nothing can have changed', 503, {}, get, 2],
    ['503 without, not for writes', 503, {}, post, 1],
    ['429 without: the caller knows better (disruption budgets)', 429, {}, post, 1],
    ['500 never', 500, {}, get, 1],
    ['a wait beyond the deadline is the caller’s', 429, { 'retry-after': '70' }, get, 1],
    ['told not to', 503, { 'retry-after': '2' }, { ...get, retry: false }, 1],
  ])('%s', async (_, status, headers, request, requests) => {
    await using api = await startApi((_request, response, count) =>
      count === 1 ? answer(response, status, '{}', headers as Record<string, string>) : answer(response, 200, '{}'),
    );
    const clock = new ManualClock();
    await using transport = open(api, { clock });
    const answered = transport.request(request);
    await vi.waitFor(() => expect(api.seen).toHaveLength(1));
    const done = await Promise.race([answered, moving(clock, answered)]);
    expect(done.status).toBe(requests === 2 ? 200 : status);
    expect(api.seen).toHaveLength(requests);
  });

  test('end after a bounded number, with the last answer', async () => {
    await using api = await startApi((_, response) => answer(response, 503, 'still no'));
    await using transport = open(api, { retry: { baseMs: 1, retries: 3 } });
    expect((await transport.request(get)).status).toBe(503);
    expect(api.seen).toHaveLength(4);
  });

  test('are abandoned when the caller aborts in between', async () => {
    await using api = await startApi((_, response) => answer(response, 429, 'no', { 'retry-after': '20' }));
    const clock = new ManualClock();
    await using transport = open(api, { clock });
    const controller = new AbortController();
    const answered = transport.request({ ...get, signal: controller.signal });
    await vi.waitFor(() => expect(clock.waiting).toBe(2));
    controller.abort();
    await expect(answered).rejects.toMatchObject({ code: 'aborted' });
    expect(clock.waiting).toBe(0);
  });

  test('a connection that breaks is tried again for reads, and never for writes', async () => {
    await using api = await startApi((request, response, count) => {
      if (count % 2 === 1) request.socket.destroy();
      else answer(response, 200, '{}');
    });
    await using transport = open(api);
    expect((await transport.request(get)).status).toBe(200);
    expect(api.seen).toHaveLength(2);
    await expect(transport.request(post)).rejects.toMatchObject({
      code: 'connection-lost',
      message: expect.stringContaining('may or may not have been carried out'),
    });
    expect(api.seen).toHaveLength(3);
  });

  test('half an answer is no answer', async () => {
    await using api = await startApi((request, response) => {
      response.writeHead(200, { 'content-length': '100' });
      response.write('{"items":[');
      response.once('drain', () => undefined);
      setImmediate(() => request.socket.destroy());
    });
    await using transport = open(api, { retry: { retries: 0 } });
    await expect(transport.request(get)).rejects.toMatchObject({ code: 'connection-lost' });
  });

  test('401 renews the credentials once', async () => {
    await using api = await startApi((request, response) =>
      request.headers.authorization === 'Bearer new' ? answer(response, 200, '{}') : answer(response, 401, '{}'),
    );
    let token = 'old';
    const auths = new Map<string, { authorization: string }>();
    const current = () => auths.get(token) ?? auths.set(token, { authorization: `Bearer ${token}` }).get(token) ?? {};
    const refused = vi.fn(() => {
      token = 'new';
      return true;
    });
    await using transport = open(api, quick, { credentials: { current, refused, describe: () => 'somebody' } });
    expect((await transport.request(post)).status).toBe(200);
    expect(refused).toHaveBeenCalledOnce();
    token = 'wrong';
    refused.mockReturnValue(true).mockImplementation(() => true);
    expect((await transport.request(post)).status).toBe(401);
    expect(api.seen).toHaveLength(4);
  });
});

describe('rate limit', () => {
  test('lets the burst through and spaces the rest', async () => {
    await using api = await startApi((_, response) => answer(response, 200, '{}'));
    const clock = new ManualClock();
    await using transport = open(api, { clock, rateLimit: { perSecond: 10, burst: 2 } });
    const answered = Array.from({ length: 5 }, () => transport.request(get));
    await Promise.all(answered.slice(0, 2));
    expect(api.seen).toHaveLength(2);
    await clock.move(100);
    await answered[2];
    expect(api.seen).toHaveLength(3);
    await clock.move(200);
    await Promise.all(answered);
  });
});

describe('streams', () => {
  test('arrive as they are written, on connections of their own', async () => {
    await using api = await startApi((request, response) => {
      if (request.url === '/api/v1/pods') return answer(response, 200, '{}');
      response.writeHead(200);
      response.write('first');
    });
    await using transport = open(api, { connections: 1 });
    const streams = await Promise.all(Array.from({ length: 3 }, () => transport.stream({ ...get, path: '/watch' })));
    for (const stream of streams) {
      const first = await stream.body[Symbol.asyncIterator]().next();
      expect(String(first.value)).toBe('first');
    }
    // The one connection for requests is still free.
    expect((await transport.request(get)).status).toBe(200);
    for (const stream of streams) stream.close();
  });

  test('what is not read is not sent', async () => {
    let written = 0;
    const total = 64 * 1024 * 1024;
    await using api = await startApi((_, response) => {
      response.writeHead(200);
      const chunk = Buffer.alloc(1024 * 1024);
      const more = (): void => {
        while (written < total) {
          written += chunk.length;
          if (!response.write(chunk)) {
            response.once('drain', more);
            return;
          }
        }
        response.end();
      };
      more();
    });
    await using transport = open(api);
    const stream = await transport.stream(get);
    expect(await quiet(() => written)).toBeLessThan(total);
    let received = 0;
    for await (const chunk of stream.body) received += chunk.length;
    expect(received).toBe(total);
  });

  test('end with an error when the peer vanishes, after what it had sent', async () => {
    await using api = await startApi((request, response) => {
      response.writeHead(200);
      response.write('part', () => setImmediate(() => request.socket.destroy()));
    });
    await using transport = open(api);
    const stream = await transport.stream(get);
    const seen: string[] = [];
    const read = async (): Promise<void> => {
      for await (const chunk of stream.body) seen.push(String(chunk));
    };
    await expect(read()).rejects.toMatchObject({ code: 'connection-lost' });
    expect(seen.join('')).toBe('part');
  });

  test('silence beyond the idle limit is a lost connection', async () => {
    await using api = await startApi((_, response) => void response.writeHead(200).write('x'));
    await using transport = open(api);
    const stream = await transport.stream({ ...get, idleTimeoutMs: 50 });
    const read = async (): Promise<void> => {
      for await (const _ of stream.body);
    };
    await expect(read()).rejects.toMatchObject({ code: 'connection-lost', message: expect.stringContaining('silent') });
  });

  test('close ends them quietly, abort with an error, and both free the connection', async () => {
    const closed = vi.fn();
    await using api = await startApi((request, response) => {
      request.socket.once('close', closed);
      response.writeHead(200).write('x');
    });
    await using transport = open(api);
    const one = await transport.stream(get);
    const reading = Array.fromAsync(one.body);
    one.close();
    one.close();
    await reading;
    const controller = new AbortController();
    const two = await transport.stream({ ...get, signal: controller.signal });
    const failing = Array.fromAsync(two.body);
    controller.abort();
    await expect(failing).rejects.toMatchObject({ code: 'aborted' });
    await vi.waitFor(() => expect(closed).toHaveBeenCalledTimes(2));
  });

  test('leaving the loop closes the stream', async () => {
    const closed = Promise.withResolvers<void>();
    await using api = await startApi((request, response) => {
      request.socket.once('close', () => closed.resolve());
      response.writeHead(200).write('x');
    });
    await using transport = open(api);
    const stream = await transport.stream(get);
    for await (const _ of stream.body) break;
    await closed.promise;
  });

  test('an error answer is whole and retried like any other', async () => {
    await using api = await startApi((_, response, count) =>
      count === 1 ? answer(response, 503, 'no') : answer(response, 410, 'gone'),
    );
    await using transport = open(api);
    const stream = await transport.stream(get);
    expect(stream.status).toBe(410);
    expect(Buffer.concat(await Array.fromAsync(stream.body)).toString()).toBe('gone');
    expect(api.seen).toHaveLength(2);
  });
});

describe('what goes wrong below HTTP names the cause and the remedy', () => {
  const none: TransportOptions = { retry: { retries: 0 } };

  test('nothing listens', async () => {
    await using api = await startApi(() => undefined);
    const config = api.config();
    await api[Symbol.asyncDispose]();
    const transport = createTransport(config, none);
    await expect(transport.request(get)).rejects.toMatchObject({
      code: 'unreachable',
      message: expect.stringMatching(
        /^Nothing listens at https:\/\/127.*ECONNREFUSED.*Check that the API server runs and that its address in the test is right\.$/,
      ),
    });
    await transport.close();
  });

  test('no such name', async () => {
    await using api = await startApi(() => undefined);
    await using transport = open(api, none, { server: 'https://no-such-host.invalid:6443' });
    await expect(transport.request(get)).rejects.toMatchObject({
      code: 'unreachable',
      message: expect.stringMatching(/cannot be resolved.*DNS/),
    });
  });

  test('an authority that is not trusted', async () => {
    await using api = await startApi(() => undefined);
    await using transport = open(api, none, { ca: (await createAuthority()).pem });
    await expect(transport.request(get)).rejects.toMatchObject({
      code: 'tls-failed',
      message: expect.stringMatching(/not trusted.*certificate-authority-data/),
    });
  });

  test('another name, which tls-server-name puts right', async () => {
    const authority = await createAuthority();
    await using api = await startApi((_, response) => answer(response, 200, '{}'), {
      authority,
      certificate: await authority.issue(['kubernetes.example']),
    });
    await using wrong = open(api, none);
    await expect(wrong.request(get)).rejects.toMatchObject({
      code: 'tls-failed',
      message: expect.stringMatching(/another name.*tls-server-name/),
    });
    await using right = open(api, none, { tlsServerName: 'kubernetes.example' });
    expect((await right.request(get)).status).toBe(200);
    await using careless = open(api, none, { insecureSkipTlsVerify: true });
    expect((await careless.request(get)).status).toBe(200);
  });

  test('an expired certificate', async () => {
    const authority = await createAuthority();
    await using api = await startApi(() => undefined, {
      authority,
      certificate: await authority.issue(['127.0.0.1'], { expired: true }),
    });
    await using transport = open(api, none);
    await expect(transport.request(get)).rejects.toMatchObject({
      code: 'tls-failed',
      message: expect.stringMatching(/expired.*clock/),
    });
  });

  test('TLS to a port that speaks plain HTTP, and the other way round', async () => {
    await using api = await startApi(() => undefined);
    await using plain = createServer(
      (socket) =>
        void socket.on('error', () => undefined).once('data', () => socket.end('HTTP/1.1 400 Bad Request\r\n\r\n')),
    );
    plain.listen(0, '127.0.0.1');
    await once(plain, 'listening');
    await using secure = open(api, none, { server: `https://127.0.0.1:${(plain.address() as AddressInfo).port}` });
    await expect(secure.request(get)).rejects.toMatchObject({
      code: 'tls-failed',
      message: expect.stringContaining('https, not http'),
    });
    await using bare = open(api, none, { server: api.url.replace('https', 'http') });
    const answered = await bare.request(get).then(String, (error: { code: string }) => error.code);
    expect(['connection-lost', 'bad-response', '[object Object]']).toContain(answered);
  });

  test('credentials that cannot be had', async () => {
    await using api = await startApi(() => undefined);
    const current = (): never => {
      throw new Error('vault is sealed');
    };
    await using transport = open(api, none, { credentials: { current, refused: () => false, describe: () => '' } });
    await expect(transport.request(get)).rejects.toThrow(/vault is sealed/);
  });
});

test('a client certificate that changes is presented on new connections', async () => {
  await using api = await startApi((request, response) => {
    const peer = (request.socket as import('node:tls').TLSSocket).getPeerCertificate();
    answer(response, 200, { name: peer.subject?.CN });
  });
  const certificates = await Promise.all(['one', 'two'].map((name) => api.authority.issue([name])));
  let auth = { certificate: certificates[0] };
  await using transport = open(api, quick, {
    credentials: { current: () => auth, refused: () => false, describe: () => '' },
  });
  const name = async (): Promise<string> => JSON.parse((await transport.request(get)).body.toString()).name;
  expect([await name(), await name()]).toEqual(['one', 'one']);
  const before = api.connections();
  auth = { certificate: certificates[1] };
  expect(await name()).toBe('two');
  expect(api.connections()).toBeGreaterThan(before);
});

/** Moves the clock until the answer is there. */
async function moving<T>(clock: ManualClock, answered: Promise<T>): Promise<T> {
  let done = false;
  answered.finally(() => {
    done = true;
  });
  while (!done) await clock.move(100);
  return answered;
}
