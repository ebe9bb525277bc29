import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { ManualClock } from '../testing/manual-clock.ts';
import { createAuthority } from '../transport/certificates.fixture.ts';
import type { Credentials } from './credentials.ts';
import { kubeconfig, scratch } from './kubeconfig.fixture.ts';
import { loadConfig } from './load.ts';

const v1 = 'client.authentication.k8s.io/v1';

interface Plugin extends Disposable {
  readonly credentials: Credentials;
  readonly clock: ManualClock;
  /** How often it ran. */
  runs(): number;
  /** What it was told. */
  info(): { spec: Record<string, unknown> };
}

/** A plugin that is a real program: `script` is the body of a shell script beside the kubeconfig. */
function plugin(script: string, exec: object = {}, cluster: object = {}): Plugin {
  const folder = scratch();
  const clock = new ManualClock();
  folder.file(
    'plugin',
    `#!/bin/sh\ncd "$(dirname "$0")"\necho run >> runs\nprintf %s "$KUBERNETES_EXEC_INFO" > info\n${script}\n`,
  );
  const file = folder.file(
    'config',
    kubeconfig({ exec: { apiVersion: v1, command: './plugin', interactiveMode: 'Never', ...exec } }, cluster),
  );
  return {
    credentials: loadConfig({ kubeconfig: file, env: { PATH: process.env['PATH'] }, clock }).credentials,
    clock,
    runs: () => readFileSync(join(folder.path, 'runs'), 'utf8').split('\n').length - 1,
    info: () => JSON.parse(readFileSync(join(folder.path, 'info'), 'utf8')),
    [Symbol.dispose]: () => folder[Symbol.dispose](),
  };
}

const print = (status: object, apiVersion = v1): string =>
  `cat <<'END'\n${JSON.stringify({ kind: 'ExecCredential', apiVersion, status })}\nEND`;

test('runs once for everybody who waits, and keeps what it got', async () => {
  using one = plugin(print({ token: 'secret' }));
  const all = await Promise.all(Array.from({ length: 10 }, () => one.credentials.current()));
  expect(new Set(all).size).toBe(1);
  expect(all[0]).toMatchObject({ authorization: 'Bearer secret' });
  expect(one.credentials.current()).toBe(all[0]);
  expect(one.runs()).toBe(1);
  expect(one.info()).toEqual({ kind: 'ExecCredential', apiVersion: v1, spec: { interactive: false } });
});

test('gives certificates, arguments and environment, and cluster information to plugins that want it', async () => {
  const authority = await createAuthority();
  const { cert, key } = await authority.issue(['jane']);
  const ca = Buffer.from(authority.pem).toString('base64');
  using one = plugin(
    `[ "$1 $FLAVOUR" = "login sweet" ] || exit 3\n${print({ clientCertificateData: cert, clientKeyData: key }, `${v1}beta1`)}`,
    {
      apiVersion: `${v1}beta1`,
      args: ['login'],
      env: [{ name: 'FLAVOUR', value: 'sweet' }],
      provideClusterInfo: true,
      interactiveMode: undefined,
    },
    {
      'certificate-authority-data': ca,
      'tls-server-name': 'kubernetes',
      extensions: [{ name: 'client.authentication.k8s.io/exec', extension: { audience: 'x' } }],
    },
  );
  expect(await one.credentials.current()).toEqual({ authorization: undefined, certificate: { cert, key } });
  expect(one.info().spec['cluster']).toEqual({
    server: 'https://api.example:6443',
    'tls-server-name': 'kubernetes',
    'certificate-authority-data': ca,
    config: { audience: 'x' },
  });
});

test('refreshes ahead while the old credential still serves, and waits once it is over', async () => {
  using one = plugin(print({ token: 'secret', expirationTimestamp: '2026-01-01T01:00:00Z' }));
  const first = await one.credentials.current();
  await one.clock.move(3_600_000 - 60_000);
  expect(one.credentials.current()).toBe(first);
  expect(one.runs()).toBe(1);
  await one.clock.move(40_000);
  expect(one.credentials.current()).toBe(first);
  await expect.poll(() => one.runs()).toBe(2);
  await one.clock.move(60_000);
  expect(await one.credentials.current()).toMatchObject({ authorization: 'Bearer secret' });
  expect(one.runs()).toBeGreaterThan(2);
});

test('runs again after a refusal', async () => {
  using one = plugin(print({ token: 'secret' }));
  const first = await one.credentials.current();
  expect(one.credentials.refused(first)).toBe(true);
  expect(await one.credentials.current()).not.toBe(first);
  expect(one.runs()).toBe(2);
});

test.each<[string, string, object, RegExp]>([
  [
    'fails',
    'echo "session expired" >&2; exit 7',
    {},
    /plugin ended with exit code 7, saying: session expired\. Log in again/,
  ],
  ['dies', 'kill -9 $$', {}, /ended with SIGKILL/],
  ['prints no JSON', 'echo hello', {}, /did not print JSON/],
  [
    'prints another version',
    print({ token: 'x' }, `${v1}beta1`),
    {},
    /printed client.*v1beta1 ExecCredential instead of .*v1 ExecCredential\. Set exec\.apiVersion/,
  ],
  ['prints nothing of use', print({}), {}, /neither a token nor a certificate/],
  ['prints half a pair', print({ clientKeyData: 'x' }), {}, /without its key, or a key alone/],
  ['prints a bad pair', print({ clientCertificateData: 'x', clientKeyData: 'y' }), {}, /cannot be used/],
  ['prints no time', print({ token: 'x', expirationTimestamp: 'soon' }), {}, /is no time/],
  ['prints without end', 'exec yes', {}, /more than a megabyte/],
  [
    'is not installed',
    '',
    { command: 'no-such-plugin', installHint: 'Get it at https://example' },
    /no-such-plugin is not installed\. Install it.*\nGet it at https:\/\/example/s,
  ],
  ['is no program', '', { command: './config' }, /could not be run|exit code/],
  ['wants a terminal', '', { interactiveMode: 'Always' }, /needs a terminal, and there is none/],
])('says what happened when the plugin %s', async (_, script, exec, message) => {
  using one = plugin(script, exec);
  await expect(one.credentials.current()).rejects.toMatchObject({
    code: 'credentials-failed',
    message: expect.stringMatching(message),
  });
});

test('does not wait for ever', async () => {
  using one = plugin('exec sleep 100');
  const waiting = one.credentials.current();
  if (!(waiting instanceof Promise)) throw new Error('nothing can be known yet');
  waiting.catch(() => undefined);
  await expect.poll(() => one.clock.waiting).toBe(1);
  await one.clock.move(60_000);
  await expect(waiting).rejects.toMatchObject({
    code: 'credentials-failed',
    message: expect.stringContaining('within 60 s'),
  });
});
