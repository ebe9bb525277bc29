import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { connect, createServer } from 'node:net';
import { buffer, text } from 'node:stream/consumers';
import { setImmediate } from 'node:timers/promises';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { FrameDecoder } from './decoder.ts';
import { duplexLink } from './duplex-link.ts';
import type { Frame } from './frame.ts';
import { resetStatus } from './frame.ts';
import { linkPair } from './link.fixture.ts';
import type { SpdyLink, SpdyOptions } from './session.ts';
import { SpdySession } from './session.ts';
import type { SpdyStream } from './stream.ts';

type Half = Omit<SpdyOptions, 'side' | 'link'>;

function sessions(server: Half = {}, client: Half = {}, links: [SpdyLink, SpdyLink] = linkPair()) {
  return {
    client: new SpdySession({ side: 'client', link: links[0], ...client }),
    server: new SpdySession({ side: 'server', link: links[1], ...server }),
  };
}

const echo = (stream: SpdyStream): void => {
  void stream.reply({ status: 'ok' });
  stream.pipe(stream);
};

test('a stream carries headers, data both ways, and ends each way by itself', async () => {
  const { client } = sessions({ onStream: echo });
  const stream = client.open({ streamtype: 'data', port: '80' });
  stream.end('hello');
  expect(await text(stream)).toBe('hello');
  expect({ ...(await stream.replied) }).toEqual({ status: 'ok' });
});

test.each([true, false])('random traffic on many streams arrives whole (windows kept: %s)', async (flowControl) => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.array(fc.integer({ min: 0, max: 90_000 }), { maxLength: 4 }), { minLength: 1, maxLength: 5 }),
      fc.integer({ min: 300, max: 40_000 }),
      async (streams, piece) => {
        const cut = (data: Buffer): Buffer[] => {
          const parts: Buffer[] = [];
          for (let at = 0; at < data.length; at += piece) parts.push(data.subarray(at, at + piece));
          return parts;
        };
        const { client, server } = sessions({ onStream: echo, flowControl }, { flowControl }, linkPair(cut));
        await Promise.all(
          streams.map(async (sizes, index) => {
            const stream = client.open({ requestid: String(index) });
            const sent = sizes.map((size) => Buffer.alloc(size, index + 1));
            const received = buffer(stream);
            for (const chunk of sent) if (!stream.write(chunk)) await once(stream, 'drain');
            stream.end();
            expect((await received).equals(Buffer.concat(sent))).toBe(true);
          }),
        );
        client.close();
        await server.closed;
      },
    ),
    { numRuns: 25 },
  );
});

describe('flow control', () => {
  test('a sender stops at the window of a reader that does not read, and goes on when it does', async () => {
    const opened = Promise.withResolvers<SpdyStream>();
    const meter = metered();
    const { client } = sessions(
      { onStream: opened.resolve, flowControl: true, windowBytes: 64 * 1024 },
      {},
      meter.links,
    );
    await client.ping();
    const stream = client.open({});
    const server = await opened.promise;
    const total = 1_000_000;
    stream.end(Buffer.alloc(total));
    await settled();
    expect(meter.bytes).toBeLessThan(2 * 64 * 1024);
    expect(stream.writableFinished).toBe(false);
    expect(await buffer(server)).toHaveLength(total);
  });

  test('a reader that stands still does not stop another stream', async () => {
    const streams: SpdyStream[] = [];
    const { client } = sessions({ onStream: (stream) => streams.push(stream), flowControl: true });
    await client.ping();
    const [stuck, lively] = [client.open({}), client.open({})];
    stuck.end(Buffer.alloc(500_000));
    lively.end(Buffer.alloc(500_000));
    await settled();
    const [unread, read] = streams;
    if (!unread || !read) throw new Error('the server did not see both streams');
    expect(await buffer(read)).toHaveLength(500_000);
    expect(stuck.writableFinished).toBe(false);
    expect(await buffer(unread)).toHaveLength(500_000);
  });

  test('a peer that keeps no windows is held back by not reading from it', async () => {
    const opened = Promise.withResolvers<SpdyStream>();
    const meter = metered();
    // Kubernetes' own clients: they send without looking at windows, and read none of ours.
    const { client } = sessions({ onStream: opened.resolve }, {}, meter.links);
    const stream = client.open({});
    stream.end(Buffer.alloc(2_000_000));
    const server = await opened.promise;
    await settled();
    expect(meter.bytes).toBeLessThan(200_000);
    expect(await buffer(server)).toHaveLength(2_000_000);
  });

  test('a smaller initial window of the peer binds streams that are open already', async () => {
    const opened = Promise.withResolvers<SpdyStream>();
    const meter = metered();
    const { client } = sessions({ onStream: opened.resolve, flowControl: true, windowBytes: 1000 }, {}, meter.links);
    const stream = client.open({});
    await client.ping();
    stream.end(Buffer.alloc(500_000));
    const server = await opened.promise;
    await settled();
    expect(meter.bytes).toBeLessThan(100_000);
    expect(await buffer(server)).toHaveLength(500_000);
  });
});

test('ping is answered by either side', async () => {
  const { client, server } = sessions();
  await client.ping();
  await server.ping();
});

test('reset ends the stream on the other side with the reason, and only that stream', async () => {
  const streams: SpdyStream[] = [];
  const { client } = sessions({ onStream: (stream) => streams.push(stream) });
  const [first, second] = [client.open({}), client.open({})];
  await client.ping();
  streams[0]?.reset(resetStatus.refusedStream);
  const [error] = await once(first, 'error');
  expect(error).toMatchObject({ code: 'connection-lost', message: expect.stringContaining('refusedStream') });
  await expect(first.replied).rejects.toBe(error);
  second.end('x');
  expect(streams[1] && (await text(streams[1]))).toBe('x');
});

test('destroying a stream tells the peer', async () => {
  const opened = Promise.withResolvers<SpdyStream>();
  const { client } = sessions({ onStream: opened.resolve });
  const stream = client.open({});
  const server = await opened.promise;
  stream.destroy();
  const [error] = await once(server, 'error');
  expect(error).toMatchObject({ message: expect.stringContaining('cancel') });
});

test('streams beyond the limit, and any on a session that takes none, are refused', async () => {
  const taken: SpdyStream[] = [];
  const { client } = sessions({ onStream: (stream) => taken.push(stream), maxStreams: 1 });
  client.open({});
  const second = client.open({});
  await expect(once(second, 'end')).rejects.toMatchObject({ code: 'connection-lost' });
  expect(taken).toHaveLength(1);
});

test('after GOAWAY what is open may end, nothing new may begin', async () => {
  const [near, far] = linkPair();
  const frames: Frame[] = [];
  const client = new SpdySession({ side: 'client', link: near });
  const stream = client.open({});
  void collect(far, frames);
  // GOAWAY with last good stream 1, then data and FIN for it.
  await far.send(Buffer.from('80030007000000080000000100000000', 'hex'));
  await settled();
  expect(() => client.open({})).toThrow(/ended the SPDY session/);
  await far.send(Buffer.concat([Buffer.from('0000000101000002', 'hex'), Buffer.from('ok')]));
  expect(await text(stream)).toBe('ok');
});

test('closing says goodbye, ends the peer and its streams', async () => {
  const opened = Promise.withResolvers<SpdyStream>();
  const { client, server } = sessions({ onStream: opened.resolve });
  client.open({}).on('error', () => undefined);
  const stream = await opened.promise;
  const failed = once(stream, 'error');
  client.close();
  await server.closed;
  expect((await failed)[0]).toMatchObject({ code: 'connection-lost' });
  expect(() => client.open({})).toThrow(/closed on this side/);
  await expect(client.ping()).rejects.toMatchObject({ code: 'aborted' });
});

test('a peer that breaks the protocol ends the session with an error', async () => {
  const [near, far] = linkPair();
  const client = new SpdySession({ side: 'client', link: near });
  const frames: Frame[] = [];
  const reading = collect(far, frames);
  await far.send(Buffer.from('80020001000000', 'hex').fill(0xff, 2, 4));
  await far.send(Buffer.from('00', 'hex'));
  await expect(client.closed).rejects.toMatchObject({ code: 'bad-response' });
  await reading;
  expect(frames.at(-1)).toMatchObject({ type: 'goaway', status: 1 });
});

test('works over a TCP socket', async () => {
  await using server = createServer((socket) => {
    new SpdySession({ side: 'server', link: duplexLink(socket), onStream: echo });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const socket = connect((server.address() as AddressInfo).port, '127.0.0.1');
  const client = new SpdySession({ side: 'client', link: duplexLink(socket) });
  const stream = client.open({});
  stream.end(Buffer.alloc(3_000_000, 1));
  expect(await buffer(stream)).toHaveLength(3_000_000);
  client.close();
  socket.destroy();
});

async function settled(): Promise<void> {
  for (let turn = 0; turn < 50; turn += 1) await setImmediate();
}

async function collect(link: SpdyLink, frames: Frame[]): Promise<void> {
  const decoder = new FrameDecoder();
  for await (const chunk of link.messages) frames.push(...decoder.push(chunk));
}

/** A pair of links that counts what the server side has read. */
function metered(): { links: [SpdyLink, SpdyLink]; bytes: number } {
  const [near, far] = linkPair();
  const meter = { links: [near, far] as [SpdyLink, SpdyLink], bytes: 0 };
  async function* counted(): AsyncGenerator<Buffer> {
    for await (const message of far.messages) {
      meter.bytes += message.length;
      yield message;
    }
  }
  meter.links[1] = { ...far, messages: counted() };
  return meter;
}
