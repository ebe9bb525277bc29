import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { fromAssets } from './binaries.ts';

describe('binaries in KUBEBUILDER_ASSETS', () => {
  let assets: string;
  const put = (name: string, says: string): void =>
    writeFileSync(join(assets, name), `#!/bin/sh\necho '${says}'\n`, { mode: 0o755 });

  beforeEach(() => {
    assets = mkdtempSync(join(tmpdir(), 'sandbank-assets-'));
  });
  afterEach(() => rmSync(assets, { recursive: true, force: true }));

  test('are used one by one, when their minor version fits', () => {
    put('kube-apiserver', 'Kubernetes v1.36.0');
    put('kube-scheduler', 'Kubernetes v1.35.9');
    put('etcd', 'etcd Version: 3.6.1');
    expect(fromAssets('kube-apiserver', assets)).toBe(join(assets, 'kube-apiserver'));
    expect(fromAssets('etcd', assets)).toBe(join(assets, 'etcd'));
    expect(fromAssets('kube-scheduler', assets)).toBeUndefined();
    expect(fromAssets('kubelet', assets)).toBeUndefined();
  });

  test('that cannot run are passed over', () => {
    writeFileSync(join(assets, 'etcd'), 'not a program', { mode: 0o755 });
    expect(fromAssets('etcd', assets)).toBeUndefined();
    expect(fromAssets('etcd', '')).toBeUndefined();
  });
});
