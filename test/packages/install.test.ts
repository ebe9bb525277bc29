/** What we publish works where our repository is not: packed, installed into an empty folder, imported by plain Node. */
import { execFile } from 'node:child_process';
import { globSync, readFileSync } from 'node:fs';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';

const run = promisify(execFile);
const root = fileURLToPath(new URL('../..', import.meta.url));
const versions = ['22.19.0', '24.21.0'];
const nodePackage = `node-linux-${process.arch}`;

/** Node 22 says so of its own SQLite, which the embedded store uses; 24 does not any more. */
const SQLITE_WARNING = /^\(node:\d+\) ExperimentalWarning: SQLite .*\n\(Use `node --trace-warnings.*\n/m;

let folder = '';
let app = '';

interface Manifest {
  name: string;
  exports: Record<string, string>;
  bin?: Record<string, string>;
}
const manifests = globSync('packages/*/package.json', { cwd: root }).map(
  (path) => JSON.parse(readFileSync(join(root, path), 'utf8')) as Manifest,
);

const npm = (cwd: string, ...args: string[]) =>
  run('npm', args, { cwd, maxBuffer: 1 << 26, env: { ...process.env, npm_config_ignore_scripts: 'true' } });
const nodeOf = (version: string) => join(folder, version, 'node_modules', nodePackage, 'bin', 'node');

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'sandbank-packages-'));
  app = join(folder, 'app');
  const tarballs = join(folder, 'tarballs');
  await mkdir(app);
  await mkdir(tarballs);
  await run(process.execPath, ['scripts/build.ts'], { cwd: root });
  for (const manifest of manifests) {
    await npm(root, 'pack', join(root, 'dist', basename(manifest.name)), '--pack-destination', tarballs);
  }
  await writeFile(join(app, 'package.json'), JSON.stringify({ name: 'app', private: true, type: 'module' }));
  await npm(app, 'install', '--no-audit', '--no-fund', ...globSync(join(tarballs, '*.tgz')));
  for (const version of versions) {
    const home = join(folder, version);
    await mkdir(home);
    await writeFile(join(home, 'package.json'), JSON.stringify({ name: 'node-home', private: true }));
    await npm(home, 'install', '--no-audit', '--no-fund', `${nodePackage}@${version}`);
  }
}, 240_000);

afterAll(() => rm(folder, { recursive: true, force: true }));

describe.each(versions)('Node %s', (version) => {
  const entries = manifests.flatMap(({ name, exports }) =>
    Object.entries(exports).map(([path, file]) => [join(name, path), file] as const),
  );

  test.each(entries)('imports %s', async (specifier, file) => {
    const attributes = file.endsWith('.json') ? `, { with: { type: 'json' } }` : '';
    const script = `const m = await import(${JSON.stringify(specifier)}${attributes}); console.log('names', Object.keys(m).length);`;
    const { stdout, stderr } = await run(nodeOf(version), ['--input-type=module', '-e', script], { cwd: app });
    // One module is imported for its effect alone.
    expect(stdout).toMatch(file.includes('short-pauses') ? /^names 0$/m : /^names [1-9]\d*$/m);
    expect(stderr.replace(SQLITE_WARNING, '')).toBe('');
  });

  const bins = manifests.flatMap(({ bin = {} }) => Object.keys(bin));
  test.each(bins)('%s --help teaches', async (bin) => {
    const { stdout } = await run(nodeOf(version), [join(app, 'node_modules', '.bin', bin), '--help'], { cwd: app });
    expect(stdout).toMatch(/Usage/i);
  });
});

test('types are there for every export', () => {
  for (const { name } of manifests) {
    const published = JSON.parse(readFileSync(join(root, 'dist', basename(name), 'package.json'), 'utf8')) as {
      exports: Record<string, string | { types: string }>;
    };
    for (const entry of Object.values(published.exports)) {
      // Data has no types.
      if (typeof entry === 'string') continue;
      const { types } = entry;
      expect(readFileSync(join(app, 'node_modules', name, types), 'utf8')).toMatch(/export/);
    }
  }
});
