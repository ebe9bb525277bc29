import { request as httpRequest } from 'node:http';
import { request as httpsRequest } from 'node:https';
import { connect, isIP, type Socket } from 'node:net';
import { KubeError } from '../errors.ts';

/** A TCP connection to `host:port` through a proxy: HTTP CONNECT, or SOCKS5 (RFC 1928, 1929). */
export function openTunnel(proxy: URL, host: string, port: number, timeoutMs: number): Promise<Socket> {
  return proxy.protocol === 'socks5:'
    ? socks(proxy, host, port, timeoutMs)
    : connectMethod(proxy, host, port, timeoutMs);
}

function refused(proxy: URL, why: string, cause?: unknown): KubeError {
  return new KubeError(
    'unreachable',
    `The proxy ${proxy.protocol}//${proxy.host} made no connection: ${why}. Check proxy-url and what the proxy allows.`,
    { cause },
  );
}

function connectMethod(proxy: URL, host: string, port: number, timeoutMs: number): Promise<Socket> {
  const authority = `${host.includes(':') ? `[${host}]` : host}:${port}`;
  const headers: Record<string, string> = { host: authority };
  if (proxy.username !== '')
    headers['proxy-authorization'] = `Basic ${Buffer.from(login(proxy).join(':')).toString('base64')}`;
  return new Promise((resolve, reject) => {
    const call = (proxy.protocol === 'https:' ? httpsRequest : httpRequest)({
      host: proxy.hostname.replace(/^\[|\]$/g, ''),
      port: proxy.port || (proxy.protocol === 'https:' ? 443 : 80),
      method: 'CONNECT',
      path: authority,
      headers,
      agent: false,
      timeout: timeoutMs,
    });
    call.once('connect', (answer, socket, head) => {
      if (answer.statusCode !== 200) {
        socket.destroy();
        return reject(refused(proxy, `it answered ${answer.statusCode} ${answer.statusMessage}`));
      }
      socket.setTimeout(0);
      if (head.length > 0) socket.unshift(head);
      resolve(socket as Socket);
    });
    call.once('response', (answer) => {
      answer.resume();
      reject(refused(proxy, `it answered ${answer.statusCode} to CONNECT`));
    });
    call.once('timeout', () => call.destroy(refused(proxy, `it did not answer within ${timeoutMs} ms`)));
    call.once('error', (cause) => reject(cause instanceof KubeError ? cause : refused(proxy, cause.message, cause)));
    call.end();
  });
}

function login(proxy: URL): [string, string] {
  return [decodeURIComponent(proxy.username), decodeURIComponent(proxy.password)];
}

const socksReplies = [
  'done',
  'general failure',
  'not allowed by its rules',
  'network unreachable',
  'host unreachable',
  'connection refused',
  'time to live expired',
  'command not supported',
  'address type not supported',
];

async function socks(proxy: URL, host: string, port: number, timeoutMs: number): Promise<Socket> {
  const socket = connect({ host: proxy.hostname.replace(/^\[|\]$/g, ''), port: Number(proxy.port || 1080) });
  socket.setTimeout(timeoutMs, () => socket.destroy(refused(proxy, `it did not answer within ${timeoutMs} ms`)));
  try {
    const [user, password] = login(proxy);
    socket.write(user === '' ? Buffer.of(5, 1, 0) : Buffer.of(5, 2, 0, 2));
    const [, method] = await take(socket, 2);
    if (method === 2) {
      const parts = [user, password].map((text) => Buffer.from(text));
      socket.write(Buffer.concat([Buffer.of(1), ...parts.flatMap((part) => [Buffer.of(part.length), part])]));
      if ((await take(socket, 2))[1] !== 0) throw refused(proxy, 'it refused the user name and password');
    } else if (method !== 0) {
      throw refused(proxy, 'it takes none of the offered ways to log in');
    }
    // Names are sent as names: the proxy may know hosts that this machine's DNS does not.
    const name = Buffer.from(host);
    const address =
      isIP(host) === 4
        ? Buffer.of(1, ...host.split('.').map(Number))
        : Buffer.concat([Buffer.of(3, name.length), name]);
    socket.write(Buffer.concat([Buffer.of(5, 1, 0), address, Buffer.of(port >> 8, port & 0xff)]));
    const [, reply = 1, , type] = await take(socket, 4);
    if (reply !== 0) throw refused(proxy, socksReplies[reply] ?? `reply ${reply}`);
    const length = type === 1 ? 4 : type === 4 ? 16 : ((await take(socket, 1))[0] ?? 0);
    await take(socket, length + 2);
    socket.setTimeout(0);
    return socket;
  } catch (cause) {
    socket.destroy();
    throw cause instanceof KubeError ? cause : refused(proxy, (cause as Error).message, cause);
  }
}

/** Exactly `count` bytes, leaving what follows in the socket for whoever comes next. */
function take(socket: Socket, count: number): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const settle = (): void => {
      const bytes = socket.read(count) as Buffer | null;
      if (bytes === null && !socket.readableEnded && !socket.destroyed) return;
      stop();
      if (bytes !== null && bytes.length === count) resolve(bytes);
      else reject(socket.errored ?? new Error('it closed the connection'));
    };
    const fail = (error: Error): void => {
      stop();
      reject(error);
    };
    const stop = (): void => {
      socket.off('readable', settle).off('end', settle).off('close', settle).off('error', fail);
    };
    socket.on('readable', settle).on('end', settle).on('close', settle).on('error', fail);
    settle();
  });
}
