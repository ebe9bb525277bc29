import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { parse } from 'yaml';
import { kubeconfigText, mergeKubeconfig, mergeKubeconfigFile } from './kubeconfig.ts';

const ours = { server: 'https://127.0.0.1:6443', ca: 'CA', credentials: { certificate: 'CERT', key: 'KEY' } };
const base64 = (text: string) => Buffer.from(text).toString('base64');
const config = {
  apiVersion: 'v1',
  kind: 'Config',
  clusters: [{ name: 'sandbank', cluster: { server: ours.server, 'certificate-authority-data': base64('CA') } }],
  users: [
    {
      name: 'sandbank',
      user: { 'client-certificate-data': base64('CERT'), 'client-key-data': base64('KEY') },
    },
  ],
  contexts: [{ name: 'sandbank', context: { cluster: 'sandbank', user: 'sandbank' } }],
  'current-context': 'sandbank',
};

test('a kubeconfig of its own, with a certificate or a token', () => {
  expect(parse(kubeconfigText(ours))).toEqual(config);
  const other = parse(kubeconfigText({ ...ours, name: 'no', namespace: 'on', credentials: { token: 'yes' } }));
  expect(other).toMatchObject({ users: [{ name: 'no', user: { token: 'yes' } }] });
  // Go reads YAML 1.1: what looks like a boolean there must be quoted.
  expect(kubeconfigText({ ...ours, name: 'no', namespace: 'on', credentials: { token: 'yes' } })).toMatch(
    /token: "yes"/,
  );
});

describe('merging', () => {
  const existing = `# my clusters
apiVersion: v1
kind: Config
preferences: {}
clusters:
  - name: work # do not touch
    cluster: {server: "https://work.example", proxy-url: http://proxy}
  - name: sandbank
    cluster:
      server: https://old
users:
  - name: work
    user:
      exec:
        command: login # by browser
contexts:
  - name: work
    context: {cluster: work, user: work}
current-context: work
`;

  test('replaces what is ours, keeps what is not, comments included', () => {
    const merged = mergeKubeconfig(existing, ours);
    for (const kept of [
      '# my clusters',
      '# do not touch',
      '# by browser',
      'proxy-url: http://proxy',
      'preferences: {}',
    ])
      expect(merged).toContain(kept);
    const parsed = parse(merged) as typeof config;
    expect(parsed.clusters.map(({ name }) => name)).toEqual(['work', 'sandbank']);
    expect(parsed.clusters[1]).toEqual(config.clusters[0]);
    expect(parsed.users[1]).toEqual(config.users[0]);
    expect(parsed['current-context']).toBe('sandbank');
    expect(mergeKubeconfig(merged, ours)).toBe(merged);
  });

  test.each(['', '\n', '---\n', '# nothing yet\n'])('into an empty file (%j)', (text) => {
    const merged = mergeKubeconfig(text, ours);
    expect(parse(merged)).toEqual(config);
    expect(merged).toContain(text.trim());
  });

  test('into JSON, and into lists that are null', () => {
    expect(parse(mergeKubeconfig('{"apiVersion":"v1","kind":"Config","users":[]}', ours))).toEqual(config);
    expect(parse(mergeKubeconfig('clusters: null\nusers: []\n', ours))).toEqual(config);
  });

  test.each(['clusters: [', 'kind: Pod\n', '- a\n', 'clusters: 7\n', 'just text'])('refuses %j', (text) => {
    expect(() => mergeKubeconfig(text, ours)).toThrow(expect.objectContaining({ code: 'kubeconfig-invalid' }));
  });

  test('a file is replaced as a whole, through a link, for its owner alone', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'sandbank-kubeconfig-'));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    const [file, link] = [join(folder, 'config'), join(folder, 'link')];
    writeFileSync(file, existing, { mode: 0o644 });
    symlinkSync(file, link);
    await mergeKubeconfigFile(link, ours);
    expect(readFileSync(file, 'utf8')).toBe(mergeKubeconfig(existing, ours));
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(readdirSync(folder).sort()).toEqual(['config', 'link']);
    writeFileSync(`${file}.lock`, '');
    await expect(mergeKubeconfigFile(file, ours)).rejects.toMatchObject({ code: 'kubeconfig-locked' });
    rmSync(`${file}.lock`);
    writeFileSync(file, 'kind: Pod\n');
    await expect(mergeKubeconfigFile(file, ours)).rejects.toMatchObject({ code: 'kubeconfig-invalid' });
    expect(readFileSync(file, 'utf8')).toBe('kind: Pod\n');
    expect(readdirSync(folder).sort()).toEqual(['config', 'link']);
    await expect(mergeKubeconfigFile(join(folder, 'no', 'config'), ours)).rejects.toMatchObject({
      code: 'kubeconfig-io',
    });
  });
});
