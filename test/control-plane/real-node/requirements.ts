import { execFileSync } from 'node:child_process';
import { accessSync, constants, mkdirSync, rmdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { type Lack, missing } from '../binaries.ts';
import { debianPackages } from '../build/apt.ts';
import { ControlPlaneError } from '../errors.ts';
import { cgroupHierarchies } from '../process/clean-up.ts';

export const CNI_FOLDER = '/usr/lib/cni';
export const BUSYBOX = '/bin/busybox';

/** Covered by fresh file systems inside the node, so that daemons with paths of their own mind leave nothing outside. */
export const COVERED_FOLDERS = ['/run', '/var/lib', '/var/log'] as const;

const COMMANDS = ['containerd', 'containerd-shim-runc-v2', 'ctr', 'runc', 'ip', 'nsenter', 'unshare'];

export type RealNodeAnswer = { readonly ok: true } | ({ readonly ok: false } & Lack);

/** Whether a kubelet with containerd and runc can run here, tried as far as can be tried in a few milliseconds. */
export function canRunRealNode(): RealNodeAnswer {
  const lack = findLack();
  return lack === undefined ? { ok: true } : { ok: false, ...lack };
}

export function assertCanRunRealNode(): void {
  const lack = findLack();
  if (lack === undefined) return;
  throw new ControlPlaneError('NO_REAL_NODE', `No real node can run here: ${lack.reason}. What helps: ${lack.remedy}.`);
}

function findLack(): Lack | undefined {
  if (process.platform !== 'linux') return { reason: `this is ${process.platform}`, remedy: 'use Linux' };
  if (process.getuid?.() !== 0) {
    return {
      reason: 'namespaces, mounts and cgroups take root',
      remedy: 'run as root, on a machine that is yours to break',
    };
  }
  const absent = [
    ...COMMANDS.filter((name) => !onPath(name)),
    ...[BUSYBOX, join(CNI_FOLDER, 'bridge'), join(CNI_FOLDER, 'host-local')].filter((path) => !executable(path)),
  ];
  if (absent.length > 0) {
    const packages = debianPackages().join(' ');
    return {
      reason: `${absent.join(', ')} not installed`,
      remedy: `'npm run control-plane -- --apt' installs ${packages}`,
    };
  }
  const binary = missing(['kube-apiserver', 'etcd', 'kube-controller-manager', 'kube-scheduler', 'kubelet', 'kubectl']);
  if (binary !== undefined) return binary;
  if (COVERED_FOLDERS.some((folder) => `${tmpdir()}/`.startsWith(`${folder}/`))) {
    return {
      reason: `temporary files go to ${tmpdir()}, which the node covers`,
      remedy: 'set TMPDIR to another folder',
    };
  }
  try {
    execFileSync('unshare', ['--net', '--mount', '--pid', '--fork', 'true'], { stdio: 'ignore' });
  } catch {
    return { reason: 'root may not make namespaces', remedy: 'give the container --privileged' };
  }
  if (cgroupsWritable()) return undefined;
  return { reason: 'no cgroup can be made below /sys/fs/cgroup', remedy: 'give the container --privileged' };
}

function cgroupsWritable(): boolean {
  const [first] = cgroupHierarchies();
  if (first === undefined) return false;
  const probe = join(first, `sandbank-probe-${process.pid}`);
  try {
    mkdirSync(probe);
    rmdirSync(probe);
    return true;
  } catch {
    return false;
  }
}

function onPath(name: string): boolean {
  return (process.env['PATH'] ?? '').split(delimiter).some((folder) => folder !== '' && executable(join(folder, name)));
}

function executable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
