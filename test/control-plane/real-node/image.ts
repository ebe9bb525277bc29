import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { type TarEntry, writeTar } from '../build/tar.ts';
import { BUSYBOX } from './requirements.ts';

/** The one image on a real node: a busybox with all its tools. Pods name it so, with `imagePullPolicy: Never`. */
export const TEST_IMAGE = 'docker.io/sandbank/busybox:test';

const EMPTY = new Uint8Array();

/** Writes it the way `docker save` does. No registry is needed, nothing is pulled. It is the pause image as well. */
export function imageArchive(): Buffer {
  const layer = writeTar(files());
  const config = JSON.stringify({
    architecture: process.arch === 'arm64' ? 'arm64' : 'amd64',
    os: 'linux',
    config: { Env: ['PATH=/bin'], Cmd: ['/bin/sleep', 'infinity'], WorkingDir: '/' },
    rootfs: { type: 'layers', diff_ids: [`sha256:${createHash('sha256').update(layer).digest('hex')}`] },
    history: [{ created_by: 'test/control-plane' }],
  });
  const manifest = JSON.stringify([
    { Config: 'config.json', RepoTags: [TEST_IMAGE.replace('docker.io/', '')], Layers: ['layer.tar'] },
  ]);
  return writeTar([
    { name: 'layer.tar', data: layer },
    { name: 'config.json', data: Buffer.from(config) },
    { name: 'manifest.json', data: Buffer.from(manifest) },
  ]);
}

function files(): TarEntry[] {
  const tools = execFileSync(BUSYBOX, ['--list'], { encoding: 'utf8' }).split('\n').filter(Boolean);
  return [
    ...['bin/', 'etc/', 'proc/', 'sys/', 'dev/', 'root/'].map((name) => ({ name, data: EMPTY, mode: 0o755 })),
    { name: 'tmp/', data: EMPTY, mode: 0o1777 },
    { name: 'etc/passwd', data: Buffer.from('root:x:0:0:root:/root:/bin/sh\nnobody:x:65534:65534:nobody:/:/bin/sh\n') },
    { name: 'etc/group', data: Buffer.from('root:x:0:\nnogroup:x:65534:\n') },
    { name: 'bin/busybox', data: readFileSync(BUSYBOX), mode: 0o755 },
    ...tools
      .filter((tool) => tool !== 'busybox')
      .map((tool) => ({ name: `bin/${tool}`, data: EMPTY, mode: 0o777, link: 'busybox' })),
  ];
}
