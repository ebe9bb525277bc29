// `npm start`. Plain JavaScript on purpose: it must be able to say, on any Node, that the Node is too old.
import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';

const NEEDED = [22, 19];
const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);

if (major < NEEDED[0] || (major === NEEDED[0] && minor < NEEDED[1])) {
  console.error(
    `Sandbank needs Node ${NEEDED.join('.')} or newer; this is Node ${process.versions.node}.\n` +
      'On Linux (x64 or arm64, glibc) `npm ci` brings Node 24 along: run `npm ci` and then `npm start`.\n' +
      'On macOS, Windows and musl, install a newer Node yourself.',
  );
  process.exit(1);
}

const main = fileURLToPath(new URL('../packages/cli/main.ts', import.meta.url));
const child = spawn(process.execPath, [main, 'up', ...process.argv.slice(2)], { stdio: 'inherit' });
for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => child.kill(signal));
child.on('exit', (code, signal) => process.exit(code ?? (signal === 'SIGINT' ? 130 : 1)));
