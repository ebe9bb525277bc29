import { homedir } from 'node:os';
import { delimiter, join } from 'node:path';
import type { Clock } from '../clock.ts';
import { systemClock } from '../clock.ts';
import { badConfig } from './bad-config.ts';
import type { ClusterConfig } from './cluster-config.ts';
import { inClusterConfig, isInCluster } from './in-cluster.ts';
import { configOfContext } from './kubeconfig.ts';
import { readKubeconfigs } from './kubeconfig-files.ts';
import type { Env } from './proxy-env.ts';

export interface LoadOptions {
  /** One file, which must exist. Wins over everything else. */
  readonly kubeconfig?: string | undefined;
  /** Instead of current-context. */
  readonly context?: string | undefined;
  /** Instead of the namespace of the context. */
  readonly namespace?: string | undefined;
  readonly userAgent?: string | undefined;
  readonly env?: Env | undefined;
  readonly home?: string | undefined;
  readonly serviceAccountDirectory?: string | undefined;
  readonly clock?: Clock | undefined;
}

/**
 * Finds the cluster: the named file, then KUBECONFIG, then the service account of the pod this runs in,
 * then ~/.kube/config.
 */
export function loadConfig(options: LoadOptions = {}): ClusterConfig {
  const { env = process.env, home = homedir(), clock = systemClock, context, namespace, userAgent } = options;
  const shared = { env, clock, namespace, userAgent };

  if (options.kubeconfig !== undefined) {
    const named = readKubeconfigs([options.kubeconfig], true);
    if (named) return configOfContext(named, { ...shared, context });
  }
  const listed = (env['KUBECONFIG'] ?? '').split(delimiter).filter((path) => path !== '');
  if (listed.length > 0) {
    const merged = readKubeconfigs([...new Set(listed)], false);
    if (merged) return configOfContext(merged, { ...shared, context });
    throw badConfig(`KUBECONFIG=${env['KUBECONFIG']}`, 'none of the files exists', 'Correct the variable, or unset it');
  }
  if (isInCluster(env)) return inClusterConfig({ ...shared, directory: options.serviceAccountDirectory });
  const standard = join(home, '.kube', 'config');
  const own = readKubeconfigs([standard], false);
  if (own) return configOfContext(own, { ...shared, context });
  throw badConfig(
    standard,
    'no cluster is configured: this file does not exist, KUBECONFIG is not set and this is not a pod',
    'Name a kubeconfig file, set KUBECONFIG, or create this file',
  );
}
