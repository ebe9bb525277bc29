import { type AddressInfo, connect, createServer } from 'node:net';
import { expect, it } from 'vitest';
import { silentLog } from '../server/log.ts';
import { eventually } from '../testing/runtime.ts';
import { PortForwarder } from './forwarder.ts';

/** 127.0.0.2 stands for the pod's address: reachable here without any set-up. */
const podAddress = '127.0.0.2';

function ask(port: number): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect({ host: podAddress, port, allowHalfOpen: true });
    let text = '';
    socket.setEncoding('utf8');
    socket.on('data', (chunk) => {
      text += chunk;
    });
    socket.on('error', reject);
    socket.on('end', () => resolve(text));
    socket.end('hello');
  });
}

it('makes a port of loopback reachable while it listens, with half-closed connections', async () => {
  const echo = createServer({ allowHalfOpen: true }, (socket) => socket.pipe(socket));
  await new Promise<void>((resolve) => echo.listen(0, '127.0.0.1', resolve));
  const { port } = echo.address() as AddressInfo;
  let listening = [{ address: '127.0.0.1', port, inode: 1 }];
  const forwarder = new PortForwarder({
    address: podAddress,
    except: new Set([1]),
    log: silentLog,
    listeners: () => [...listening, { address: '127.0.0.1', port: 1, inode: 2 }],
  });
  forwarder.scan();
  expect(forwarder.ports).toEqual([port]);
  expect(await eventually('an answer through the forwarder', () => ask(port).catch(() => undefined))).toBe('hello');
  listening = [];
  forwarder.scan();
  expect(forwarder.ports).toEqual([]);
  await expect(ask(port)).rejects.toThrow();
  forwarder.close();
  echo.close();
});
