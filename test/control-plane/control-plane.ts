import { join } from 'node:path';
import type { ApiServer } from './api-server.ts';
import { need } from './binaries.ts';
import { run } from './commands.ts';
import { ControlPlaneError } from './errors.ts';
import { writeKubeconfig } from './kubeconfig.ts';
import type { Daemon } from './process/daemon.ts';
import { environmentOf } from './process/environment.ts';
import type { Watchdog } from './process/watchdog.ts';
import { createServiceAccount, parseServiceAccount } from './service-account.ts';

export type Parts = {
  readonly folder: string;
  readonly ca: string;
  readonly adminToken: string;
  readonly kubeconfig: string;
  readonly certificateKubeconfig: string;
  readonly apiServer: ApiServer;
  readonly daemons: readonly Daemon[];
  readonly watchdog: Watchdog;
  readonly nodeName: string | undefined;
};

export type RunOptions = { readonly stdin?: string; readonly kubeconfig?: string; readonly signal?: AbortSignal };

/** A running control plane, in the hands of a test. */
export class ControlPlane {
  readonly #parts: Parts;
  #closing: Promise<void> | undefined;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /** Where the API server answers, over TLS. */
  get url(): string {
    return this.#parts.apiServer.url;
  }

  /** The PEM certificate by which the API server is known. */
  get ca(): string {
    return this.#parts.ca;
  }

  get adminToken(): string {
    return this.#parts.adminToken;
  }

  /** Path of a kubeconfig that may do everything, by token. */
  get adminKubeconfig(): string {
    return this.#parts.kubeconfig;
  }

  /** The same, by client certificate. */
  get adminCertificateKubeconfig(): string {
    return this.#parts.certificateKubeconfig;
  }

  /** Logs, certificates, kubeconfigs. Goes away with the control plane. */
  get folder(): string {
    return this.#parts.folder;
  }

  /** Name of the real node. */
  get nodeName(): string {
    if (this.#parts.nodeName === undefined) {
      throw new ControlPlaneError(
        'BAD_OPTION',
        'This control plane has no real node. Start it with { realNode: true }.',
      );
    }
    return this.#parts.nodeName;
  }

  /** Process ids by component, for whoever measures them. */
  get pids(): Readonly<Record<string, number>> {
    const daemons = [this.#parts.apiServer.daemon, ...this.#parts.daemons];
    return Object.fromEntries(
      daemons.flatMap(({ spec, pid, running }) => (running && pid !== undefined ? [[spec.name, pid]] : [])),
    );
  }

  /**
   * Path of a kubeconfig for a service account (`name` or `namespace/name`) that may do what these YAML files grant and
   * nothing else. Namespace and account are made when missing; roles that the files bind to nobody are bound to it.
   */
  async kubeconfigFor(serviceAccount: string, rbacFiles: readonly string[]): Promise<string> {
    const account = parseServiceAccount(serviceAccount);
    const token = await createServiceAccount(this.#parts.apiServer.rest, account, rbacFiles);
    return writeKubeconfig(join(this.folder, `${account.namespace}.${account.name}.kubeconfig`), {
      url: this.url,
      ca: this.ca,
      user: `${account.namespace}/${account.name}`,
      identity: { token },
      namespace: account.namespace,
    });
  }

  /** Ends the API server and waits until it is gone. Etcd and its data stay. */
  killApiServer(signal: NodeJS.Signals = 'SIGKILL'): Promise<void> {
    return this.#parts.apiServer.daemon.end(signal);
  }

  /** Starts it again on the same data and port, and waits until it is ready. */
  startApiServer(): Promise<void> {
    return this.#parts.apiServer.start();
  }

  /** Freezes the API server and waits until it is frozen: connections stay open and nothing answers. */
  pause(): Promise<void> {
    return this.#parts.apiServer.daemon.freeze();
  }

  resume(): void {
    this.#parts.apiServer.daemon.thaw();
  }

  /** Runs kubectl to its end and returns its output. */
  kubectl(args: readonly string[], options: RunOptions = {}): Promise<string> {
    return run(need('kubectl'), args, this.#environment(options));
  }

  helm(args: readonly string[], options: RunOptions = {}): Promise<string> {
    return run(need('helm'), args, this.#environment(options));
  }

  /** The end of a component's log, such as `kube-apiserver`, `etcd`, `kubelet`. */
  log(component: string, lines = 50): string {
    const daemon = [this.#parts.apiServer.daemon, ...this.#parts.daemons].find(({ spec }) => spec.name === component);
    return daemon?.tail(lines) ?? `(there is no ${component} here)`;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#closing ??= this.#parts.watchdog.close();
    await this.#closing;
  }

  #environment({ stdin, kubeconfig, signal }: RunOptions) {
    return {
      cwd: this.folder,
      // Both clients remember what an address offered, and addresses are used again: their memory dies with us.
      env: environmentOf(this.#parts.watchdog.marker, {
        KUBECONFIG: kubeconfig ?? this.adminKubeconfig,
        HOME: this.folder,
        KUBECACHEDIR: join(this.folder, 'kubectl-cache'),
      }),
      ...(stdin === undefined ? {} : { stdin }),
      ...(signal === undefined ? {} : { signal }),
    };
  }
}
