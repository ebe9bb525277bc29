/** Who may ask for what: the access token, the state before there is one, and the Basic user. e2b 3.1 */
import type { IncomingMessage } from 'node:http';
import type { SandboxState } from '../server/state.ts';

export const unauthorized = 'unauthorized access, please provide a valid access token or method signing if supported';

/** Exact on method and path: a trailing slash or HEAD is not covered. Files are checked by their own routes. */
const open = new Set(['GET /health', 'POST /init', 'GET /files', 'POST /files']);
const openBeforeInit = new Set(['GET /health', 'POST /init']);

export interface AccessRules {
  readonly state: SandboxState;
  /** `--insecure-no-token`: answers everybody until a token is set. */
  readonly insecureNoToken: boolean;
}

export function mayAsk(rules: AccessRules, request: IncomingMessage, path: string): boolean {
  const route = `${request.method} ${path}`;
  const { token } = rules.state;
  if (token === undefined) {
    return rules.insecureNoToken || isLoopback(request) || openBeforeInit.has(route);
  }
  if (open.has(route)) return true;
  const given = request.headers['x-access-token'];
  return typeof given === 'string' && token.matches(given);
}

/** A unix socket is a bridge for somebody outside: it does not count as loopback. */
function isLoopback(request: IncomingMessage): boolean {
  const address = request.socket.remoteAddress;
  if (address === undefined) return false;
  return address === '::1' || address.startsWith('127.') || address.startsWith('::ffff:127.');
}

/** The user part of a Basic header; undefined for none and for other schemes, which are ignored. */
export function basicUser(header: string | undefined): string | undefined {
  if (header === undefined || !/^basic /i.test(header)) return undefined;
  const decoded = Buffer.from(header.slice(6).trim(), 'base64').toString('utf8');
  const colon = decoded.indexOf(':');
  return colon === -1 ? undefined : decoded.slice(0, colon);
}
