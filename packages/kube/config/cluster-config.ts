import type { Clock } from '../clock.ts';
import { badConfig } from './bad-config.ts';
import type { ClientCertificate, Credentials } from './credentials.ts';
import { basic, bearer, fixedCredentials, noCredentials } from './credentials.ts';
import { checkCertificates, checkPair } from './pem.ts';

export interface Impersonation {
  readonly user: string;
  readonly uid?: string | undefined;
  readonly groups?: readonly string[] | undefined;
  readonly extra?: Readonly<Record<string, readonly string[]>> | undefined;
}

/** Everything needed to reach one API server as somebody. `loadConfig` finds one, `clusterConfig` makes one by hand. */
export interface ClusterConfig {
  /** Scheme, host, port, and a path when the API server sits below one. */
  readonly server: URL;
  /** Where this came from, for error messages: `context "dev" of /home/me/.kube/config`. */
  readonly source: string;
  /** The namespace that applies when a user names none. */
  readonly namespace: string;
  /** PEM authorities; the system's own when undefined. */
  readonly ca?: string | undefined;
  /** The name in the server's certificate, when it is not the host of `server`. */
  readonly tlsServerName?: string | undefined;
  readonly insecureSkipTlsVerify: boolean;
  readonly proxyUrl?: URL | undefined;
  /** Ask for gzip. Never worth it on loopback. */
  readonly compression: boolean;
  readonly credentials: Credentials;
  readonly impersonate?: Impersonation | undefined;
  readonly userAgent: string;
}

export interface ClusterConfigInit {
  readonly server: string;
  readonly source?: string | undefined;
  readonly namespace?: string | undefined;
  readonly ca?: string | undefined;
  readonly tlsServerName?: string | undefined;
  readonly insecureSkipTlsVerify?: boolean | undefined;
  readonly proxyUrl?: string | undefined;
  readonly compression?: boolean | undefined;
  readonly token?: string | undefined;
  readonly username?: string | undefined;
  readonly password?: string | undefined;
  readonly certificate?: ClientCertificate | undefined;
  /** Instead of token, username or certificate. */
  readonly credentials?: Credentials | undefined;
  readonly impersonate?: Impersonation | undefined;
  readonly userAgent?: string | undefined;
  readonly clock?: Clock | undefined;
}

export const defaultUserAgent = `sandbank-kube (${process.platform}/${process.arch}) node/${process.versions.node}`;

export function clusterConfig(init: ClusterConfigInit): ClusterConfig {
  const source = init.source ?? 'cluster configuration';
  const server = parseServer(init.server, `${source}: server`);
  if (init.ca !== undefined) checkCertificates(init.ca, `${source}: certificate authority`);
  return {
    server,
    source,
    namespace: init.namespace ?? 'default',
    ca: init.ca,
    tlsServerName: init.tlsServerName,
    insecureSkipTlsVerify: init.insecureSkipTlsVerify ?? false,
    proxyUrl: init.proxyUrl === undefined ? undefined : parseProxy(init.proxyUrl, `${source}: proxy-url`),
    compression: init.compression ?? !isLoopback(server),
    credentials: init.credentials ?? inlineCredentials(init, source),
    impersonate: init.impersonate,
    userAgent: init.userAgent ?? defaultUserAgent,
  };
}

function inlineCredentials(init: ClusterConfigInit, source: string): Credentials {
  const { token, username, password = '', certificate, clock } = init;
  if (certificate) checkPair(certificate, `${source}: client certificate`, `${source}: client key`);
  const authorization =
    token !== undefined ? bearer(token) : username !== undefined ? basic(username, password) : undefined;
  if (authorization === undefined && !certificate) return noCredentials;
  const name =
    token !== undefined ? 'the token' : username !== undefined ? `user ${username}` : 'the client certificate';
  return fixedCredentials({ authorization, certificate }, `${name} of ${source}`, clock);
}

export function parseServer(text: string, where: string): URL {
  // kubectl takes a bare host:port for plain HTTP, and so do we.
  const url = URL.parse(text.includes('://') ? text : `http://${text}`);
  if (!url || (url.protocol !== 'https:' && url.protocol !== 'http:') || url.hostname === '') {
    throw badConfig(
      where,
      `${JSON.stringify(text)} is not the address of a server`,
      'Write it like https://10.0.0.1:6443',
    );
  }
  if (url.username !== '' || url.search !== '' || url.hash !== '') {
    throw badConfig(
      where,
      'carries a user name, a query or a fragment',
      'Give credentials in the user entry and only scheme, host, port and path here',
    );
  }
  return url;
}

export function parseProxy(text: string, where: string): URL {
  const url = URL.parse(text);
  if (!url || url.hostname === '' || !['http:', 'https:', 'socks5:'].includes(url.protocol)) {
    throw badConfig(
      where,
      `${JSON.stringify(text)} is not a proxy this client can use`,
      'Write it like http://proxy:3128 (http, https and socks5 work)',
    );
  }
  return url;
}

export function isLoopback(url: URL): boolean {
  const host = url.hostname;
  return host === 'localhost' || host === '[::1]' || /^127(\.\d+){3}$/.test(host);
}
