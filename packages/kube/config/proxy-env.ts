import { BlockList, isIP } from 'node:net';
import { isLoopback } from './cluster-config.ts';

export type Env = Readonly<Record<string, string | undefined>>;

/**
 * The proxy that the environment asks for, by the rules that kubectl users know: HTTPS_PROXY (or HTTP_PROXY for plain
 * HTTP), either case, unless NO_PROXY names the host; loopback never goes through a proxy.
 */
export function proxyFromEnv(server: URL, env: Env): string | undefined {
  const proxy =
    server.protocol === 'https:'
      ? (env['HTTPS_PROXY'] ?? env['https_proxy'])
      : (env['HTTP_PROXY'] ?? env['http_proxy']);
  if (!proxy || isLoopback(server) || excluded(server, env['NO_PROXY'] ?? env['no_proxy'] ?? '')) return undefined;
  return proxy.includes('://') ? proxy : `http://${proxy}`;
}

function excluded(server: URL, noProxy: string): boolean {
  const host = server.hostname.replace(/^\[|\]$/g, '').toLowerCase();
  const port = server.port || (server.protocol === 'https:' ? '443' : '80');
  return noProxy
    .split(',')
    .map((entry) => entry.trim().toLowerCase())
    .filter((entry) => entry !== '')
    .some((entry) => matches(entry, host, port));
}

function matches(entry: string, host: string, port: string): boolean {
  if (entry === '*') return true;
  if (entry.includes('/')) return inRange(entry, host);
  const [, name = entry, onlyPort] = /^(.*?)(?::(\d+))?$/.exec(entry) ?? [];
  if (isIP(entry) !== 0) return entry === host;
  if (onlyPort !== undefined && onlyPort !== port) return false;
  const domain = name.replace(/^\*?\./, '');
  return host === domain || host.endsWith(`.${domain}`);
}

function inRange(cidr: string, host: string): boolean {
  const [base = '', bits = ''] = cidr.split('/');
  const family = isIP(base);
  if (family === 0 || isIP(host) !== family || !/^\d+$/.test(bits) || Number(bits) > (family === 4 ? 32 : 128))
    return false;
  const type = family === 4 ? 'ipv4' : 'ipv6';
  const range = new BlockList();
  range.addSubnet(base, Number(bits), type);
  return range.check(host, type);
}
