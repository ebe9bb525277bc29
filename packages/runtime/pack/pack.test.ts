import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { call, eventually, outcome, stream } from '../testing/runtime.ts';
import { interpreterOf } from './libraries.ts';
import { packRuntime } from './pack.ts';

const apart = ['--mount', '--pid', '--fork', '--kill-child', '--mount-proc'];
const possible = process.getuid?.() === 0 && spawnSync('unshare', [...apart, 'true']).status === 0;

describe('a pack', () => {
  let folder: string;
  let pack: string;
  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'pack-'));
    pack = join(folder, 'root', 'pack');
    mkdirSync(join(folder, 'root', 'proc'), { recursive: true });
    mkdirSync(join(folder, 'root', 'run'));
    await packRuntime(pack);
  }, 60_000);
  afterAll(() => rmSync(folder, { recursive: true }));

  it('has a launcher that needs nothing of the image', () => {
    expect(interpreterOf(join(pack, 'sandbank-runtime'))).toBeUndefined();
  });

  it('is not mixed with what was there', async () => {
    await expect(packRuntime(pack)).rejects.toThrow('not empty');
  });

  it.skipIf(!possible)('runs in an empty image, where commands see nothing of it (needs root)', async () => {
    const target = { socketPath: join(folder, 'root', 'run', 'socket') };
    const script =
      'mount -t proc proc "$0/proc"; exec chroot "$0" /pack/sandbank-runtime --socket /run/socket --insecure-no-token';
    const child: ChildProcess = spawn('unshare', [...apart, 'sh', '-c', script, join(folder, 'root')], {
      stdio: 'ignore',
    });
    try {
      await eventually('an answer from the empty image', () =>
        call(target, 'GET', '/health').then(
          () => true,
          () => undefined,
        ),
      );
      // The only program in there is ours; started as a command it must find no trace of the runtime around it.
      const look = 'console.log(Object.keys(process.env).filter((name) => /^(LD_|NODE_|SANDBANK)/.test(name)).length)';
      const args = ['--library-path', '/pack/lib', '/pack/bin/node', '-e', look];
      const messages = await stream(target, '/process.Process/Start', { process: { cmd: '/pack/lib/loader', args } });
      expect(outcome(messages)).toMatchObject({ stdout: '0\n', end: { exited: true } });
      const missing = await stream(target, '/process.Process/Start', { process: { cmd: 'sh' } });
      expect(outcome(missing).end).toMatchObject({ exitCode: 127 });
    } finally {
      child.kill('SIGKILL');
    }
  });
});
