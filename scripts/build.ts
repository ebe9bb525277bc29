/**
 * `npm run build`: the publishable packages, in dist/<package>. Sources are TypeScript that Node runs as it is;
 * Node refuses to strip types below node_modules, so what is published is JavaScript and declarations.
 */
import { spawnSync } from 'node:child_process';
import { cpSync, existsSync, globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const out = join(root, 'dist');
const emitted = join(out, '.emitted');

interface Manifest {
  name: string;
  exports?: Record<string, string>;
  bin?: Record<string, string>;
  files?: string[];
  [field: string]: unknown;
}

const asJs = (path: string) => path.replace(/\.tsx?$/, '.js');
const asTypes = (path: string) => path.replace(/\.tsx?$/, '.d.ts');

/** The manifest of a published package: the same, with every `.ts` turned into what was emitted. */
export function publishedManifest(source: Manifest): Manifest {
  const exports = Object.fromEntries(
    Object.entries(source.exports ?? {}).map(([name, path]) => [
      name,
      /\.tsx?$/.test(path) ? { types: asTypes(path), default: asJs(path) } : path,
    ]),
  );
  const bin = Object.fromEntries(Object.entries(source.bin ?? {}).map(([name, path]) => [name, asJs(path)]));
  return { ...source, exports: exports as Record<string, string>, ...(source.bin ? { bin } : {}) };
}

/** Files that are not TypeScript but are read at run time: declared per package in `sandbank.assets`. */
function assetsOf(manifest: Manifest): string[] {
  const own = manifest['sandbank'] as { assets?: string[] } | undefined;
  return own?.assets ?? [];
}

function compile(): void {
  const config = join(out, 'tsconfig.json');
  writeFileSync(
    config,
    JSON.stringify({
      extends: '../tsconfig.json',
      compilerOptions: {
        noEmit: false,
        declaration: true,
        rewriteRelativeImportExtensions: true,
        rootDir: '../packages',
        outDir: '.emitted',
      },
      include: ['../packages/**/*.ts', '../packages/**/*.tsx'],
      exclude: [
        '../packages/**/*.test.ts',
        '../packages/**/testing/**',
        '../packages/**/*.fixture.ts',
        '../**/node_modules',
      ],
    }),
  );
  const tsc = join(root, 'node_modules/typescript/bin/tsc');
  const { status } = spawnSync(process.execPath, [tsc, '-p', config], { cwd: root, stdio: 'inherit' });
  if (status !== 0) throw new Error('tsc failed; `npm run types` shows the same errors');
}

function assemble(room: string): void {
  const source = join(root, 'packages', room);
  const target = join(out, room);
  const manifest = JSON.parse(readFileSync(join(source, 'package.json'), 'utf8')) as Manifest;
  cpSync(join(emitted, room), target, { recursive: true });
  for (const asset of assetsOf(manifest).flatMap((pattern) => globSync(pattern, { cwd: source }))) {
    mkdirSync(dirname(join(target, asset)), { recursive: true });
    cpSync(join(source, asset), join(target, asset), { recursive: true });
  }
  for (const file of ['README.md', 'LICENSE']) {
    const own = join(source, file);
    cpSync(existsSync(own) ? own : join(root, file), join(target, file));
  }
  writeFileSync(join(target, 'package.json'), `${JSON.stringify(publishedManifest(manifest), null, 2)}\n`);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  rmSync(out, { recursive: true, force: true });
  mkdirSync(out, { recursive: true });
  compile();
  const rooms = globSync('packages/*/package.json', { cwd: root }).map(
    (path) => dirname(path).split(/[\\/]/).at(-1) ?? '',
  );
  for (const room of rooms.sort()) {
    assemble(room);
    console.log(`built dist/${room}`);
  }
  rmSync(emitted, { recursive: true, force: true });
  rmSync(join(out, 'tsconfig.json'));
}
