/** The runtime next to what Node does by itself: the price of the daemon, in ratios. */
import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { mkdtemp, open, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import type { Benchmark, Experiment, Prepared, Run } from './harness/definition.ts';
import { memoryOf } from './harness/memory.ts';
import { median, percentile } from './harness/statistics.ts';
import type { Read } from './runtime/client.ts';
import { RemoteClient } from './runtime/remote-client.ts';
import { type Builds, buildRuntime, type Server, startBare, startRuntime } from './runtime/servers.ts';

const MS = { unit: 'ms', better: 'lower' } as const;
const MIB_S = { unit: 'MiB/s', better: 'higher' } as const;
const MIB = { unit: 'MiB', better: 'lower' } as const;
const PER_S = { unit: '/s', better: 'higher' } as const;

interface Stage {
  readonly builds: Builds;
  readonly client: RemoteClient;
  /** Does nothing but spawn: a process with a large heap forks slower, and that would flatter the runtime. */
  readonly spawner: RemoteClient;
  readonly runtime: Server;
  readonly bare: Server;
  readonly folder: string;
  readonly random: { readonly file: string; readonly bytes: number; readonly sha256: string };
  readonly quick: boolean;
}

export const benchmark: Benchmark = {
  title: 'The runtime next to bare Node',
  about: 'the daemon in a sandbox: start, memory, commands, streams, files',
  async missing() {
    return process.platform === 'linux' ? undefined : 'PSS and the runtime itself need Linux.';
  },
  async prepare(run: Run): Promise<Prepared> {
    run.say('building the runtime');
    const builds = await buildRuntime();
    run.say(builds.note);
    const folder = await mkdtemp(path.join(os.tmpdir(), 'sandbank-bench-data-'));
    const random = await randomFile(path.join(folder, 'random'), run.quick ? 50 : 200);
    const client = new RemoteClient();
    const spawner = new RemoteClient();
    const runtime = await startRuntime(builds);
    const bare = await startBare(true);
    const stage: Stage = { builds, client, spawner, runtime, bare, folder, random, quick: run.quick };
    return {
      settings: { build: builds.note, echoes: 200, fileMiB: random.bytes / 2 ** 20, user: 'root' },
      experiments: [
        startExperiment(stage),
        echoExperiment(stage),
        sdkExperiment(stage),
        stdoutExperiment(stage),
        downloadExperiment(stage),
        uploadExperiment(stage),
        smallExperiment(stage, 1),
        smallExperiment(stage, 16),
        memoryOfOne(stage),
        memoryOfTwenty(stage),
      ],
      async close() {
        await Promise.all([client.close(), spawner.close(), runtime.stop(), bare.stop()]);
        await rm(folder, { recursive: true, force: true });
        await builds.clean();
      },
    };
  },
};

function startExperiment({ builds, quick }: Stage): Experiment {
  const side = (launch: () => Promise<Server>) => async () => {
    const samples: number[] = [];
    for (let i = 0; i < (quick ? 3 : 7); i++) {
      const server = await launch();
      samples.push(server.startMs);
      await server.stop();
    }
    return { 'start to /health': median(samples) };
  };
  return {
    name: 'start',
    figures: { 'start to /health': { ...MS, note: 'Go daemon on such a machine: 13 to 22 ms' } },
    sides: { runtime: side(() => startRuntime(builds)), 'bare HTTP server': side(() => startBare(false)) },
    bars: [{ figure: 'start to /health', side: 'runtime', against: 'bare HTTP server', atMost: 2.5 }],
  };
}

const ECHO = ['/bin/echo', 'hello'];
const SHELL_ECHO = ['/bin/bash', '-l', '-c', 'echo hello'];
const figuresOf = (samples: number[]) => ({ p50: percentile(samples, 50), p99: percentile(samples, 99) });

function echoExperiment({ client, spawner, runtime }: Stage): Experiment {
  return {
    name: 'echo by raw call',
    figures: { p50: MS, p99: MS },
    sides: {
      runtime: async () => figuresOf(await client.do('echoRaw', runtime.port, ECHO, 200)),
      'bare spawn': async () => figuresOf(await spawner.do('echoSpawn', ECHO, 200)),
    },
    bars: [{ figure: 'p50', side: 'runtime', against: 'bare spawn', atMost: 2 }],
  };
}

/** A login shell reads the profile in its home: both sides get an empty one, not that of whoever runs this. */
function sdkExperiment({ client, spawner, runtime, folder, quick }: Stage): Experiment {
  const times = quick ? 50 : 200;
  return {
    name: 'echo by the SDK',
    figures: { p50: MS, p99: MS },
    sides: {
      'runtime and SDK': async () => figuresOf(await client.do('echoSdk', runtime.port, times, folder)),
      'bare spawn of the same shell': async () => figuresOf(await spawner.do('echoSpawn', SHELL_ECHO, times, folder)),
    },
  };
}

function stdoutExperiment({ client, runtime, bare, random }: Stage): Experiment {
  const bytes = Math.min(random.bytes, 100 << 20);
  const argv = ['/usr/bin/head', '-c', String(bytes), random.file];
  let seen: string | undefined;
  const speed = (read: Read) => {
    seen ??= read.sha256;
    if (read.bytes !== bytes || read.sha256 !== seen)
      throw new Error(`${read.bytes} of ${bytes} bytes, or other ones.`);
    return { throughput: bytes / 2 ** 20 / (read.ms / 1000) };
  };
  return {
    name: `stdout of ${bytes >> 20} MiB`,
    figures: { throughput: { ...MIB_S, note: 'Go daemon: 81 to 95' } },
    sides: {
      'raw socket': async () => speed(await client.do('streamSocket', bare.socketPort, argv)),
      runtime: async () => speed(await client.do('streamRuntime', runtime.port, argv)),
    },
    bars: [{ figure: 'throughput', side: 'runtime', against: 'raw socket', atLeast: 1 / 3, orReaches: 100 }],
  };
}

function downloadExperiment({ client, runtime, bare, random }: Stage): Experiment {
  const speed = (read: Read) => {
    if (read.bytes !== random.bytes || read.sha256 !== random.sha256) throw new Error('Other bytes than in the file.');
    return { throughput: read.bytes / 2 ** 20 / (read.ms / 1000) };
  };
  const file = encodeURIComponent(random.file);
  return {
    name: `download of ${random.bytes >> 20} MiB`,
    figures: { throughput: { ...MIB_S, note: 'Go daemon: 550 to 715' } },
    sides: {
      runtime: async () => speed(await client.do('download', runtime.port, `/files?username=root&path=${file}`)),
      'raw copy': async () => speed(await client.do('download', bare.port, `/file/${file}`)),
    },
    bars: [{ figure: 'throughput', side: 'runtime', against: 'raw copy', atLeast: 2 / 3 }],
  };
}

function uploadExperiment({ client, runtime, bare, random, folder }: Stage): Experiment {
  const mebibytes = random.bytes >> 20;
  const side = (port: number, target: string, file: string) => async () => {
    const read = await client.do('upload', port, target + encodeURIComponent(file), mebibytes);
    await expectUploaded(file, mebibytes);
    return { throughput: mebibytes / (read.ms / 1000) };
  };
  return {
    name: `upload of ${mebibytes} MiB`,
    figures: { throughput: { ...MIB_S, note: 'Go daemon: 392 to 481' } },
    sides: {
      runtime: side(runtime.port, '/files?username=root&path=', path.join(folder, 'up-runtime')),
      'raw copy': side(bare.port, '/file/', path.join(folder, 'up-bare')),
    },
    bars: [{ figure: 'throughput', side: 'runtime', against: 'raw copy', atLeast: 2 / 3 }],
  };
}

function smallExperiment({ client, runtime, bare, folder, quick }: Stage, width: number): Experiment {
  const times = (quick ? 500 : 2000) * (width > 1 ? 2 : 1);
  const side = (port: number, target: string, name: string) => async () => ({
    rate: await client.do('smallUploads', port, target + encodeURIComponent(path.join(folder, name)), times, width),
  });
  return {
    name: `uploads of 1 KiB, ${width === 1 ? 'one after the other' : `${width} at once`}`,
    figures: { rate: { ...PER_S, note: 'Go daemon: 1,550 to 1,850; 2,143 at 16' } },
    sides: {
      runtime: side(runtime.port, '/files?username=root&path=', `small-runtime-${width}-`),
      'bare HTTP server': side(bare.port, '/file/', `small-bare-${width}-`),
    },
    bars:
      width === 1
        ? []
        : [{ figure: 'rate', side: 'runtime', against: 'bare HTTP server', atLeast: 1 / 2, orReaches: 2000 }],
  };
}

/** The processes that the load above went through, and fresh ones. */
function memoryOfOne({ builds, runtime, bare }: Stage): Experiment {
  const side = (launch: () => Promise<Server>, loaded: Server) => async () => {
    const fresh = await launch();
    const idle = await memoryOf(await fresh.pids());
    await fresh.stop();
    const after = await memoryOf(await loaded.pids());
    return {
      'RSS idle': idle.rssMiB,
      'PSS idle': idle.pssMiB,
      'RSS after load': after.rssMiB,
      'PSS after load': after.pssMiB,
    };
  };
  return {
    name: 'memory of one',
    figures: { 'RSS idle': MIB, 'PSS idle': MIB, 'RSS after load': MIB, 'PSS after load': MIB },
    sides: {
      runtime: side(() => startRuntime(builds), runtime),
      'bare HTTP server': side(() => startBare(false), bare),
    },
  };
}

const TWENTY = 20;

function memoryOfTwenty({ builds, quick }: Stage): Experiment {
  const side = (launch: (index: number) => Promise<Server>) => async () => {
    const servers: Server[] = [];
    try {
      for (let i = 0; i < TWENTY; i++) servers.push(await launch(i));
      const all = await memoryOf((await Promise.all(servers.map((server) => server.pids()))).flat());
      return { 'RSS of all': all.rssMiB, 'PSS of all': all.pssMiB };
    } finally {
      await Promise.all(servers.map((server) => server.stop()));
    }
  };
  const copies: string[] = [];
  const fromCopies = side(async (index) => {
    copies[index] ??= await builds.copy();
    return startRuntime(builds, copies[index]);
  });
  return {
    name: 'memory of twenty',
    figures: { 'RSS of all': MIB, 'PSS of all': { ...MIB, note: 'Go daemon: 14 to 20 each' } },
    sides: {
      'runtime, one pack': side(() => startRuntime(builds)),
      'bare HTTP server': side(() => startBare(false)),
      ...(quick ? {} : { 'runtime, twenty copies': fromCopies }),
    },
    rounds: 5,
    bars: [{ figure: 'PSS of all', side: 'runtime, one pack', against: 'bare HTTP server', atMost: 1.5 }],
  };
}

async function randomFile(file: string, mebibytes: number): Promise<Stage['random']> {
  const hash = createHash('sha256');
  const handle = await open(file, 'w');
  const source = createReadStream('/dev/urandom', { end: (mebibytes << 20) - 1, highWaterMark: 1 << 20 });
  for await (const chunk of source) {
    hash.update(chunk);
    await handle.write(chunk);
  }
  await handle.close();
  return { file, bytes: mebibytes << 20, sha256: hash.digest('hex') };
}

async function expectUploaded(file: string, mebibytes: number): Promise<void> {
  const block = Buffer.alloc(1 << 20, 'sandbank');
  let at = 0;
  for await (const chunk of createReadStream(file, { highWaterMark: 1 << 20 })) {
    if (!(chunk as Buffer).equals(block)) throw new Error(`${file} has other bytes at ${at}.`);
    at += (chunk as Buffer).length;
  }
  if (at !== mebibytes << 20) throw new Error(`${file} has ${at} bytes.`);
}
