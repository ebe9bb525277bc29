import { createServer as createHttpServer, type RequestListener, type Server } from 'node:http';
import { createServer as createHttpsServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { KubeError } from '../errors.ts';

export interface ListenOptions {
  readonly port: number;
  /** Default: all addresses. */
  readonly host?: string | undefined;
  readonly tls?: { readonly key: string; readonly cert: string } | undefined;
}

export interface Listener {
  readonly address: AddressInfo;
  close(): Promise<void>;
}

/** A small HTTP server that is either listening or was never there. */
export async function listen(what: string, options: ListenOptions, handler: RequestListener): Promise<Listener> {
  // Small answers to machines: nobody here needs long to ask.
  const limits = { requestTimeout: 10_000, headersTimeout: 5_000, keepAliveTimeout: 5_000, maxHeaderSize: 16_384 };
  const server: Server = options.tls
    ? createHttpsServer({ ...limits, ...options.tls, minVersion: 'TLSv1.2' }, handler)
    : createHttpServer(limits, handler);
  await new Promise<void>((resolve, reject) => {
    server.once('error', (cause) =>
      reject(
        new KubeError('bad-config', `the ${what} listener cannot use port ${options.port}: ${cause.message}`, {
          cause,
        }),
      ),
    );
    server.listen(options.port, options.host, resolve);
  });
  return {
    address: server.address() as AddressInfo,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

/** The path alone. A query is ignored; nothing of the request is ever resolved against a base. */
export function pathOf(url: string | undefined): string {
  return (url ?? '').split('?', 1)[0] ?? '';
}
