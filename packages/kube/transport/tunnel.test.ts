import { once } from 'node:events';
import { createServer as createHttpServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { connect, createServer, type Socket } from 'node:net';
import { expect, test } from 'vitest';
import { answer, startApi } from './api.fixture.ts';
import { createTransport } from './http.ts';

const get = { method: 'GET', path: '/version' } as const;

interface TestProxy extends AsyncDisposable {
  readonly port: number;
  readonly asked: string[];
}

/** A CONNECT proxy that wants a password and allows what `allow` says. */
async function httpProxy(allow: (target: string) => boolean = () => true): Promise<TestProxy> {
  const asked: string[] = [];
  const server = createHttpServer();
  server.on('connect', (request, socket: Socket) => {
    socket.on('error', () => undefined);
    asked.push(`${request.url} ${request.headers['proxy-authorization'] ?? ''}`.trim());
    if (!allow(request.url ?? '')) {
      socket.end('HTTP/1.1 403 Forbidden\r\n\r\n');
      return;
    }
    const [host = '', port = ''] = (request.url ?? '').split(':');
    const upstream = connect(Number(port), host, () => {
      socket.write('HTTP/1.1 200 OK\r\n\r\n');
      socket.pipe(upstream).pipe(socket);
    });
    upstream.on('error', () => socket.destroy());
  });
  return listening(server, asked);
}

/** A SOCKS5 proxy that knows `api.test`, which no DNS knows. */
async function socksProxy(password: string | undefined): Promise<TestProxy> {
  const asked: string[] = [];
  const server = createServer((socket) => {
    socket.on('error', () => undefined);
    void serveSocks(socket, password, asked);
  });
  return listening(server, asked);
}

async function serveSocks(socket: Socket, password: string | undefined, asked: string[]): Promise<void> {
  const next = async (): Promise<Buffer> => (await once(socket, 'data'))[0] as Buffer;
  const methods = await next();
  const wanted = password === undefined ? 0 : 2;
  socket.write(Buffer.of(5, methods.subarray(2).includes(wanted) ? wanted : 255));
  if (wanted === 2) {
    const login = await next();
    socket.write(Buffer.of(1, login.includes(password ?? '') ? 0 : 1));
  }
  const request = await next();
  const length = request[4] ?? 0;
  const host = request[3] === 3 ? request.toString('utf8', 5, 5 + length) : [...request.subarray(4, 8)].join('.');
  const port = request.readUInt16BE(request.length - 2);
  asked.push(`${host}:${port}`);
  const upstream = connect(port, '127.0.0.1', () => {
    socket.write(Buffer.of(5, 0, 0, 1, 0, 0, 0, 0, 0, 0));
    socket.pipe(upstream).pipe(socket);
  });
  upstream.on('error', () => socket.destroy());
}

async function listening(server: ReturnType<typeof createServer>, asked: string[]): Promise<TestProxy> {
  const sockets = new Set<Socket>();
  server.on('connection', (socket: Socket) => sockets.add(socket));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    port: (server.address() as AddressInfo).port,
    asked,
    async [Symbol.asyncDispose]() {
      const closed = once(server, 'close');
      server.close();
      for (const socket of sockets) socket.destroy();
      await closed;
    },
  };
}

test('requests go through an HTTP proxy by CONNECT, with its own login', async () => {
  await using api = await startApi((_, response) => answer(response, 200, '{}'));
  await using proxy = await httpProxy();
  const transport = createTransport(api.config({ proxyUrl: `http://me:p%40ss@127.0.0.1:${proxy.port}` }));
  expect((await transport.request(get)).status).toBe(200);
  await transport.close();
  expect(proxy.asked).toEqual([`${new URL(api.url).host} Basic ${Buffer.from('me:p@ss').toString('base64')}`]);
});

test('a proxy that refuses is named', async () => {
  await using api = await startApi(() => undefined);
  await using proxy = await httpProxy(() => false);
  const transport = createTransport(api.config({ proxyUrl: `http://127.0.0.1:${proxy.port}` }), {
    retry: { retries: 0 },
  });
  await expect(transport.request(get)).rejects.toMatchObject({
    code: 'unreachable',
    message: expect.stringMatching(/The proxy http:\/\/127.* it answered 403.*Check proxy-url/),
  });
  await transport.close();
});

test('a proxy that is not there is named', async () => {
  await using api = await startApi(() => undefined);
  const proxy = await httpProxy();
  await proxy[Symbol.asyncDispose]();
  const transport = createTransport(api.config({ proxyUrl: `http://127.0.0.1:${proxy.port}` }), {
    retry: { retries: 0 },
  });
  await expect(transport.request(get)).rejects.toMatchObject({
    code: 'unreachable',
    message: expect.stringMatching(/The proxy .*ECONNREFUSED/),
  });
  await transport.close();
});

test.each([undefined, 'secret'])('SOCKS5 gets the name, not the address (password: %s)', async (password) => {
  await using api = await startApi((_, response) => answer(response, 200, '{}'));
  await using proxy = await socksProxy(password);
  const { port } = new URL(api.url);
  const login = password === undefined ? '' : `me:${password}@`;
  const transport = createTransport(
    api.config({ server: `https://api.test:${port}`, proxyUrl: `socks5://${login}127.0.0.1:${proxy.port}` }),
  );
  expect((await transport.request(get)).status).toBe(200);
  await transport.close();
  expect(proxy.asked).toEqual([`api.test:${port}`]);
});

test('a SOCKS5 proxy that wants a password says so', async () => {
  await using api = await startApi(() => undefined);
  await using proxy = await socksProxy('secret');
  const transport = createTransport(api.config({ proxyUrl: `socks5://me:wrong@127.0.0.1:${proxy.port}` }), {
    retry: { retries: 0 },
  });
  await expect(transport.request(get)).rejects.toMatchObject({
    code: 'unreachable',
    message: expect.stringContaining('refused the user name and password'),
  });
  await transport.close();
});
