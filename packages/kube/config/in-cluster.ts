import { readFileSync } from 'node:fs';
import { isIPv6 } from 'node:net';
import { join } from 'node:path';
import type { Clock } from '../clock.ts';
import { badConfig, reasonOf } from './bad-config.ts';
import type { ClusterConfig } from './cluster-config.ts';
import { defaultUserAgent, parseServer } from './cluster-config.ts';
import { bearer } from './credentials.ts';
import { fileCredentials, tokenIn } from './file-credentials.ts';
import { checkCertificates } from './pem.ts';
import type { Env } from './proxy-env.ts';

export const serviceAccountDirectory = '/var/run/secrets/kubernetes.io/serviceaccount';

export interface InClusterOptions {
  readonly env: Env;
  readonly clock: Clock;
  /** Where the service account is mounted. */
  readonly directory?: string | undefined;
  readonly namespace?: string | undefined;
  readonly userAgent?: string | undefined;
}

export function isInCluster(env: Env): boolean {
  return Boolean(env['KUBERNETES_SERVICE_HOST'] && env['KUBERNETES_SERVICE_PORT']);
}

/** The API server as a pod sees it. The mounted token rotates and is read again and again. */
export function inClusterConfig(options: InClusterOptions): ClusterConfig {
  const { env, clock, directory = serviceAccountDirectory } = options;
  const host = env['KUBERNETES_SERVICE_HOST'] ?? '';
  const port = env['KUBERNETES_SERVICE_PORT'] ?? '';
  const source = `service account in ${directory}`;
  const tokenFile = join(directory, 'token');
  const caFile = join(directory, 'ca.crt');
  readMounted(tokenFile);
  return {
    server: parseServer(`https://${isIPv6(host) ? `[${host}]` : host}:${port}`, 'KUBERNETES_SERVICE_HOST and _PORT'),
    source,
    namespace: options.namespace ?? (readOptional(join(directory, 'namespace'))?.trim() || 'default'),
    ca: checkCertificates(readMounted(caFile), caFile),
    insecureSkipTlsVerify: false,
    compression: true,
    credentials: fileCredentials({
      files: [tokenFile],
      toAuth: ([text]) => ({ authorization: bearer(tokenIn(text)) }),
      name: 'the service account of this pod',
      clock,
    }),
    userAgent: options.userAgent ?? defaultUserAgent,
  };
}

function readMounted(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (cause) {
    throw badConfig(
      file,
      `this runs in a pod, but its service account cannot be read: ${reasonOf(cause)}`,
      'Set automountServiceAccountToken: true on the pod, or pass a kubeconfig',
      cause,
    );
  }
}

function readOptional(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    // Some projected volumes leave the namespace out; 'default' is what client libraries then take.
    return undefined;
  }
}
