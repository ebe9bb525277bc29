import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { runCli } from './program.ts';

let folder = '';
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'sandbank-cli-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

async function cli(...args: string[]): Promise<{ code: number; out: string; err: string }> {
  let [out, err] = ['', ''];
  const code = await runCli(args, { out: (text) => (out += text), err: (text) => (err += text) });
  return { code, out, err };
}

async function kubeconfig(name: string, text: string): Promise<string> {
  const file = join(folder, name);
  await writeFile(file, text);
  return file;
}

const pointingAt = (server: string) => `
apiVersion: v1
kind: Config
current-context: c
contexts: [{ name: c, context: { cluster: k, user: u } }]
clusters: [{ name: k, cluster: { server: '${server}', insecure-skip-tls-verify: true } }]
users: [{ name: u, user: { token: secret-of-the-test } }]
`;

describe('the command line', () => {
  test('up says honestly what there is', async () => {
    const { code, out } = await cli('up');
    expect(code).toBe(0);
    expect(out).toContain('nothing was started');
  });
  test.each([['--help'], ['doctor', '--help'], ['crds', '--help'], ['crds', 'apply', '--help']])(
    '%s %s teaches',
    async (...args) => {
      const { code, out } = await cli(...args);
      expect(code).toBe(0);
      expect(out).toMatch(/Usage: sandbank/);
    },
  );
  test('crds print gives all of them, or those of a group', async () => {
    const all = await cli('crds', 'print');
    expect(all.out.match(/^kind: CustomResourceDefinition$/gm)).toHaveLength(17);
    const few = await cli('crds', 'print', '--group', 'sandbox.opensandbox.io');
    expect(few.out.match(/^kind: CustomResourceDefinition$/gm)).toHaveLength(3);
  });
  test.each([
    [['crds', 'print', '--group', 'nope.example'], /no API group 'nope.example'. Known: .*opensandbox/],
    [['doctor', '--timeout', 'soon'], /--timeout must be a number of seconds/],
  ])('%j is a usage error', async (args, want) => {
    const { code, err } = await cli(...args);
    expect(code).toBe(2);
    expect(err).toMatch(want);
  });
  test.each([
    [['frobnicate'], /unknown command/],
    [['doctor', '-o', 'xml'], /Allowed choices are text, json/],
  ])('%j is refused', async (args, want) => {
    const { code, err } = await cli(...args);
    expect(code).toBe(1);
    expect(err).toMatch(want);
  });
});

describe('a cluster that cannot be reached: one clear sentence, exit code 1, within the deadline', () => {
  test.each([
    ['broken YAML', 'clusters: [', /kubeconfig/],
    [
      'no such context',
      pointingAt('https://127.0.0.1:1').replace('current-context: c', 'current-context: other'),
      /other/,
    ],
    ['nobody listens', pointingAt('https://127.0.0.1:1'), /127\.0\.0\.1:1/],
  ])('%s', async (name, text, want) => {
    const file = await kubeconfig(`${name}.yaml`, text);
    const { code, out } = await cli('doctor', '--kubeconfig', file, '--timeout', '5');
    expect(code).toBe(1);
    expect(out).toMatch(/^FAIL connection: /);
    expect(out).toMatch(want);
    expect(out).not.toContain('secret-of-the-test');
    const applied = await cli('crds', 'apply', '--kubeconfig', file, '--timeout', '5');
    expect(applied.code).toBe(1);
    expect(applied.err).toMatch(/^sandbank: /);
  });

  test('a server that never answers', async () => {
    const silent = createServer((socket) => socket.on('error', () => {}));
    await new Promise<void>((done) => silent.listen(0, '127.0.0.1', done));
    const { port } = silent.address() as { port: number };
    const file = await kubeconfig('silent.yaml', pointingAt(`https://127.0.0.1:${port}`));
    const { code, out } = await cli('doctor', '--kubeconfig', file, '--timeout', '1', '-o', 'json');
    expect(code).toBe(1);
    expect(JSON.parse(out)).toEqual([expect.objectContaining({ name: 'connection', ok: false })]);
    silent.close();
  });
});
