import { randomInt } from 'node:crypto';
import { createServer } from 'node:net';
import { ControlPlaneError } from '../errors.ts';

/**
 * A port that nothing listens on, below the range from which the kernel serves outgoing connections: a server that is
 * killed and started again must find its port still free.
 */
export async function freePort(host = '127.0.0.1'): Promise<number> {
  for (let attempt = 0; attempt < 100; attempt += 1) {
    const port = randomInt(20_000, 32_000);
    if (!taken.has(port) && (await canListen(host, port))) {
      taken.add(port);
      return port;
    }
  }
  throw new ControlPlaneError('NOT_READY', `No free port on ${host} between 20000 and 32000 after 100 tries.`);
}

/** Ports handed out but perhaps not listened on yet. */
const taken = new Set<number>();

function canListen(host: string, port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', () => resolve(false));
    server.listen({ host, port, exclusive: true }, () => server.close(() => resolve(true)));
  });
}
