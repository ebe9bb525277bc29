/** The command against a real API server: what is missing, forbidden or expired is said, and crds apply mends what it can. */
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type ControlPlane, startControlPlane } from '../../test/control-plane/index.ts';
import { realApiServer } from '../../test/control-plane/suite.ts';
import { runCli } from './program.ts';

async function cli(...args: string[]): Promise<{ code: number; out: string; err: string }> {
  let [out, err] = ['', ''];
  const code = await runCli(args, { out: (text) => (out += text), err: (text) => (err += text) });
  return { code, out, err };
}

describe.skipIf(realApiServer() === null)('sandbank on a real API server', () => {
  let cluster: ControlPlane;
  let folder = '';
  beforeAll(async () => {
    // Its own, because CRDs have no namespace and others of this run install the same ones.
    cluster = await startControlPlane({});
    folder = await mkdtemp(join(tmpdir(), 'sandbank-cli-'));
  });
  afterAll(async () => {
    await cluster?.[Symbol.asyncDispose]();
    await rm(folder, { recursive: true, force: true });
  });

  test('missing CRDs are named, with the remedy', async () => {
    const { code, out } = await cli('doctor', '--kubeconfig', cluster.adminKubeconfig);
    expect(code).toBe(1);
    expect(out).toMatch(/ok {3}connection: https:.*Kubernetes v1\.36/);
    expect(out).toMatch(/FAIL CRDs: .*pools\.sandbox\.opensandbox\.io.*\n.*sandbank crds apply/);
  });

  test('crds apply installs them, twice if need be, and doctor is content', async () => {
    const first = await cli('crds', 'apply', '--kubeconfig', cluster.adminKubeconfig);
    expect(first, first.err).toMatchObject({ code: 0 });
    expect(first.out.match(/ established$/gm)).toHaveLength(17);
    expect((await cli('crds', 'apply', '--kubeconfig', cluster.adminKubeconfig)).code).toBe(0);
    const { code, out } = await cli('doctor', '--kubeconfig', cluster.adminKubeconfig, '-o', 'json');
    expect(code).toBe(0);
    expect((JSON.parse(out) as { ok: boolean }[]).every((check) => check.ok)).toBe(true);
  });

  test('RBAC that forbids is named, with the remedy', async () => {
    const kubeconfig = await cluster.kubeconfigFor('default/nobody', []);
    const { code, out } = await cli('doctor', '--kubeconfig', kubeconfig);
    expect(code).toBe(1);
    expect(out).toMatch(/FAIL CRDs: .*nobody/);
    expect(out).toMatch(/FAIL permissions: .*may not list batchsandboxes\.sandbox\.opensandbox\.io.*\n.*ClusterRole/);
    const applied = await cli('crds', 'apply', '--kubeconfig', kubeconfig);
    expect(applied).toMatchObject({ code: 1, err: expect.stringMatching(/forbidden|may not|not allowed/i) });
  });

  test('an expired or wrong token is named, with the remedy', async () => {
    const text = await readFile(cluster.adminKubeconfig, 'utf8');
    const file = join(folder, 'expired.json');
    await writeFile(file, text.replaceAll(cluster.adminToken, 'expired-token'));
    const { code, out } = await cli('doctor', '--kubeconfig', file);
    expect(code).toBe(1);
    expect(out).toMatch(/FAIL connection: .*(expired|refused|credentials|Unauthorized)/i);
  });
});
