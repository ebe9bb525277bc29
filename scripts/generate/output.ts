import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { dirname, join, relative } from 'node:path';

/** What the generators want the tree to hold. Paths are relative to the root, with forward slashes. */
export interface Output {
  readonly files: ReadonlyMap<string, string>;
  /** Folders in which nothing but generated files lives: what is there and not in `files` is stale. */
  readonly folders: readonly string[];
}

/** All files of one folder, which holds nothing else. */
export function under(folder: string, files: ReadonlyMap<string, string>): Output {
  return { files: new Map([...files].map(([name, text]) => [`${folder}/${name}`, text])), folders: [folder] };
}

export function merge(outputs: readonly Output[]): Output {
  return {
    files: new Map(outputs.flatMap(({ files }) => [...files])),
    folders: outputs.flatMap(({ folders }) => folders),
  };
}

/** Makes the tree hold the output, or with `check` only says what that would change. */
export async function renew(
  root: string,
  output: Output,
  check: boolean,
): Promise<{ lines: string[]; exitCode: 0 | 1 }> {
  const changed = await changes(root, output);
  if (changed.length === 0) return { lines: [`${output.files.size} generated files are up to date`], exitCode: 0 };
  if (check) {
    const remedy = 'Generated files differ from what is there. Run npm run generate and commit the result.';
    return { lines: [...changed.map(({ path, why }) => `${why}: ${path}`), remedy], exitCode: 1 };
  }
  await write(root, output, changed);
  return { lines: changed.map(({ path, why }) => `${why === 'stale' ? 'removed' : 'written'}: ${path}`), exitCode: 0 };
}

interface Change {
  readonly path: string;
  readonly why: 'missing' | 'different' | 'stale';
}

async function changes(root: string, output: Output): Promise<Change[]> {
  const found: Change[] = [];
  for (const [path, text] of output.files) {
    const current = await readText(join(root, path));
    if (current === undefined) found.push({ path, why: 'missing' });
    else if (current !== text) found.push({ path, why: 'different' });
  }
  for (const folder of output.folders) {
    for (const path of await filesIn(root, folder)) {
      if (!output.files.has(path)) found.push({ path, why: 'stale' });
    }
  }
  return found.sort((a, b) => (a.path < b.path ? -1 : 1));
}

async function write(root: string, output: Output, changed: readonly Change[]): Promise<void> {
  for (const { path, why } of changed) {
    const file = join(root, path);
    if (why === 'stale') {
      await rm(file);
      continue;
    }
    await mkdir(dirname(file), { recursive: true });
    await writeFile(file, output.files.get(path) ?? '');
  }
}

/** Undefined when there is no such file; every other failure is thrown. */
export async function readText(file: string): Promise<string | undefined> {
  try {
    return await readFile(file, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}

export async function filesIn(root: string, folder: string): Promise<string[]> {
  try {
    const entries = await readdir(join(root, folder), { recursive: true, withFileTypes: true });
    return entries
      .filter((entry) => entry.isFile())
      .map((entry) => relative(root, join(entry.parentPath, entry.name)).replaceAll('\\', '/'))
      .sort();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
    throw error;
  }
}
