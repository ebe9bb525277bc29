import { expect, test } from 'vitest';
import { createAuthority } from '../transport/certificates.fixture.ts';
import { kubeconfig, scratch } from './kubeconfig.fixture.ts';
import { loadConfig } from './load.ts';

const authority = await createAuthority();
const [one, two] = await Promise.all(['one', 'two'].map((name) => authority.issue([name])));
const base64 = (text = ''): string => Buffer.from(text).toString('base64');
const exec = (more: object): object =>
  kubeconfig({
    exec: { apiVersion: 'client.authentication.k8s.io/v1', command: 'x', interactiveMode: 'Never', ...more },
  });

/** What is wrong → what the message must say after the name of the file. */
test.each<[string, string | object, RegExp]>([
  ['YAML', 'clusters:\n  - name: a\n   cluster: {', /not valid YAML: .* at line \d+.*Correct that line/],
  ['doubled keys', 'kind: Config\nkind: Config\n', /not valid YAML: .*unique/],
  ['a list', '- a\n', /must be a mapping, is a list/],
  ['a text', 'hello', /must be a mapping, is a string/],
  ['a manifest', { kind: 'Pod' }, /kind: is Pod, not Config/],
  ['an empty file', '', /no context is chosen.*none is defined/],
  ['no context', { ...kubeconfig(), 'current-context': undefined }, /no context is chosen.*"a"/],
  [
    'an unknown context',
    { ...kubeconfig(), 'current-context': 'b' },
    /current-context: there is no context "b"\. Choose one of "a"/,
  ],
  [
    'an unknown cluster',
    kubeconfig({}, {}, { cluster: 'c' }),
    /contexts\[0\]\.context\.cluster: there is no cluster "c"\. Choose one of "a"/,
  ],
  ['a context without cluster', kubeconfig({}, {}, { cluster: '' }), /contexts\[0\]\.context\.cluster: is missing/],
  ['an unknown user', kubeconfig({}, {}, { user: 'u' }), /contexts\[0\]\.context\.user: there is no user "u"/],
  ['a nameless entry', { clusters: [{ cluster: {} }] }, /clusters\[0\]\.name: is missing/],
  ['clusters as mapping', { clusters: { a: {} } }, /clusters: must be a list, is a mapping/],
  ['no server', kubeconfig({}, { server: '' }), /clusters\[0\]\.cluster\.server: is missing.*https:/],
  [
    'a server that is none',
    kubeconfig({}, { server: 'ftp://x' }),
    /server: "ftp:\/\/x" is not the address of a server/,
  ],
  ['credentials in the server', kubeconfig({}, { server: 'https://me:pw@x' }), /server: carries a user name/],
  [
    'a number as token',
    kubeconfig({ token: 12345 }),
    /users\[0\]\.user\.token: must be a string, is a number\. Put it in quotes/,
  ],
  [
    'text as boolean',
    kubeconfig({}, { 'insecure-skip-tls-verify': 'yes' }),
    /insecure-skip-tls-verify: must be true or false/,
  ],
  [
    'insecure with authority',
    kubeconfig({}, { 'insecure-skip-tls-verify': true, 'certificate-authority-data': base64(authority.pem) }),
    /sets both insecure-skip-tls-verify and/,
  ],
  [
    'two authorities',
    kubeconfig({}, { 'certificate-authority': 'x', 'certificate-authority-data': 'eA==' }),
    /sets both certificate-authority and/,
  ],
  ['bad base64', kubeconfig({}, { 'certificate-authority-data': '!!!' }), /certificate-authority-data: is not base64/],
  [
    'base64 of no PEM',
    kubeconfig({}, { 'certificate-authority-data': base64('hello') }),
    /certificate-authority-data: holds no PEM certificate/,
  ],
  [
    'a broken certificate',
    kubeconfig(
      {},
      { 'certificate-authority-data': base64('-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----') },
    ),
    /cannot be parsed/,
  ],
  [
    'a missing authority file',
    kubeconfig({}, { 'certificate-authority': 'no.pem' }),
    /certificate-authority: names .*no\.pem, which cannot be read: ENOENT/,
  ],
  ['a proxy that is none', kubeconfig({}, { 'proxy-url': 'gopher://x' }), /proxy-url: "gopher:\/\/x" is not a proxy/],
  ['a missing token file', kubeconfig({ tokenFile: 'no' }), /users\[0\]\.user: names .*\/no, which cannot be read/],
  ['token and password', kubeconfig({ token: 'x', username: 'y' }), /sets both a token and a username/],
  [
    'a certificate without key',
    kubeconfig({ 'client-certificate-data': base64(one?.cert) }),
    /has a client certificate and no key/,
  ],
  [
    'a key without certificate',
    kubeconfig({ 'client-key-data': base64(one?.key) }),
    /has a client key and no certificate/,
  ],
  [
    'another key',
    kubeconfig({ 'client-certificate-data': base64(one?.cert), 'client-key-data': base64(two?.key) }),
    /does not belong to the certificate/,
  ],
  [
    'no key',
    kubeconfig({ 'client-certificate-data': base64(one?.cert), 'client-key-data': base64('x') }),
    /holds no usable private key/,
  ],
  [
    'two keys',
    kubeconfig({ 'client-key': 'x', 'client-key-data': 'eA==' }),
    /sets both client-key and client-key-data/,
  ],
  ['groups without user', kubeconfig({ 'as-groups': ['x'] }), /users\[0\]\.user\.as: is missing while/],
  ['an auth provider', kubeconfig({ 'auth-provider': { name: 'gcp' } }), /auth providers were removed.*exec plugin/],
  ['exec and token', kubeconfig({ exec: { command: 'x' }, token: 'y' }), /sets both exec and token/],
  ['exec without command', exec({ command: '' }), /exec\.command: is missing/],
  [
    'exec without version',
    exec({ apiVersion: '' }),
    /exec\.apiVersion: is missing\. Write client\.authentication\.k8s\.io\/v1/,
  ],
  [
    'exec of an old version',
    exec({ apiVersion: 'client.authentication.k8s.io/v1alpha1' }),
    /exec\.apiVersion: is client.*v1alpha1/,
  ],
  ['exec v1 without mode', exec({ interactiveMode: '' }), /interactiveMode: is missing, and .*v1 requires it/],
  ['exec with a nameless variable', exec({ env: [{ value: 'x' }] }), /exec\.env\[0\]\.name: is missing/],
])('%s', (_, content, message) => {
  using folder = scratch();
  const file = folder.file('config', content);
  const load = (): unknown => loadConfig({ kubeconfig: file, env: {} });
  expect(load).toThrow(expect.objectContaining({ code: 'bad-config' }));
  expect(load).toThrow(message);
  expect(load).toThrow(file);
});

test('a file that does not exist', () => {
  expect(() => loadConfig({ kubeconfig: '/no/such/file', env: {} })).toThrow(
    /^\/no\/such\/file: the kubeconfig cannot be read: ENOENT.*Name an existing, readable file\.$/,
  );
});

test('a broken entry that the context does not use harms nobody', () => {
  using folder = scratch();
  const good = kubeconfig() as { users: object[] };
  good.users.push({ name: 'broken', user: { 'client-certificate-data': '!!!' } });
  expect(loadConfig({ kubeconfig: folder.file('config', good), env: {} }).server.host).toBe('api.example:6443');
});

test('a pod without its service account', () => {
  using folder = scratch();
  const env = { KUBERNETES_SERVICE_HOST: '10.0.0.1', KUBERNETES_SERVICE_PORT: '443' };
  expect(() => loadConfig({ env, serviceAccountDirectory: folder.path })).toThrow(
    /token: this runs in a pod.*automountServiceAccountToken/,
  );
});
