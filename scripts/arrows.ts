/**
 * `npm run arrows`: the dependency arrows of docs/architecture.md, checked from imports.
 * A package may import only the packages to its right, only those that its package.json declares,
 * and never by a relative path out of its own folder (tests may reach the shared fixtures in test/).
 */
import { existsSync, globSync, readFileSync } from 'node:fs';
import { dirname, relative, resolve, sep } from 'node:path';
import { fileURLToPath } from 'node:url';

/** Room → the rooms it may import. What stands in no list may be imported by nobody. */
export const arrows: Readonly<Record<string, readonly string[]>> = {
  kube: [],
  api: ['kube'],
  claims: ['api', 'kube'],
  operator: ['claims', 'api', 'kube'],
  manager: ['claims', 'api', 'kube'],
  gateway: ['claims', 'api', 'kube'],
  dashboard: ['claims', 'api', 'kube'],
  cluster: ['kube'],
  cli: ['operator', 'manager', 'gateway', 'cluster', 'dashboard', 'claims', 'api', 'kube'],
  runtime: [],
  'task-executor': [],
};

const SCOPE = '@sandbank/';
const IMPORT =
  /(?:^|[\s;}])(?:import|export)\s*(?:[\w*{}\s,$]+\sfrom\s*)?['"]([^'"\n]+)['"]|\bimport\(\s*['"]([^'"\n]+)['"]\s*\)/g;

export function importsOf(source: string): string[] {
  const found: string[] = [];
  for (const match of source.matchAll(IMPORT)) {
    const specifier = match[1] ?? match[2];
    if (specifier !== undefined) found.push(specifier);
  }
  return found;
}

export interface SourceFile {
  /** Path from the repository's root, with forward slashes. */
  readonly path: string;
  readonly imports: readonly string[];
}

/** Every broken rule, as a sentence. `declared` has the dependencies of each package.json. */
export function brokenArrows(
  files: readonly SourceFile[],
  declared: Readonly<Record<string, readonly string[]>>,
): string[] {
  const broken: string[] = [];
  for (const file of files) {
    const room = file.path.split('/')[1] ?? '';
    const allowed = arrows[room];
    if (!allowed) {
      broken.push(
        `${file.path}: packages/${room} is not a room of docs/architecture.md; add it there and to scripts/arrows.ts`,
      );
      continue;
    }
    const isTest = /\.test\.tsx?$|\/testing\//.test(file.path);
    for (const specifier of file.imports) {
      if (specifier.startsWith('.')) {
        const target = resolve('/', dirname(file.path), specifier).slice(1);
        const inside = target.startsWith(`packages/${room}/`);
        if (!inside && !(isTest && target.startsWith('test/'))) {
          broken.push(
            `${file.path}: imports ${specifier}, which leaves packages/${room}; import the package by its name`,
          );
        }
      } else if (specifier.startsWith(SCOPE)) {
        const target = specifier.slice(SCOPE.length).split('/')[0] ?? '';
        if (target !== room && !allowed.includes(target)) {
          broken.push(`${file.path}: ${room} may not import ${target} (allowed: ${allowed.join(', ') || 'none'})`);
        } else if (target !== room && !declared[room]?.includes(`${SCOPE}${target}`)) {
          broken.push(`${file.path}: imports ${specifier}, but packages/${room}/package.json does not declare it`);
        }
      }
    }
  }
  return broken;
}

function readRepository(root: string): [SourceFile[], Record<string, string[]>] {
  const declared: Record<string, string[]> = {};
  for (const manifest of globSync('packages/*/package.json', { cwd: root })) {
    const room = manifest.split(sep)[1] ?? '';
    const { dependencies = {} } = JSON.parse(readFileSync(resolve(root, manifest), 'utf8')) as {
      dependencies?: object;
    };
    declared[room] = Object.keys(dependencies);
  }
  const files = globSync('packages/*/**/*.{ts,tsx}', { cwd: root })
    .filter((path) => !/(^|[\\/])(node_modules|dist)[\\/]/.test(path))
    .map((path) => ({
      path: relative('.', path).split(sep).join('/'),
      imports: importsOf(readFileSync(resolve(root, path), 'utf8')),
    }));
  return [files, declared];
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const root = fileURLToPath(new URL('..', import.meta.url));
  if (!existsSync(resolve(root, 'packages'))) throw new Error(`no packages folder in ${root}`);
  const [files, declared] = readRepository(root);
  const broken = brokenArrows(files, declared);
  for (const sentence of broken) console.error(sentence);
  console.log(
    broken.length === 0
      ? `arrows: ${files.length} files, every import points the right way`
      : `arrows: ${broken.length} broken`,
  );
  process.exitCode = broken.length === 0 ? 0 : 1;
}
