import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { Agent, request } from 'node:https';
import type { AddressInfo } from 'node:net';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TLSSocket } from 'node:tls';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { KubeError } from '../errors.ts';
import { Deployment, Pod } from '../kinds/index.ts';
import { ManualClock, settle } from '../testing/manual-clock.ts';
import { Denial, mutating, validating, type Webhook } from './admission.ts';
import { issueServing, makeAuthority } from './certificates/authority.ts';
import { FileCertificates } from './certificates/file-certificates.ts';
import type { KeyPair } from './certificates/source.ts';
import { WebhookServer, type WebhookServerOptions } from './server.ts';

const validity = () => ({ now: Date.now(), lifetimeMs: 3_600_000 });
const authority = await makeAuthority('test', validity());
const serving = () => issueServing(authority, ['127.0.0.1'], validity());

let folder: string;
let close: (() => Promise<unknown>)[];
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'webhook-'));
  close = [() => rm(folder, { recursive: true })];
});
afterEach(async () => {
  for (const one of close.reverse()) await one();
});

async function install({ certificate, key }: KeyPair): Promise<void> {
  await writeFile(join(folder, 'tls.crt'), certificate);
  await writeFile(join(folder, 'tls.key'), key);
}

async function serve(webhooks: readonly Webhook[], options: Partial<WebhookServerOptions> = {}) {
  await install(await serving());
  const errors: unknown[] = [];
  const certificates = new FileCertificates({
    certificateFile: join(folder, 'tls.crt'),
    keyFile: join(folder, 'tls.key'),
    onError: (error) => errors.push(error),
  });
  const server = new WebhookServer({
    webhooks,
    certificates,
    port: 0,
    host: '127.0.0.1',
    onError: (error) => errors.push(error),
    ...options,
  });
  const { port } = await server.start();
  const agent = new Agent({ keepAlive: true, ca: authority.certificate });
  close.push(
    () => server.close(),
    async () => agent.destroy(),
  );
  const send = (
    path: string,
    body: string | AsyncIterable<string>,
    init: { method?: string; type?: string; agent?: Agent } = {},
  ) =>
    new Promise<{ status: number; text: string; serial: string }>((resolve, reject) => {
      const outgoing = request(
        {
          host: '127.0.0.1',
          port,
          path,
          method: init.method ?? 'POST',
          agent: init.agent ?? agent,
          headers: { 'content-type': init.type ?? 'application/json' },
        },
        async (answer) => {
          const serial = (answer.socket as TLSSocket).getPeerCertificate().serialNumber;
          let text = '';
          for await (const chunk of answer) text += chunk;
          resolve({ status: answer.statusCode ?? 0, text, serial });
        },
      );
      outgoing.on('error', reject);
      if (typeof body === 'string') outgoing.end(body);
      else
        void (async () => {
          for await (const chunk of body) outgoing.write(chunk);
          outgoing.end();
        })();
    });
  return { server, send, port, errors, certificates, agent };
}

const podReview = (part: object = {}, top: object = {}) =>
  JSON.stringify({
    apiVersion: 'admission.k8s.io/v1',
    kind: 'AdmissionReview',
    request: {
      uid: 'r1',
      kind: { group: '', version: 'v1', kind: 'Pod' },
      operation: 'CREATE',
      namespace: 'a',
      userInfo: { username: 'me' },
      object: { metadata: { name: 'p' }, spec: { containers: [{ name: 'c' }] } },
      oldObject: null,
      ...part,
    },
    ...top,
  });

const responseOf = (text: string) => JSON.parse(text).response;
const patchOf = (text: string) => JSON.parse(Buffer.from(responseOf(text).patch, 'base64').toString());

describe('mutating', () => {
  test('a changed object becomes a JSON patch', async () => {
    const { send } = await serve([
      mutating(Pod, ({ object }) => {
        if (!object) return undefined;
        object.metadata = { ...object.metadata, labels: { touched: 'yes' } };
        return { object, warnings: ['touched'] };
      }),
    ]);
    const { status, text } = await send('/mutate--v1-pod', podReview());
    expect(status).toBe(200);
    expect(responseOf(text)).toMatchObject({ uid: 'r1', allowed: true, patchType: 'JSONPatch', warnings: ['touched'] });
    expect(patchOf(text)).toEqual([{ op: 'add', path: '/metadata/labels', value: { touched: 'yes' } }]);
  });

  test('a patch goes through as it is, and no change is no patch', async () => {
    const { send } = await serve([
      mutating(Pod, () => ({ patch: [{ op: 'remove', path: '/spec' }] })),
      mutating(Deployment, ({ object }) => (object ? { object } : undefined)),
    ]);
    expect(patchOf((await send('/mutate--v1-pod', podReview())).text)).toEqual([{ op: 'remove', path: '/spec' }]);
    const review = podReview({ kind: { group: 'apps', version: 'v1', kind: 'Deployment' } });
    expect(responseOf((await send('/mutate-apps-v1-deployment', review)).text)).toEqual({ uid: 'r1', allowed: true });
  });
});

describe('validating', () => {
  test('sees the whole request', async () => {
    let seen: unknown;
    const { send } = await serve([
      validating(Pod, (request) => {
        seen = request;
      }),
    ]);
    const { text } = await send(
      '/validate--v1-pod?timeout=10s',
      podReview({
        operation: 'UPDATE',
        name: 'p',
        subResource: 'status',
        dryRun: true,
        oldObject: { metadata: { name: 'old' } },
      }),
    );
    expect(responseOf(text)).toEqual({ uid: 'r1', allowed: true });
    expect(seen).toMatchObject({
      operation: 'UPDATE',
      name: 'p',
      namespace: 'a',
      subresource: 'status',
      dryRun: true,
      userInfo: { username: 'me' },
      object: { metadata: { name: 'p' } },
      oldObject: { metadata: { name: 'old' } },
    });
  });

  test.each([
    [
      'thrown',
      () => {
        throw new Denial('no pods today');
      },
      { code: 403, reason: 'Forbidden', message: 'no pods today' },
    ],
    [
      'returned',
      () => new Denial('bad', { status: 422, reason: 'Invalid' }),
      { code: 422, reason: 'Invalid', message: 'bad' },
    ],
  ])('a denial that is %s carries its message', async (_, handle, status) => {
    const { send } = await serve([validating(Pod, handle)]);
    expect(responseOf((await send('/validate--v1-pod', podReview())).text)).toEqual({
      uid: 'r1',
      allowed: false,
      status,
    });
  });

  test('cannot change anything, whatever it returns', async () => {
    const { send } = await serve([
      validating(Pod, ({ object }) => ({ object: { ...object, metadata: {} } }) as object),
    ]);
    expect(responseOf((await send('/validate--v1-pod', podReview())).text)).toEqual({ uid: 'r1', allowed: true });
  });
});

describe('bad requests', () => {
  const webhooks = [validating(Pod, () => {})];

  test.each([
    ['no JSON', '{', 'the body is no JSON'],
    ['nothing', '', 'the body is no JSON'],
    ['null', 'null', 'it is no object'],
    ['another kind', '{"apiVersion":"v1","kind":"Pod"}', 'it is Pod of v1'],
    ['an old version', podReview({}, { apiVersion: 'admission.k8s.io/v1beta1' }), 'admissionReviewVersions: [v1]'],
    ['no request', podReview({}, { request: undefined }), 'it has no request'],
    ['no uid', podReview({ uid: '' }), 'has no uid'],
    ['no operation', podReview({ operation: undefined }), 'has no operation'],
    [
      'another kind of object',
      podReview({ kind: { group: 'apps', version: 'v1', kind: 'Deployment' } }),
      'is for Pod of v1, but was asked about Deployment of apps/v1',
    ],
  ])('%s is a 400 that says so', async (_, body, message) => {
    const { send, errors } = await serve(webhooks);
    const { status, text } = await send('/validate--v1-pod', body);
    expect(status).toBe(400);
    expect(text).toContain(message);
    expect(errors).toEqual([]);
  });

  test('wrong path, verb and type', async () => {
    const { send } = await serve(webhooks);
    expect(await send('/other', podReview())).toMatchObject({
      status: 404,
      text: expect.stringContaining('/validate--v1-pod'),
    });
    expect((await send('/validate--v1-pod', '', { method: 'GET' })).status).toBe(405);
    expect((await send('/validate--v1-pod', podReview(), { type: 'text/plain' })).status).toBe(415);
    expect((await send('//[', podReview())).status).toBe(404);
  });

  test('a body of 3 MiB twice is taken, beyond the limit it is refused, and the server goes on', async () => {
    const { send } = await serve(webhooks);
    const large = { metadata: { name: 'p', annotations: { filler: 'x'.repeat(3 * 1024 * 1024) } } };
    expect((await send('/validate--v1-pod', podReview({ object: large, oldObject: large }))).status).toBe(200);
    expect((await send('/validate--v1-pod', 'x'.repeat(8 * 1024 * 1024 + 1))).status).toBe(413);
    const chunked = async function* () {
      for (let i = 0; i < 9; i += 1) yield 'x'.repeat(1024 * 1024);
    };
    expect((await send('/validate--v1-pod', chunked())).status).toBe(413);
    expect((await send('/validate--v1-pod', podReview())).status).toBe(200);
  });
});

describe('failures', () => {
  test('of a handler are a 500 without its secrets, and told', async () => {
    const { send, errors } = await serve([
      validating(Pod, () => {
        throw new Error('password=1234');
      }),
    ]);
    const { status, text } = await send('/validate--v1-pod', podReview());
    expect(status).toBe(500);
    expect(text).not.toContain('1234');
    expect(errors).toEqual([expect.objectContaining({ message: 'password=1234' })]);
  });

  test('of a call that a handler made are not taken for a bad request', async () => {
    const { send } = await serve([
      validating(Pod, () => {
        throw new KubeError('bad-request', 'secret');
      }),
    ]);
    const { status, text } = await send('/validate--v1-pod', podReview());
    expect(status).toBe(500);
    expect(text).not.toContain('secret');
  });

  test('a handler that never answers is given up, and told so', async () => {
    const clock = new ManualClock();
    let signal: AbortSignal | undefined;
    const asked = Promise.withResolvers<void>();
    const { send } = await serve(
      [
        validating(Pod, (request) => {
          signal = request.signal;
          asked.resolve();
          return new Promise(() => {});
        }),
      ],
      { clock },
    );
    const answer = send('/validate--v1-pod?timeout=3s', podReview());
    await asked.promise;
    await clock.move(2_999);
    expect(signal?.aborted).toBe(false);
    await clock.move(1);
    expect(await answer).toMatchObject({ status: 504, text: expect.stringContaining('3000 ms') });
    expect(signal?.aborted).toBe(true);
  });

  test('a port that is taken, and two webhooks of one path', async () => {
    const taken = createServer().listen(0, '127.0.0.1');
    close.push(async () => taken.close());
    await once(taken, 'listening');
    const { port } = taken.address() as AddressInfo;
    await expect(serve([], { port })).rejects.toMatchObject({
      code: 'bad-config',
      message: expect.stringContaining(String(port)),
    });
    await expect(serve([validating(Pod, () => {}), validating(Pod, () => {})])).rejects.toThrow('same path');
  });

  test('closing lets a request finish', async () => {
    const asked = Promise.withResolvers<void>();
    const go = Promise.withResolvers<void>();
    const { send, server } = await serve([
      validating(Pod, async () => {
        asked.resolve();
        await go.promise;
      }),
    ]);
    const answer = send('/validate--v1-pod', podReview(), { agent: new Agent({ ca: authority.certificate }) });
    await asked.promise;
    const closed = server.close();
    go.resolve();
    expect((await answer).status).toBe(200);
    await closed;
  });
});

describe('certificates from files', () => {
  test('a new pair serves new connections, while open ones go on', async () => {
    const { send, certificates, agent } = await serve([validating(Pod, () => {})]);
    const fresh = () => new Agent({ ca: authority.certificate });
    const before = (await send('/validate--v1-pod', podReview())).serial;
    await install(await serving());
    await certificates.check();
    const open = await send('/validate--v1-pod', podReview());
    expect(open.serial).toBe(before);
    const other = await send('/validate--v1-pod', podReview(), { agent: fresh() });
    expect(other.serial).not.toBe(before);
    agent.destroy();
  });

  test('a half-written pair is told and not used', async () => {
    const { send, certificates, errors } = await serve([validating(Pod, () => {})]);
    await writeFile(join(folder, 'tls.crt'), (await serving()).certificate);
    await certificates.check();
    expect(errors).toEqual([
      expect.objectContaining({ code: 'bad-config', message: expect.stringContaining('does not belong') }),
    ]);
    expect(
      (await send('/validate--v1-pod', podReview(), { agent: new Agent({ ca: authority.certificate }) })).status,
    ).toBe(200);
  });

  test('they are looked at by themselves', async () => {
    const clock = new ManualClock();
    await install(await serving());
    const source = new FileCertificates({
      certificateFile: join(folder, 'tls.crt'),
      keyFile: join(folder, 'tls.key'),
      clock,
    });
    await source.start();
    const changed = new Promise<KeyPair>((resolve) => source.onChange(resolve));
    const next = await serving();
    await install(next);
    await clock.move(10_000);
    expect(await changed).toEqual(next);
    await source.close();
    await settle();
  });

  test('none at all is an error that names the file', async () => {
    const source = new FileCertificates({
      certificateFile: join(folder, 'none.crt'),
      keyFile: join(folder, 'none.key'),
    });
    await expect(source.start()).rejects.toMatchObject({
      code: 'bad-config',
      message: expect.stringContaining('none.crt'),
    });
  });
});
