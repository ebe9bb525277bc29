import { KubeError } from '../errors.ts';

/** Who is spoken to, in the words of error messages. */
export interface Peer {
  /** `https://10.0.0.1:6443`. */
  readonly server: string;
  /** Where that address came from. */
  readonly source: string;
  readonly proxy?: string | undefined;
}

type Remedy = (peer: Peer) => readonly [code: KubeError['code'], problem: string, remedy: string];

const refused: Remedy = (peer) => [
  'unreachable',
  `nothing listens at ${peer.proxy ?? peer.server}`,
  `Check that the API server runs and that its address in ${peer.source} is right`,
];
const noRoute: Remedy = (peer) => [
  'unreachable',
  `${peer.proxy ?? peer.server} cannot be reached`,
  `Check the network, VPN and proxy between here and there, and the address in ${peer.source}`,
];
const noName: Remedy = (peer) => [
  'unreachable',
  `the name of ${peer.proxy ?? peer.server} cannot be resolved`,
  `Check the address in ${peer.source} and your DNS`,
];
const lost: Remedy = (peer) => [
  'connection-lost',
  `the connection to ${peer.server} broke before the answer was complete`,
  'The request may or may not have been carried out; read before you repeat it',
];
const unknownAuthority: Remedy = (peer) => [
  'tls-failed',
  `the certificate of ${peer.server} is signed by an authority that is not trusted`,
  `Put its CA into certificate-authority-data of ${peer.source}`,
];
const expired: Remedy = (peer) => [
  'tls-failed',
  `the certificate of ${peer.server} is expired or not yet valid`,
  "Renew the server's certificate, and check the clock of this machine",
];
const otherName: Remedy = (peer) => [
  'tls-failed',
  `the certificate of ${peer.server} is made for another name`,
  `Use one of the names in the certificate as server of ${peer.source}, or set tls-server-name`,
];
const handshake: Remedy = (peer) => [
  'tls-failed',
  `the TLS handshake with ${peer.server} failed`,
  `Check that the port speaks TLS (https, not http), and the client certificate in ${peer.source}`,
];
const notHttp: Remedy = (peer) => [
  'bad-response',
  `${peer.server} does not answer in HTTP`,
  `Check host, port and scheme (http or https) in ${peer.source}`,
];

const known: Readonly<Record<string, Remedy>> = {
  ECONNREFUSED: refused,
  ENOTFOUND: noName,
  EAI_AGAIN: noName,
  EHOSTUNREACH: noRoute,
  ENETUNREACH: noRoute,
  EADDRNOTAVAIL: noRoute,
  ETIMEDOUT: noRoute,
  UND_ERR_CONNECT_TIMEOUT: noRoute,
  ECONNRESET: lost,
  ECONNABORTED: lost,
  EPIPE: lost,
  UND_ERR_SOCKET: lost,
  UND_ERR_INFO: lost,
  UND_ERR_RES_CONTENT_LENGTH_MISMATCH: lost,
  DEPTH_ZERO_SELF_SIGNED_CERT: unknownAuthority,
  SELF_SIGNED_CERT_IN_CHAIN: unknownAuthority,
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: unknownAuthority,
  UNABLE_TO_GET_ISSUER_CERT: unknownAuthority,
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: unknownAuthority,
  CERT_SIGNATURE_FAILURE: unknownAuthority,
  INVALID_CA: unknownAuthority,
  CERT_HAS_EXPIRED: expired,
  CERT_NOT_YET_VALID: expired,
  ERR_TLS_CERT_ALTNAME_INVALID: otherName,
  EPROTO: handshake,
};

/** Any error of sockets, TLS, undici or ws, as one of ours. What is one already stays as it is. */
export function failureOf(error: unknown, peer: Peer, sent: boolean): KubeError {
  if (error instanceof KubeError) return error;
  const { code = '', message = String(error) } = error as { code?: string; message?: string };
  if (code === 'UND_ERR_DESTROYED' || code === 'UND_ERR_CLOSED') return closed(peer, error);
  if (code === 'UND_ERR_BODY_TIMEOUT' || code === 'UND_ERR_HEADERS_TIMEOUT') {
    return new KubeError('connection-lost', `${peer.server} fell silent and is taken for gone. Connect again.`, {
      cause: error,
    });
  }
  if (code === 'UND_ERR_INVALID_ARG') {
    return new KubeError('bad-request', `The request cannot be sent: ${message}. Correct its path, headers or body.`, {
      cause: error,
    });
  }
  const [kind, problem, remedy] = remedyFor(code, message, sent)(peer);
  return new KubeError(kind, `${capital(problem)} (${reason(code, message)}). ${remedy}.`, { cause: error });
}

function remedyFor(code: string, message: string, sent: boolean): Remedy {
  // Reset in the middle of the handshake: nothing was sent, so it is no answer that was lost.
  if (!sent && (code === 'ECONNRESET' || code === 'UND_ERR_SOCKET' || code === 'EPIPE')) return noRoute;
  const remedy = known[code];
  if (remedy) return remedy;
  if (code.startsWith('HPE_')) return notHttp;
  if (code.startsWith('ERR_SSL') || code.startsWith('ERR_TLS') || code.startsWith('CERT_')) return handshake;
  if (/TLS|SSL|certificate/i.test(message) && !sent) return handshake;
  return sent ? lost : noRoute;
}

function closed(peer: Peer, cause: unknown): KubeError {
  return new KubeError('aborted', `The transport to ${peer.server} was closed. Create a new one.`, { cause });
}

export function closedError(peer: Peer): KubeError {
  return closed(peer, undefined);
}

export function timeoutError(what: string, ms: number, peer: Peer, last: KubeError | undefined): KubeError {
  const why = last === undefined ? '' : ` Last failure: ${last.message}`;
  return new KubeError(
    'timeout',
    `${what} at ${peer.server} was not answered within ${ms} ms. Raise the deadline, or see why the server is slow.${why}`,
    { cause: last },
  );
}

export function abortedError(what: string, signal: AbortSignal): KubeError {
  // AbortSignal.timeout() is a deadline, whoever set it.
  const reason: unknown = signal.reason;
  if (reason instanceof Error && reason.name === 'TimeoutError') {
    return new KubeError('timeout', `${what} was not done when the deadline of its caller passed.`, { cause: reason });
  }
  return new KubeError('aborted', `${what} was aborted by its caller.`, { cause: reason });
}

function reason(code: string, message: string): string {
  const short = message.split('\n')[0]?.slice(0, 200) ?? '';
  return code === '' || short.includes(code) ? short : `${code}: ${short}`;
}

function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
