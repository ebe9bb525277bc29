/**
 * Builds the helper for both architectures: `node packages/runtime/helper/build.ts`; with `--check` it compares instead and
 * fails if a committed binary differs from its source. Needs zig: the command in ZIG, or the Python package ziglang at the
 * version below, which it installs into the cache folder once. Builds are equal byte for byte on every machine.
 */
import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const here = dirname(fileURLToPath(import.meta.url));
const zigVersion = '0.17.0';
const targets = { x64: 'x86_64-linux-musl', arm64: 'aarch64-linux-musl' } as const;

const cache = join(
  process.env['SANDBANK_CACHE'] ?? process.env['XDG_CACHE_HOME'] ?? join(homedir(), '.cache'),
  'sandbank',
);
let command: readonly string[] | undefined = process.env['ZIG']?.split(' ');

/** A Python environment of its own, made once; half a one is made again. */
function installed(): readonly string[] {
  const folder = join(cache, `zig-${zigVersion}`);
  const python = join(folder, 'bin', 'python3');
  if (!existsSync(join(folder, 'complete'))) {
    rmSync(folder, { recursive: true, force: true });
    process.stderr.write(`installing zig ${zigVersion} into ${folder}\n`);
    execFileSync('python3', ['-m', 'venv', folder], { stdio: 'inherit' });
    execFileSync(python, ['-m', 'pip', 'install', '--quiet', `ziglang==${zigVersion}`], { stdio: 'inherit' });
    writeFileSync(join(folder, 'complete'), '');
  }
  return [python, '-m', 'ziglang'];
}

function zig(args: readonly string[], cwd: string): string {
  command ??= installed();
  const [program = '', ...first] = command;
  return execFileSync(program, [...first, ...args], { cwd, encoding: 'utf8', stdio: ['ignore', 'pipe', 'inherit'] });
}

/** The binaries by file name. The work folder is left out of them: paths are relative and symbols are stripped. */
export function buildHelpers(): Map<string, Buffer> {
  const source = join(here, 'source');
  const version = zig(['version'], source).trim();
  if (version !== zigVersion)
    throw new Error(`zig ${zigVersion} is needed, this is ${version}: pip install ziglang==${zigVersion}`);
  const files = readdirSync(source)
    .filter((name) => name.endsWith('.c'))
    .sort();
  const out = mkdtempSync(join(tmpdir(), 'sandbank-helper-'));
  try {
    return new Map(
      Object.entries(targets).map(([arch, target]) => {
        const name = `sandbank-helper-linux-${arch}`;
        const flags = ['-static', '-Os', '-s', '-std=c11', '-Wall', '-Wextra', '-Werror', '-ffile-prefix-map=.=helper'];
        zig(['cc', '-target', target, ...flags, '-o', join(out, name), ...files], source);
        return [name, readFileSync(join(out, name))];
      }),
    );
  } finally {
    rmSync(out, { recursive: true, force: true });
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const check = process.argv.includes('--check');
  for (const [name, bytes] of buildHelpers()) {
    const path = join(here, 'bin', name);
    if (!check) {
      // Beside it first: a helper that runs can't be written over.
      writeFileSync(`${path}.new`, bytes, { mode: 0o755 });
      renameSync(`${path}.new`, path);
      process.stdout.write(`${name}: ${bytes.byteLength} bytes\n`);
    } else if (readFileSync(path).equals(bytes)) {
      process.stdout.write(`${name}: equal\n`);
    } else {
      process.stderr.write(`${name} differs from its source: run node packages/runtime/helper/build.ts\n`);
      process.exitCode = 1;
    }
  }
}
