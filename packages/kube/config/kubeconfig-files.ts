import { readFileSync } from 'node:fs';
import { dirname, isAbsolute, resolve } from 'node:path';
import { parseDocument } from 'yaml';
import { badConfig, reasonOf } from './bad-config.ts';
import { Fields } from './fields.ts';

/** Kubeconfig files merged into one, entries still unread: a broken entry that no chosen context uses harms nobody. */
export interface Kubeconfig {
  /** The files that were read, for messages. */
  readonly files: readonly string[];
  readonly currentContext: string | undefined;
  readonly clusters: ReadonlyMap<string, Fields>;
  readonly users: ReadonlyMap<string, Fields>;
  readonly contexts: ReadonlyMap<string, Fields>;
}

/**
 * Merges as kubectl does: the first file that names a cluster, user or context wins for that name; the first that sets
 * current-context wins. Files of a list (`KUBECONFIG=a:b`) may be missing; one named alone may not.
 */
export function readKubeconfigs(paths: readonly string[], mustExist: boolean): Kubeconfig | undefined {
  const files: string[] = [];
  const clusters = new Map<string, Fields>();
  const users = new Map<string, Fields>();
  const contexts = new Map<string, Fields>();
  let currentContext: string | undefined;
  for (const path of paths) {
    const root = readKubeconfig(path, mustExist);
    if (!root) continue;
    files.push(path);
    currentContext ??= root.string('current-context');
    collect(root, 'clusters', 'cluster', clusters);
    collect(root, 'users', 'user', users);
    collect(root, 'contexts', 'context', contexts);
  }
  return files.length === 0 ? undefined : { files, currentContext, clusters, users, contexts };
}

function readKubeconfig(path: string, mustExist: boolean): Fields | undefined {
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch (cause) {
    if (!mustExist && (cause as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw badConfig(
      path,
      `the kubeconfig cannot be read: ${reasonOf(cause)}`,
      'Name an existing, readable file',
      cause,
    );
  }
  if (text.trim() === '') return new Fields({}, path);
  const document = parseDocument(text, { prettyErrors: true, uniqueKeys: true });
  const [error] = document.errors;
  if (error) {
    const [summary = error.message] = error.message.split('\n');
    throw badConfig(path, `the kubeconfig is not valid YAML: ${summary.replace(/:$/, '')}`, 'Correct that line', error);
  }
  const root = new Fields(document.toJS(), path);
  const kind = root.string('kind');
  if (kind !== undefined && kind !== 'Config') {
    throw badConfig(root.at('kind'), `is ${kind}, not Config`, 'Name a kubeconfig file, not a manifest');
  }
  return root;
}

function collect(root: Fields, list: string, member: string, into: Map<string, Fields>): void {
  for (const entry of root.list(list)) {
    const name = entry.string('name');
    if (name === undefined) throw badConfig(entry.at('name'), 'is missing', `Every entry of ${list} needs a name`);
    if (into.has(name)) continue;
    into.set(name, entry.fields(member) ?? new Fields({}, entry.file, `${entry.path}.${member}`));
  }
}

/** Paths inside a kubeconfig are relative to the file they stand in. */
export function besideFile(fields: Fields, path: string): string {
  return isAbsolute(path) ? path : resolve(dirname(fields.file), path);
}
