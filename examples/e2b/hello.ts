/** Starts the daemon that runs inside every sandbox, here on this machine, and talks to it with the unmodified E2B SDK. */
import { spawn } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { fileURLToPath } from 'node:url';
import { Sandbox } from 'e2b';

const folder = await mkdtemp(`${tmpdir()}/sandbank-hello-`);
const port = await freePort();
const main = fileURLToPath(import.meta.resolve('../../packages/runtime/main.ts'));
// The flag is for exactly this: a daemon on loopback that nobody else talks to.
const daemon = spawn(
  process.execPath,
  [main, '--address', '127.0.0.1', '--port', String(port), '--insecure-no-token'],
  { stdio: 'ignore' },
);
try {
  await answering(`http://127.0.0.1:${port}/health`);
  const sandbox = await Sandbox.connect('local', { debug: true, sandboxUrl: `http://127.0.0.1:${port}` });

  const { stdout, exitCode } = await sandbox.commands.run('echo "hello from $(uname -s)"');
  console.log(`command: ${stdout.trim()} (exit ${exitCode})`);

  await sandbox.files.write(`${folder}/note.txt`, 'written by the SDK');
  console.log(`file: ${await sandbox.files.read(`${folder}/note.txt`)}`);
} finally {
  daemon.kill('SIGTERM');
  await rm(folder, { recursive: true, force: true });
}

function freePort(): Promise<number> {
  return new Promise((resolve) => {
    const server = createServer().listen(0, '127.0.0.1', () => {
      const { port: free } = server.address() as { port: number };
      server.close(() => resolve(free));
    });
  });
}

async function answering(url: string): Promise<void> {
  for (let tries = 0; tries < 100; tries++) {
    const ok = await fetch(url).then(
      (answer) => answer.ok,
      () => false,
    );
    if (ok) return;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  throw new Error(`${url} does not answer after 5 s; start the daemon by hand to see why`);
}
