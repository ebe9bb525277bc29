import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { need } from './binaries.ts';
import type { Authority, KeyPair } from './certificates.ts';
import { Daemon } from './process/daemon.ts';
import type { Watchdog } from './process/watchdog.ts';
import { Rest } from './rest.ts';

export type ApiServerOptions = {
  readonly folder: string;
  readonly address: string;
  readonly port: number;
  readonly etcdUrl: string;
  readonly adminToken: string;
  readonly authority: Authority;
  readonly serviceAccountKey: { readonly privateKey: string; readonly publicKey: string };
  /** Whether something makes the `default` service account of each namespace, without which no pod is admitted. */
  readonly serviceAccounts: boolean;
  readonly extraArgs: readonly string[];
  readonly watchdog: Watchdog;
};

const SERVICE_RANGE = '10.96.0.0/16';
const SERVICE_ADDRESS = '10.96.0.1';

/** The API server, which can be killed and started again on the same data and port. */
export class ApiServer {
  readonly rest: Rest;
  readonly url: string;
  readonly #command: { readonly args: readonly string[]; readonly folder: string };
  readonly #watchdog: Watchdog;
  #daemon: Daemon | undefined;

  static async create(options: ApiServerOptions): Promise<ApiServer> {
    const { folder, authority, address } = options;
    const names = [
      'kubernetes',
      'kubernetes.default',
      'kubernetes.default.svc',
      'kubernetes.default.svc.cluster.local',
    ];
    const serving = await authority.server('kube-apiserver', [
      ...names,
      'localhost',
      '127.0.0.1',
      SERVICE_ADDRESS,
      address,
    ]);
    const kubelet = await authority.client('kube-apiserver-kubelet-client', ['system:masters']);
    const file = (name: string, content: string): string => {
      writeFileSync(join(folder, name), content, { mode: 0o600 });
      return join(folder, name);
    };
    const pair = (name: string, pem: KeyPair): [string, string] => [
      file(`${name}.crt`, pem.certificate),
      file(`${name}.key`, pem.key),
    ];
    const ca = file('ca.crt', authority.pem);
    const [servingCertificate, servingKey] = pair('apiserver', serving);
    const [kubeletCertificate, kubeletKey] = pair('apiserver-kubelet-client', kubelet);
    const args = [
      `--etcd-servers=${options.etcdUrl}`,
      `--bind-address=${address}`,
      `--advertise-address=${address}`,
      `--secure-port=${options.port}`,
      `--cert-dir=${folder}`,
      `--tls-cert-file=${servingCertificate}`,
      `--tls-private-key-file=${servingKey}`,
      `--client-ca-file=${ca}`,
      `--token-auth-file=${file('tokens.csv', `${options.adminToken},admin,admin,"system:masters"\n`)}`,
      '--authorization-mode=Node,RBAC',
      '--service-account-issuer=https://kubernetes.default.svc',
      // To verify, the server reads no private key of this kind, so the public half has a file of its own.
      `--service-account-key-file=${file('service-account.pub', options.serviceAccountKey.publicKey)}`,
      `--service-account-signing-key-file=${file('service-account.key', options.serviceAccountKey.privateKey)}`,
      `--service-cluster-ip-range=${SERVICE_RANGE}`,
      // A node's name is in nobody's DNS: logs and exec go to its address.
      '--kubelet-preferred-address-types=InternalIP',
      `--kubelet-certificate-authority=${ca}`,
      `--kubelet-client-certificate=${kubeletCertificate}`,
      `--kubelet-client-key=${kubeletKey}`,
      // A test that ends wants the server gone, not drained.
      '--shutdown-delay-duration=0s',
      ...(options.serviceAccounts ? [] : ['--disable-admission-plugins=ServiceAccount']),
      ...options.extraArgs,
    ];
    return new ApiServer(options, args);
  }

  private constructor(options: ApiServerOptions, args: readonly string[]) {
    this.url = `https://${options.address}:${options.port}`;
    this.rest = new Rest(this.url, options.authority.pem, options.adminToken);
    this.#command = { args, folder: options.folder };
    this.#watchdog = options.watchdog;
  }

  get daemon(): Daemon {
    if (this.#daemon === undefined) throw new TypeError('The API server was never started: call start() first.');
    return this.#daemon;
  }

  async start(): Promise<void> {
    // The old one would go on answering on this port with 'shutdown failed' for some seconds.
    await this.#daemon?.end();
    this.#daemon = Daemon.start(
      { name: 'kube-apiserver', command: need('kube-apiserver'), ...this.#command },
      this.#watchdog,
    );
    await this.#daemon.ready(() => this.rest.ready());
  }
}
