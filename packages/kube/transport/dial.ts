import { createSecureContext } from 'node:tls';
import { buildConnector } from 'undici';
import type { ClusterConfig } from '../config/cluster-config.ts';
import type { ClientCertificate } from '../config/credentials.ts';
import { openTunnel } from './tunnel.ts';

export type Dial = buildConnector.connector;

const connectTimeoutMs = 10_000;
/** A peer that vanished without a word is noticed by the kernel's probes. */
const keepAliveInitialDelay = 15_000;

/** How every connection to this server is made: by pools and WebSockets alike, straight or through the proxy. */
export function createDialer(config: ClusterConfig, certificate: ClientCertificate | undefined): Dial {
  const { ca, tlsServerName, insecureSkipTlsVerify, proxyUrl } = config;
  const direct = buildConnector({
    // One context for all connections: parsing the authorities costs more than the handshake.
    secureContext: createSecureContext({
      ...(ca === undefined ? {} : { ca }),
      ...(certificate ? { cert: certificate.cert, key: certificate.key } : {}),
    }),
    ...(tlsServerName === undefined ? {} : { servername: tlsServerName }),
    rejectUnauthorized: !insecureSkipTlsVerify,
    timeout: connectTimeoutMs,
    allowH2: false,
    keepAlive: true,
    keepAliveInitialDelay,
    // Sessions belong to one certificate, and this dialer has just one.
    maxCachedSessions: 8,
  });
  if (!proxyUrl) return direct;
  return (options, callback) => {
    const secure = options.protocol === 'https:';
    const port = Number(options.port || (secure ? 443 : 80));
    openTunnel(proxyUrl, options.hostname.replace(/^\[|\]$/g, ''), port, connectTimeoutMs).then(
      (socket) => (secure ? direct({ ...options, httpSocket: socket }, callback) : callback(null, socket)),
      (error: Error) => callback(error, null),
    );
  };
}
