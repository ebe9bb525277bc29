import type { Clock } from '../clock.ts';
import { badConfig } from './bad-config.ts';
import type { ClusterConfig } from './cluster-config.ts';
import { defaultUserAgent } from './cluster-config.ts';
import type { Credentials } from './credentials.ts';
import { noCredentials } from './credentials.ts';
import { execCredentials } from './exec-credentials.ts';
import { readExecPlugin } from './exec-plugin.ts';
import type { Fields } from './fields.ts';
import type { ClusterEntry } from './kubeconfig-cluster.ts';
import { readCluster } from './kubeconfig-cluster.ts';
import type { Kubeconfig } from './kubeconfig-files.ts';
import { userCredentials, userImpersonation } from './kubeconfig-user.ts';
import type { Env } from './proxy-env.ts';

export interface ContextOptions {
  /** Instead of current-context. */
  readonly context?: string | undefined;
  readonly namespace?: string | undefined;
  readonly userAgent?: string | undefined;
  readonly env: Env;
  readonly clock: Clock;
}

/** From merged files to one cluster, one user, one namespace. */
export function configOfContext(kubeconfig: Kubeconfig, options: ContextOptions): ClusterConfig {
  const where = kubeconfig.files.join(', ');
  const name = options.context ?? kubeconfig.currentContext;
  if (name === undefined) {
    throw badConfig(where, 'no context is chosen', `Set current-context or name one of ${names(kubeconfig.contexts)}`);
  }
  const context = kubeconfig.contexts.get(name);
  if (!context) {
    const field = options.context === undefined ? 'current-context: ' : '';
    throw badConfig(
      where,
      `${field}there is no context ${JSON.stringify(name)}`,
      `Choose one of ${names(kubeconfig.contexts)}`,
    );
  }
  const clusterName = context.string('cluster');
  if (clusterName === undefined) throw badConfig(context.at('cluster'), 'is missing', 'A context must name a cluster');
  const cluster = kubeconfig.clusters.get(clusterName);
  if (!cluster) {
    throw badConfig(
      context.at('cluster'),
      `there is no cluster ${JSON.stringify(clusterName)}`,
      `Choose one of ${names(kubeconfig.clusters)}`,
    );
  }
  const entry = readCluster(cluster, options.env);
  const userName = context.string('user');
  const user = userName === undefined ? undefined : kubeconfig.users.get(userName);
  if (userName !== undefined && !user) {
    throw badConfig(
      context.at('user'),
      `there is no user ${JSON.stringify(userName)}`,
      `Choose one of ${names(kubeconfig.users)}`,
    );
  }
  return {
    server: entry.server,
    source: `context ${JSON.stringify(name)} of ${context.file}`,
    namespace: options.namespace ?? context.string('namespace') ?? 'default',
    ca: entry.ca,
    tlsServerName: entry.tlsServerName,
    insecureSkipTlsVerify: entry.insecureSkipTlsVerify,
    proxyUrl: entry.proxyUrl,
    compression: entry.compression,
    credentials: user ? credentialsOf(user, userName ?? '', entry, options) : noCredentials,
    impersonate: user && userImpersonation(user),
    userAgent: options.userAgent ?? defaultUserAgent,
  };
}

function credentialsOf(user: Fields, name: string, cluster: ClusterEntry, options: ContextOptions): Credentials {
  if (user.has('auth-provider')) {
    throw badConfig(
      user.at('auth-provider'),
      'auth providers were removed from Kubernetes',
      'Use an exec plugin (gke-gcloud-auth-plugin, kubelogin, …) instead',
    );
  }
  const exec = user.fields('exec');
  if (!exec) return userCredentials(user, name, options.clock);
  for (const other of ['token', 'tokenFile', 'username', 'password', 'client-certificate', 'client-certificate-data']) {
    if (user.has(other)) throw badConfig(user.at(), `sets both exec and ${other}`, 'Keep one of the two');
  }
  return execCredentials({
    plugin: readExecPlugin(exec),
    name: `user ${JSON.stringify(name)} of ${user.file}`,
    cluster,
    env: options.env,
    clock: options.clock,
  });
}

function names(entries: ReadonlyMap<string, unknown>): string {
  return entries.size === 0 ? '(none is defined)' : [...entries.keys()].map((name) => JSON.stringify(name)).join(', ');
}
