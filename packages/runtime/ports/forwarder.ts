/** Makes what listens on loopback only reachable on the pod's address, a second after it began to listen. e2b 3.6 */
import { connect, createServer, type Server, type Socket } from 'node:net';
import type { Log } from '../server/log.ts';
import { isLoopback, type Listener, readListeners } from './listeners.ts';

const scanMs = 1000;

export interface ForwarderOptions {
  readonly address: string;
  /** Ports that must stay where they are: our own listeners. */
  readonly except: ReadonlySet<number>;
  readonly log: Log;
  readonly listeners?: () => Listener[];
}

export class PortForwarder {
  readonly #options: ForwarderOptions;
  readonly #servers = new Map<number, { server: Server; sockets: Set<Socket> }>();
  #timer: NodeJS.Timeout | undefined;

  constructor(options: ForwarderOptions) {
    this.#options = options;
  }

  start(): void {
    this.#timer = setInterval(() => this.scan(), scanMs);
    this.#timer.unref();
  }

  close(): void {
    clearInterval(this.#timer);
    for (const port of [...this.#servers.keys()]) this.#stop(port);
  }

  get ports(): number[] {
    return [...this.#servers.keys()];
  }

  /** One look at what listens; called every second. */
  scan(): void {
    const wanted = new Map<number, string>();
    const taken = new Set<number>();
    for (const { address, port } of (this.#options.listeners ?? readListeners)()) {
      if (this.#options.except.has(port)) continue;
      if (isLoopback(address)) wanted.set(port, wanted.get(port) ?? address);
      // Reachable already. Our own forwarder is such a listener too, and the one that may stay.
      else if (!this.#servers.has(port)) taken.add(port);
    }
    for (const port of [...this.#servers.keys()]) if (!wanted.has(port)) this.#stop(port);
    for (const [port, target] of wanted) {
      if (!taken.has(port) && !this.#servers.has(port)) this.#begin(port, target);
    }
  }

  #begin(port: number, target: string): void {
    const sockets = new Set<Socket>();
    const server = createServer({ allowHalfOpen: true, noDelay: true }, (client) => {
      const upstream = connect({ host: target, port, allowHalfOpen: true, noDelay: true });
      for (const socket of [client, upstream]) {
        sockets.add(socket);
        socket.once('close', () => {
          sockets.delete(socket);
          client.destroy();
          upstream.destroy();
        });
        socket.on('error', () => socket.destroy());
      }
      client.pipe(upstream);
      upstream.pipe(client);
    });
    this.#servers.set(port, { server, sockets });
    server.on('error', (error) => {
      this.#options.log.debug('port not forwarded', { port, error });
      this.#stop(port);
    });
    server.listen({ host: this.#options.address, port });
    server.unref();
  }

  #stop(port: number): void {
    const found = this.#servers.get(port);
    if (found === undefined) return;
    this.#servers.delete(port);
    found.server.close();
    for (const socket of found.sockets) socket.destroy();
  }
}
