import { readFileSync } from 'node:fs';
import { badConfig, reasonOf } from './bad-config.ts';
import { isLoopback, parseProxy, parseServer } from './cluster-config.ts';
import type { Fields } from './fields.ts';
import { besideFile } from './kubeconfig-files.ts';
import { checkCertificates, decodeBase64 } from './pem.ts';
import type { Env } from './proxy-env.ts';
import { proxyFromEnv } from './proxy-env.ts';

export interface ClusterEntry {
  readonly server: URL;
  readonly ca: string | undefined;
  readonly tlsServerName: string | undefined;
  readonly insecureSkipTlsVerify: boolean;
  readonly proxyUrl: URL | undefined;
  readonly compression: boolean;
  /** What an exec plugin that asked for it is told beyond the above. */
  readonly execConfig: unknown;
}

export function readCluster(cluster: Fields, env: Env): ClusterEntry {
  const address = cluster.string('server');
  if (address === undefined) throw badConfig(cluster.at('server'), 'is missing', 'Write it like https://10.0.0.1:6443');
  const server = parseServer(address, cluster.at('server'));
  const ca = authorities(cluster);
  const insecureSkipTlsVerify = cluster.boolean('insecure-skip-tls-verify');
  if (insecureSkipTlsVerify && ca !== undefined) {
    throw badConfig(
      cluster.at(),
      'sets both insecure-skip-tls-verify and a certificate authority',
      'Remove insecure-skip-tls-verify, or the authority',
    );
  }
  const proxy = cluster.string('proxy-url') ?? proxyFromEnv(server, env);
  return {
    server,
    ca,
    tlsServerName: cluster.string('tls-server-name'),
    insecureSkipTlsVerify,
    proxyUrl: proxy === undefined ? undefined : parseProxy(proxy, cluster.at('proxy-url')),
    compression: !cluster.boolean('disable-compression') && !isLoopback(server),
    execConfig: execExtension(cluster),
  };
}

function authorities(cluster: Fields): string | undefined {
  const data = cluster.string('certificate-authority-data');
  const file = cluster.string('certificate-authority');
  if (data !== undefined && file !== undefined) {
    throw badConfig(
      cluster.at(),
      'sets both certificate-authority and certificate-authority-data',
      'Keep one of the two',
    );
  }
  if (data !== undefined) {
    const where = cluster.at('certificate-authority-data');
    return checkCertificates(decodeBase64(data, where), where);
  }
  if (file === undefined) return undefined;
  const where = cluster.at('certificate-authority');
  const path = besideFile(cluster, file);
  try {
    return checkCertificates(readFileSync(path, 'utf8'), where);
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).syscall === undefined) throw cause;
    throw badConfig(where, `names ${path}, which cannot be read: ${reasonOf(cause)}`, 'Correct the path', cause);
  }
}

function execExtension(cluster: Fields): unknown {
  const entry = cluster.list('extensions').find((item) => item.string('name') === 'client.authentication.k8s.io/exec');
  return entry?.raw('extension');
}
