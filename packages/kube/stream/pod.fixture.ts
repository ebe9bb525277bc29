import type { IncomingMessage } from 'node:http';
import type WebSocket from 'ws';
import { WebSocketServer } from 'ws';
import type { TestApi } from '../transport/api.fixture.ts';
import { startApi } from '../transport/api.fixture.ts';
import type { Transport } from '../transport/contract.ts';
import { createTransport } from '../transport/http.ts';

export interface TestPod extends AsyncDisposable {
  readonly api: TestApi;
  readonly transport: Transport;
}

/** An API server whose only pod does what the test says with each WebSocket. */
export async function startPod(
  protocols: readonly string[],
  onSocket: (socket: WebSocket, request: IncomingMessage) => void,
): Promise<TestPod> {
  const api = await startApi(() => undefined);
  const server = new WebSocketServer({ noServer: true });
  // By hand, since ws refuses the slash in SPDY/3.1. Like the API server: the first of the client's that it knows.
  server.on('headers', (headers, request) => {
    const taken = offeredBy(request).find((one) => protocols.includes(one));
    if (taken !== undefined) headers.push(`Sec-WebSocket-Protocol: ${taken}`);
  });
  api.server.on('upgrade', (request, socket, head) => {
    offers.set(request, request.headers['sec-websocket-protocol'] ?? '');
    delete request.headers['sec-websocket-protocol'];
    server.handleUpgrade(request, socket, head, (accepted) => onSocket(accepted, request));
  });
  const transport = createTransport(api.config());
  return {
    api,
    transport,
    async [Symbol.asyncDispose]() {
      await transport.close();
      for (const socket of server.clients) socket.terminate();
      await api[Symbol.asyncDispose]();
    },
  };
}

const offers = new WeakMap<IncomingMessage, string>();

function offeredBy(request: IncomingMessage): string[] {
  return (offers.get(request) ?? '').split(',').map((one) => one.trim());
}
