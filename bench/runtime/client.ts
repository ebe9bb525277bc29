/**
 * The client of bench/runtime, in a process of its own so that neither side shares its event loop. Takes one job per
 * line of stdin, answers one line of JSON. Every stream is checked: length and hash must be those of the source.
 */
import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import http from 'node:http';
import { connect } from 'node:net';
import { createInterface } from 'node:readline';
import { ENVIRONMENT } from './servers.ts';

export interface Jobs {
  echoRaw(port: number, argv: string[], times: number): Promise<number[]>;
  echoSdk(port: number, times: number, home: string): Promise<number[]>;
  echoSpawn(argv: string[], times: number, home?: string): Promise<number[]>;
  streamRuntime(port: number, argv: string[]): Promise<Read>;
  streamSocket(port: number, argv: string[]): Promise<Read>;
  download(port: number, path: string): Promise<Read>;
  upload(port: number, path: string, mebibytes: number): Promise<Read>;
  smallUploads(port: number, prefix: string, times: number, width: number): Promise<number>;
}

export interface Read {
  readonly ms: number;
  readonly bytes: number;
  readonly sha256: string;
}

const agent = new http.Agent({ keepAlive: true, maxSockets: 64 });

function envelope(message: unknown): Buffer {
  const payload = Buffer.from(JSON.stringify(message));
  const head = Buffer.alloc(5);
  head.writeUInt32BE(payload.length, 1);
  return Buffer.concat([head, payload]);
}

/** Starts a process and gives its stdout, envelope by envelope, to `take`. */
function startProcess(port: number, argv: string[], take: (bytes: Buffer) => void): Promise<void> {
  const [cmd, ...args] = argv;
  const body = envelope({ process: { cmd, args }, stdin: false });
  const headers = {
    'content-type': 'application/connect+json',
    'connect-protocol-version': '1',
    'content-length': body.length,
  };
  return new Promise((resolve, reject) => {
    const request = http.request({
      host: '127.0.0.1',
      port,
      path: '/process.Process/Start',
      method: 'POST',
      agent,
      headers,
    });
    request.once('error', reject);
    request.once('response', (response) => {
      const pieces: Buffer[] = [];
      let have = 0;
      let need = 5;
      let last = '';
      response.on('data', (chunk: Buffer) => {
        pieces.push(chunk);
        have += chunk.length;
        if (have < need) return;
        let buffer = pieces.length === 1 ? chunk : Buffer.concat(pieces);
        while (buffer.length >= 5) {
          const length = buffer.readUInt32BE(1);
          need = length + 5;
          if (buffer.length < need) break;
          last = buffer.toString('latin1', 5, need);
          // {"event":{"data":{"stdout":"..."}}} is read without a parser: the client must not be what is measured.
          if (last.startsWith('{"event":{"data":{"stdout":"')) take(Buffer.from(last.slice(28, -4), 'base64'));
          else if (last.includes('"stdout"')) take(Buffer.from(JSON.parse(last).event.data.stdout, 'base64'));
          buffer = buffer.subarray(need);
          need = 5;
        }
        pieces.length = 0;
        if (buffer.length > 0) pieces.push(buffer);
        have = buffer.length;
      });
      response.once('end', () => (last === '{}' ? resolve() : reject(new Error(`The stream ended by ${last}`))));
      response.once('error', reject);
    });
    request.end(body);
  });
}

async function sample(times: number, work: () => Promise<void>): Promise<number[]> {
  const samples: number[] = [];
  for (let i = 0; i < times; i++) {
    const started = performance.now();
    await work();
    samples.push(performance.now() - started);
  }
  return samples;
}

function spawnAndRead(argv: string[], home = ENVIRONMENT.HOME): Promise<string> {
  const [command = '', ...args] = argv;
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, {
      env: { ...ENVIRONMENT, HOME: home },
      cwd: '/root',
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let text = '';
    child.stdout.on('data', (chunk: Buffer) => {
      text += chunk.toString();
    });
    child.once('error', reject);
    child.once('close', () => resolve(text));
  });
}

function reader(): { take(chunk: Buffer): void; done(): Read } {
  const hash = createHash('sha256');
  const started = performance.now();
  let bytes = 0;
  return {
    take(chunk) {
      bytes += chunk.length;
      hash.update(chunk);
    },
    done: () => ({ ms: performance.now() - started, bytes, sha256: hash.digest('hex') }),
  };
}

function expectHello(text: string): void {
  if (text !== 'hello\n') throw new Error(`echo said ${JSON.stringify(text)}`);
}

const jobs: Jobs = {
  echoRaw: (port, argv, times) =>
    sample(times, async () => {
      let text = '';
      await startProcess(port, argv, (bytes) => {
        text += bytes.toString();
      });
      expectHello(text);
    }),
  echoSdk: async (port, times, home) => {
    const { Sandbox } = await import('e2b');
    const sandbox = await Sandbox.create({ debug: true, sandboxUrl: `http://127.0.0.1:${port}` });
    return sample(times, async () =>
      expectHello((await sandbox.commands.run('echo hello', { envs: { HOME: home } })).stdout),
    );
  },
  echoSpawn: (argv, times, home) => sample(times, async () => expectHello(await spawnAndRead(argv, home))),
  streamRuntime: async (port, argv) => {
    const read = reader();
    await startProcess(port, argv, read.take);
    return read.done();
  },
  streamSocket: (port, argv) =>
    new Promise((resolve, reject) => {
      const read = reader();
      const socket = connect(port, '127.0.0.1', () => socket.write(JSON.stringify(argv)));
      socket.on('data', read.take);
      socket.once('end', () => resolve(read.done()));
      socket.once('error', reject);
    }),
  download: (port, path) =>
    new Promise((resolve, reject) => {
      const read = reader();
      const request = http.get(
        { host: '127.0.0.1', port, path, agent, headers: { 'accept-encoding': 'identity' } },
        (response) => {
          if (response.statusCode !== 200) reject(new Error(`${path} answered ${response.statusCode}`));
          response.on('data', read.take);
          response.once('end', () => resolve(read.done()));
          response.once('error', reject);
        },
      );
      request.once('error', reject);
    }),
  upload: async (port, path, mebibytes) => {
    const block = Buffer.alloc(1 << 20, 'sandbank');
    const started = performance.now();
    await post(port, path, mebibytes << 20, async (request) => {
      for (let i = 0; i < mebibytes; i++)
        if (!request.write(block)) await new Promise((resolve) => request.once('drain', resolve));
    });
    return { ms: performance.now() - started, bytes: mebibytes << 20, sha256: '' };
  },
  smallUploads: async (port, prefix, times, width) => {
    const body = Buffer.alloc(1024, 'x');
    let next = 0;
    const lane = async () => {
      for (let index = next++; index < times; index = next++)
        await post(port, prefix + (index % 64), body.length, (request) => void request.write(body));
    };
    const started = performance.now();
    await Promise.all(Array.from({ length: width }, lane));
    return times / ((performance.now() - started) / 1000);
  },
};

function post(
  port: number,
  path: string,
  length: number,
  write: (request: http.ClientRequest) => unknown,
): Promise<void> {
  const headers = { 'content-type': 'application/octet-stream', 'content-length': length };
  return new Promise((resolve, reject) => {
    const request = http.request({ host: '127.0.0.1', port, path, method: 'POST', agent, headers });
    request.once('error', reject);
    request.once('response', (response) => {
      response.resume();
      response.once('end', () =>
        response.statusCode === 200 ? resolve() : reject(new Error(`${path} answered ${response.statusCode}`)),
      );
    });
    Promise.resolve(write(request)).then(() => request.end(), reject);
  });
}

if (process.argv[2] === 'serve') {
  for await (const line of createInterface({ input: process.stdin })) {
    const [name, args] = JSON.parse(line) as [keyof Jobs, never[]];
    const job = jobs[name] as (...args: never[]) => Promise<unknown>;
    const answer = await job(...args).then(
      (result) => ({ result }),
      (error: unknown) => ({ error: String(error) }),
    );
    process.stdout.write(`${JSON.stringify(answer)}\n`);
  }
}
