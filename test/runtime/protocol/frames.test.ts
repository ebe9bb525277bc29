import { connect } from 'node:net';
import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { basic, envelope, json, open, send, start, stream, unary } from '../wire.ts';
import { missingForWorlds } from '../world/world.ts';
import { useWorld } from './use-world.ts';

const START = '/process.Process/Start';
const STREAM = { 'content-type': 'application/connect+json', 'connect-protocol-version': '1', ...basic('user') };

describe.skipIf(missingForWorlds() !== undefined)('Connect frames', () => {
  const at = useWorld();

  /** Posts bytes to Start and gives the messages. */
  async function post(body: Buffer, headers: Record<string, string> = {}) {
    const opened = open(at.url, { method: 'POST', path: START, headers: { ...STREAM, ...headers }, body });
    const { status } = await opened.head();
    await opened.finished();
    return { status, messages: opened.messages };
  }
  const code = (messages: { message: unknown }[]) =>
    (messages.at(-1)?.message as { error?: { code?: string } } | undefined)?.error?.code;
  const alive = async () => expect((await send(at.url, { method: 'GET', path: '/health' })).status).toBe(204);

  it.each<[string, Buffer, string]>([
    ['no bytes at all', Buffer.alloc(0), 'unimplemented'],
    ['a head that is cut after 1 byte', Buffer.from([0]), 'invalid_argument'],
    ['a head that is cut after 4 bytes', Buffer.from([0, 0, 0, 0]), 'invalid_argument'],
    ['a head without its body', Buffer.from([0, 0, 0, 0, 10]), 'invalid_argument'],
    ['a body that is cut', envelope({ process: { cmd: 'true' } }).subarray(0, 12), 'invalid_argument'],
    ['a body that is no JSON', envelope(Buffer.from('not json')), 'invalid_argument'],
    ['a body that is JSON of another type', envelope(Buffer.from('[1,2]')), 'invalid_argument'],
    ['a body that is null', envelope(Buffer.from('null')), 'invalid_argument'],
    ['a field of the wrong type', envelope({ process: { cmd: 5 } }), 'invalid_argument'],
    ['text that is not UTF-8', envelope(Buffer.from([0x22, 0xff, 0xfe, 0x22])), 'invalid_argument'],
    ['two messages', Buffer.concat([envelope({ process: { cmd: 'true' } }), envelope({})]), 'unimplemented'],
    ['the flag of compression without any', envelope({ process: { cmd: 'true' } }, 1), 'internal'],
  ])('refuses %s', async (_, body, wanted) => {
    const { status, messages } = await post(body);
    expect([status, messages.length, code(messages)]).toEqual([200, 1, wanted]);
    await alive();
  });

  it('refuses a length that nobody can mean, at once and without taking the memory', async () => {
    const { messages } = await post(Buffer.from([0, 0xff, 0xff, 0xff, 0xff, 1, 2, 3]));
    expect(['invalid_argument', 'resource_exhausted']).toContain(code(messages));
    await alive();
  });

  it('refuses a unary message that is too large, and stays well', async () => {
    const large = Buffer.alloc(80 << 20, 0x20);
    const answer = await send(at.url, {
      method: 'POST',
      path: '/process.Process/List',
      headers: { 'content-type': 'application/json' },
      body: large,
    }).catch((error: NodeJS.ErrnoException) => error.code);
    if (typeof answer === 'string') expect(['ECONNRESET', 'EPIPE']).toContain(answer);
    else expect(answer?.status).toBeGreaterThanOrEqual(400);
    await alive();
  });

  it('takes flags of the future as errors, not as data', async () => {
    const { messages } = await post(envelope({ process: { cmd: 'true' } }, 4));
    expect(messages.length).toBeGreaterThan(0);
    await alive();
  });

  it('takes gzip that was announced, or says that it does not', async () => {
    const body = envelope(gzipSync(JSON.stringify({ process: { cmd: 'echo', args: ['zipped'] } })), 1);
    const { messages } = await post(body, { 'connect-content-encoding': 'gzip' });
    const refused = code(messages);
    if (refused === undefined) expect(JSON.stringify(messages)).toContain(Buffer.from('zipped\n').toString('base64'));
    else expect(refused).toBe('unimplemented');
  });

  it('takes a message byte by byte', async () => {
    const body = envelope({ process: { cmd: 'echo', args: ['slowly'] } });
    const answer = await dribble(at.world.port, START, STREAM, body);
    expect(answer).toContain(Buffer.from('slowly\n').toString('base64'));
  });

  it('survives a client that goes in the middle of its message', async () => {
    for (let i = 0; i < 20; i++) {
      await new Promise<void>((resolve) => {
        const socket = connect(at.world.port, '127.0.0.1', () => {
          socket.write(
            `POST ${START} HTTP/1.1\r\nhost: x\r\ncontent-type: application/connect+json\r\ncontent-length: 500\r\n\r\nabc`,
          );
          socket.destroy();
        });
        socket.once('close', () => resolve());
        socket.once('error', () => resolve());
      });
    }
    await alive();
    expect(json(await unary(at.url, '/process.Process/List', {}))).toEqual({});
  });

  it('survives what is no HTTP at all', async () => {
    for (const bytes of ['\x16\x03\x01\x02\x00\x01\x00', 'GET\r\n\r\n', '\0\0\0\0', 'A'.repeat(100_000)]) {
      await new Promise<void>((resolve) => {
        const socket = connect(at.world.port, '127.0.0.1', () => socket.end(bytes));
        socket.resume();
        socket.once('close', () => resolve());
        socket.once('error', () => resolve());
      });
    }
    await alive();
  });

  it.each([
    ['application/connect+json', '/process.Process/List', 415],
    ['application/json', START, 415],
    ['text/plain', START, 415],
    ['application/grpc', START, 415],
    ['', START, 415],
  ])('answers content type %j on %s with %i', async (type, path, status) => {
    const headers: Record<string, string> = type === '' ? {} : { 'content-type': type };
    const answer = await send(at.url, { method: 'POST', path, headers, body: '{}' });
    expect(answer.status).toBe(status);
    expect(answer.headers['accept-post']).toBeTruthy();
  });

  it('speaks binary messages too', async () => {
    const answer = await send(at.url, {
      method: 'POST',
      path: '/process.Process/List',
      headers: { 'content-type': 'application/proto', 'connect-protocol-version': '1' },
      body: Buffer.alloc(0),
    });
    expect([answer.status, answer.headers['content-type']]).toEqual([200, 'application/proto']);
  });

  it('speaks binary streams too', async () => {
    // process = { cmd: "echo", args: ["bin"] } by hand: field 1, wire type 2, twice nested.
    const config = Buffer.concat([
      Buffer.from([0x0a, 4]),
      Buffer.from('echo'),
      Buffer.from([0x12, 3]),
      Buffer.from('bin'),
    ]);
    const message = Buffer.concat([Buffer.from([0x0a, config.length]), config]);
    const opened = open(at.url, {
      method: 'POST',
      path: START,
      headers: { ...STREAM, 'content-type': 'application/connect+proto' },
      body: envelope(message),
    });
    await opened.finished();
    expect(Buffer.concat(opened.envelopes.map(({ payload }) => payload)).includes('bin\n')).toBe(true);
    expect(opened.envelopes.at(-1)?.flags).toBe(2);
  });

  it('refuses binary garbage', async () => {
    const answer = await send(at.url, {
      method: 'POST',
      path: '/filesystem.Filesystem/Stat',
      headers: { 'content-type': 'application/proto' },
      body: Buffer.from([0x0a, 0xff, 0xff, 0xff, 0xff, 0x0f]),
    });
    expect(answer.status).toBe(400);
  });

  it('accepts names in snake case, enums by number, and fields that it does not know', async () => {
    const opened = await start(at.url, 'sleep', ['30'], { future_field: { a: [1] } });
    const signal = { process: { pid: opened.pid }, signal: 9, more: true };
    expect((await unary(at.url, '/process.Process/SendSignal', signal)).status).toBe(200);
    await opened.finished();
  });

  it.each(['abc', '-1', '12345678901', '1.5', '', ' '])(
    'Connect-Timeout-Ms %j is answered, never obeyed blindly',
    async (value) => {
      const opened = stream(
        at.url,
        START,
        { process: { cmd: 'true' } },
        { ...basic('user'), 'connect-timeout-ms': value },
      );
      await opened.finished();
      expect(opened.messages.at(-1)?.flags).toBe(2);
      await alive();
    },
  );

  it.each(['ghost', '', 'root:x', 'user\u0000', '../../etc', 'a'.repeat(5000)])(
    'refuses the user %j everywhere',
    async (name) => {
      const answer = await unary(at.url, '/filesystem.Filesystem/Stat', { path: '/' }, basic(name));
      const wanted = name === 'root:x' ? [200, 401] : [401];
      expect(wanted).toContain(answer.status);
    },
  );

  it.each(['Basic', 'Basic !!!', 'Basic dXNlcg==', 'Digest x', 'Basic '])(
    'an Authorization of %j does not crash it',
    async (value) => {
      const answer = await unary(at.url, '/filesystem.Filesystem/Stat', { path: '/' }, { authorization: value });
      expect([200, 401]).toContain(answer.status);
    },
  );

  it('answers a thousand calls on one connection', async () => {
    const answers = await pipeline(at.world.port, 1000);
    expect(answers).toBe(1000);
  });
});

function dribble(port: number, path: string, headers: Record<string, string>, body: Buffer): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1', async () => {
      const head = Object.entries({
        host: 'x',
        connection: 'close',
        'content-length': String(body.length),
        ...headers,
      });
      socket.setNoDelay(true);
      socket.write(`POST ${path} HTTP/1.1\r\n${head.map(([key, value]) => `${key}: ${value}\r\n`).join('')}\r\n`);
      for (const byte of body) {
        socket.write(Buffer.from([byte]));
        await new Promise(setImmediate);
      }
    });
    let text = '';
    socket.on('data', (chunk) => (text += chunk.toString('latin1')));
    socket.once('end', () => resolve(text));
    socket.once('error', reject);
  });
}

/** Requests without waiting for answers: order and count must hold. */
function pipeline(port: number, count: number): Promise<number> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1', () => {
      const one =
        'POST /process.Process/List HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\ncontent-length: 2\r\n\r\n{}';
      const last = one.replace('host: x', 'host: x\r\nconnection: close');
      socket.write(one.repeat(count - 1) + last);
    });
    let text = '';
    socket.on('data', (chunk) => (text += chunk.toString('latin1')));
    socket.once('end', () => resolve(text.split('HTTP/1.1 200').length - 1));
    socket.once('error', reject);
  });
}
