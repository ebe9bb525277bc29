import { createServer, type Server } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { afterEach, expect, it } from 'vitest';
import { parseEnvelopes } from '../testing/runtime.ts';
import { ServerStream } from './stream.ts';

let server: Server | undefined;

afterEach(() => {
  server?.closeAllConnections();
  server?.close();
});

/** Answers every request with a stream that the test drives. */
async function serve(stallMs: number): Promise<{ port: number; next: Promise<ServerStream> }> {
  const made = Promise.withResolvers<ServerStream>();
  const listening = createServer((_, response) =>
    made.resolve(new ServerStream(response, 'json', 'application/connect+json', stallMs)),
  );
  server = listening;
  await new Promise<void>((resolve) => listening.listen(0, '127.0.0.1', resolve));
  return { port: (listening.address() as AddressInfo).port, next: made.promise };
}

it('ends a client that takes nothing at all, and tells it why when it reads again', async () => {
  const { port, next } = await serve(300);
  const socket = connect(port, '127.0.0.1');
  socket.pause();
  socket.write('POST / HTTP/1.1\r\nhost: x\r\ncontent-length: 0\r\n\r\n');
  const stream = await next;
  const ended = new Promise<void>((resolve) => stream.onClose(resolve));
  const block = Buffer.alloc(64 * 1024, 'x');
  const fill = (): void => {
    while (stream.write(block) && stream.open) {
      // Until the kernel and Node have taken what they take.
    }
  };
  stream.onDrain(fill);
  fill();
  await ended;
  expect(stream.open).toBe(false);
  let tail = Buffer.alloc(0);
  socket.on('data', (chunk) => {
    tail = Buffer.concat([tail, chunk]).subarray(-400);
  });
  socket.resume();
  await new Promise((resolve) => socket.once('close', resolve));
  expect(tail.toString('latin1')).toContain('resource_exhausted');
});

it('writes exactly one end envelope', async () => {
  const { port, next } = await serve(60_000);
  const answer = fetch(`http://127.0.0.1:${port}/`, { method: 'POST' });
  const stream = await next;
  stream.end();
  stream.end();
  const { messages } = parseEnvelopes(Buffer.from(await (await answer).arrayBuffer()));
  expect(messages).toEqual([{ flags: 2, message: {} }]);
});

it('tells when the client is gone', async () => {
  const { port, next } = await serve(60_000);
  const socket = connect(port, '127.0.0.1');
  socket.write('POST / HTTP/1.1\r\nhost: x\r\ncontent-length: 0\r\n\r\n');
  const stream = await next;
  const gone = new Promise<void>((resolve) => stream.onClose(resolve));
  socket.destroy();
  await gone;
  expect(stream.open).toBe(false);
});
