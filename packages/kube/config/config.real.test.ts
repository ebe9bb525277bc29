import { describe, expect, test } from 'vitest';
import { realApiServer } from '../../../test/control-plane/suite.ts';
import { connect } from '../client/connect.ts';
import { requestToken } from '../client/subresources.ts';
import { serverVersion } from '../discovery/version.ts';
import { defineKind } from '../kind.ts';
import type { KubeObject } from '../object.ts';
import { exec } from '../stream/exec.ts';
import { kubeconfig, scratch } from './kubeconfig.fixture.ts';

const api = realApiServer();
const ServiceAccount = defineKind<KubeObject>({
  group: '',
  version: 'v1',
  kind: 'ServiceAccount',
  plural: 'serviceaccounts',
  namespaced: true,
});

describe.skipIf(api === null)('credentials on a real API server', () => {
  const cluster = { server: api?.url, 'certificate-authority-data': Buffer.from(api?.ca ?? '').toString('base64') };
  const env = { PATH: process.env['PATH'] };

  test('an exec plugin whose first token is refused is asked again', async () => {
    using folder = scratch();
    const credential = (token: string): string =>
      JSON.stringify({ kind: 'ExecCredential', apiVersion: 'client.authentication.k8s.io/v1', status: { token } });
    folder.file('first', credential('stale'));
    folder.file('then', credential(api?.token ?? ''));
    folder.file(
      'plugin',
      '#!/bin/sh\ncd "$(dirname "$0")"\nif [ -f first ]; then cat first; rm first; else cat then; fi\n',
    );
    const plugin = { apiVersion: 'client.authentication.k8s.io/v1', command: './plugin', interactiveMode: 'Never' };
    await using kube = await connect({ kubeconfig: folder.file('config', kubeconfig({ exec: plugin }, cluster)), env });
    expect(kube.version.gitVersion).toMatch(/^v1\./);
  });

  test('a token file that was rotated is read again when the old token is refused, for WebSockets too', async () => {
    using folder = scratch();
    await using admin = await connect({ kubeconfig: api?.kubeconfig, env });
    const account = { namespace: 'default', name: `rotated-${process.pid}` };
    await admin.client.create(ServiceAccount, { metadata: account });
    folder.file('token', (await requestToken(admin.client, account)).token);
    const file = folder.file('config', kubeconfig({ tokenFile: 'token' }, cluster));
    await using kube = await connect({ kubeconfig: file, env });
    // The tokens of an account die with it.
    await admin.client.delete(ServiceAccount, account);
    await expect
      .poll(() => serverVersion(kube.transport).then(String, (error: { code: string }) => error.code), {
        timeout: 30_000,
      })
      .toBe('unauthorized');
    folder.file('token', api?.token ?? '');
    const opening = exec(kube.transport, { namespace: 'default', name: 'no-such-pod' }, { command: ['true'] });
    await expect(opening).rejects.toMatchObject({
      code: 'not-found',
      message: expect.stringContaining('"no-such-pod" not found'),
    });
    expect((await serverVersion(kube.transport)).major).toBe('1');
  });
});
