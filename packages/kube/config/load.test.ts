import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { ManualClock } from '../testing/manual-clock.ts';
import { createAuthority } from '../transport/certificates.fixture.ts';
import { kubeconfig, scratch } from './kubeconfig.fixture.ts';
import type { LoadOptions } from './load.ts';
import { loadConfig } from './load.ts';

const authority = await createAuthority();
const base64 = (text: string): string => Buffer.from(text).toString('base64');
const at = (server: string): object => kubeconfig({}, { server });

test('the named file wins over KUBECONFIG, that over the pod, that over the home folder', () => {
  using folder = scratch();
  const pod = join(folder.path, 'pod');
  mkdirSync(pod);
  writeFileSync(join(pod, 'token'), 'pod-token\n');
  writeFileSync(join(pod, 'ca.crt'), authority.pem);
  writeFileSync(join(pod, 'namespace'), 'pod-namespace');
  mkdirSync(join(folder.path, '.kube'));
  const env: Record<string, string | undefined> = {
    KUBECONFIG: folder.file('env', at('https://from-env')),
    KUBERNETES_SERVICE_HOST: 'fd00::1',
    KUBERNETES_SERVICE_PORT: '443',
  };
  folder.file('.kube/config', at('https://from-home'));
  const options: LoadOptions = { env, home: folder.path, serviceAccountDirectory: pod };

  const named = loadConfig({ ...options, kubeconfig: folder.file('named', at('https://named')) });
  expect(named.server.origin).toBe('https://named');
  expect(named.source).toBe(`context "a" of ${join(folder.path, 'named')}`);
  expect(loadConfig(options).server.origin).toBe('https://from-env');
  env['KUBECONFIG'] = undefined;
  const inside = loadConfig(options);
  expect(inside).toMatchObject({ namespace: 'pod-namespace', ca: authority.pem });
  expect(inside.server.href).toBe('https://[fd00::1]/');
  expect(inside.credentials.current()).toEqual({ authorization: 'Bearer pod-token' });
  env['KUBERNETES_SERVICE_HOST'] = undefined;
  expect(loadConfig(options).server.origin).toBe('https://from-home');
});

test('nothing anywhere is said in one sentence', () => {
  using folder = scratch();
  expect(() => loadConfig({ env: {}, home: folder.path })).toThrow(
    /no cluster is configured: .*KUBECONFIG is not set.*Name a kubeconfig/,
  );
  expect(() => loadConfig({ env: { KUBECONFIG: '/nowhere/a:/nowhere/b' } })).toThrow(
    /KUBECONFIG=.*none of the files exists/,
  );
});

test('files are merged: the first to name a thing wins, relative paths stay beside their file', () => {
  using folder = scratch();
  const first = folder.file('first', {
    clusters: [{ name: 'shared', cluster: { server: 'https://first' } }],
    contexts: [{ name: 'other', context: { cluster: 'shared' } }],
  });
  mkdirSync(join(folder.path, 'sub'));
  folder.file('sub/ca.pem', authority.pem);
  const second = folder.file('sub/second', {
    'current-context': 'mine',
    clusters: [
      { name: 'shared', cluster: { server: 'https://second' } },
      { name: 'own', cluster: { server: 'https://own', 'certificate-authority': 'ca.pem' } },
    ],
    users: [{ name: 'me', user: { username: 'jane', password: 'p:w' } }],
    contexts: [{ name: 'mine', context: { cluster: 'own', user: 'me', namespace: 'work' } }],
  });
  const third = folder.file('third', { 'current-context': 'other' });
  const env = { KUBECONFIG: [first, '/nowhere', second, third, ''].join(':') };

  const mine = loadConfig({ env });
  expect(mine).toMatchObject({ ca: authority.pem, namespace: 'work', compression: true });
  expect(mine.credentials.current()).toEqual({ authorization: `Basic ${base64('jane:p:w')}`, certificate: undefined });
  const other = loadConfig({ env, context: 'other', namespace: 'forced' });
  expect(other.server.origin).toBe('https://first');
  expect(other.namespace).toBe('forced');
});

test('everything that a cluster and a user may say', async () => {
  using folder = scratch();
  const { cert, key } = await authority.issue(['jane']);
  const config = loadConfig({
    env: {},
    userAgent: 'me/1',
    kubeconfig: folder.file(
      'config',
      kubeconfig(
        {
          token: 'secret',
          'client-certificate-data': base64(cert),
          'client-key-data': base64(key),
          as: 'root',
          'as-uid': '0',
          'as-groups': ['system:masters'],
          'as-user-extra': { reason: ['test'] },
        },
        {
          server: 'https://api.example:6443/k8s',
          'certificate-authority-data': base64(authority.pem),
          'tls-server-name': 'kubernetes',
          'proxy-url': 'socks5://proxy:1080',
          'disable-compression': true,
        },
      ),
    ),
  });
  expect(config).toMatchObject({
    ca: authority.pem,
    tlsServerName: 'kubernetes',
    compression: false,
    namespace: 'default',
    userAgent: 'me/1',
    impersonate: { user: 'root', uid: '0', groups: ['system:masters'], extra: { reason: ['test'] } },
  });
  expect(config.proxyUrl?.href).toBe('socks5://proxy:1080');
  expect(config.credentials.current()).toEqual({ authorization: 'Bearer secret', certificate: { cert, key } });
});

test('a token file is read again when it changes: soon, or at once after a refusal', () => {
  using folder = scratch();
  const clock = new ManualClock();
  const token = folder.file('token', 'one\n');
  const file = folder.file('config', kubeconfig({ token: 'inline', tokenFile: 'token' }));
  const { credentials } = loadConfig({ env: {}, kubeconfig: file, clock });
  const first = credentials.current();
  expect(first).toMatchObject({ authorization: 'Bearer one' });
  folder.file('token', 'two\n');
  expect(credentials.current()).toBe(first);
  if (first instanceof Promise) throw new Error('a token file is read at once');
  expect(credentials.refused(first)).toBe(true);
  expect(credentials.current()).toMatchObject({ authorization: 'Bearer two' });
  const second = credentials.current();
  if (second instanceof Promise) throw new Error('a token file is read at once');
  expect(credentials.refused(second)).toBe(false);
  expect(credentials.describe()).toContain(token);
});

test('after ten seconds a rotated file is seen, a vanished one is forgiven', async () => {
  using folder = scratch();
  const clock = new ManualClock();
  folder.file('token', 'one');
  const { credentials } = loadConfig({
    env: {},
    kubeconfig: folder.file('config', kubeconfig({ tokenFile: 'token' })),
    clock,
  });
  credentials.current();
  folder.file('token', 'two');
  await clock.move(10_000);
  expect(credentials.current()).toMatchObject({ authorization: 'Bearer two' });
  folder.file('token', '');
  await clock.move(10_000);
  expect(credentials.current()).toMatchObject({ authorization: 'Bearer two' });
});

test('rotated client certificates are a new certificate', async () => {
  using folder = scratch();
  const clock = new ManualClock();
  const put = async (name: string): Promise<void> => {
    const { cert, key } = await authority.issue([name]);
    folder.file('cert.pem', cert);
    folder.file('key.pem', key);
  };
  await put('one');
  const user = { 'client-certificate': 'cert.pem', 'client-key': 'key.pem' };
  const { credentials } = loadConfig({ env: {}, kubeconfig: folder.file('config', kubeconfig(user)), clock });
  const first = await credentials.current();
  await put('two');
  await clock.move(10_000);
  const second = await credentials.current();
  expect(second.certificate?.cert).not.toBe(first.certificate?.cert);
  expect(await credentials.current()).toBe(second);
});

test('expired credentials describe themselves so', async () => {
  using folder = scratch();
  const jwt = ['{}', JSON.stringify({ exp: 1_700_000_000 }), 'sig']
    .map((part) => Buffer.from(part).toString('base64url'))
    .join('.');
  const token = loadConfig({ env: {}, kubeconfig: folder.file('a', kubeconfig({ token: jwt })) });
  expect(token.credentials.describe()).toMatch(/^user "a" of .*\/a, which expired at 2023-11-14T/);
  const { cert, key } = await authority.issue(['jane'], { expired: true });
  const user = { 'client-certificate-data': base64(cert), 'client-key-data': base64(key) };
  const certificate = loadConfig({ env: {}, kubeconfig: folder.file('b', kubeconfig(user)) });
  expect(certificate.credentials.describe()).toMatch(/which expired at/);
});
