import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { stringify } from 'yaml';

/** A folder that is gone when the test is. */
export function scratch(): { path: string; file(name: string, content: string | object): string } & Disposable {
  const path = mkdtempSync(join(tmpdir(), 'kube-config-'));
  return {
    path,
    file(name, content) {
      const file = join(path, name);
      writeFileSync(file, typeof content === 'string' ? content : stringify(content), { mode: 0o700 });
      return file;
    },
    [Symbol.dispose]: () => rmSync(path, { recursive: true, force: true }),
  };
}

/** A kubeconfig with one of each, all named `a`. */
export function kubeconfig(user: object = {}, cluster: object = {}, context: object = {}): object {
  return {
    apiVersion: 'v1',
    kind: 'Config',
    'current-context': 'a',
    clusters: [{ name: 'a', cluster: { server: 'https://api.example:6443', ...cluster } }],
    users: [{ name: 'a', user }],
    contexts: [{ name: 'a', context: { cluster: 'a', user: 'a', ...context } }],
  };
}
