/** The kubeconfig of a cluster: as a file of its own, and merged into one that a person has already. */
import { open, readFile, realpath, rm } from 'node:fs/promises';
import { Document, isMap, isSeq, parseDocument, type YAMLMap, YAMLSeq } from 'yaml';
import { AuthError } from './errors.ts';
import type { Identity } from './pki/identity.ts';
import { writePrivateFile } from './private-files.ts';

export interface KubeconfigEntry {
  /** Of cluster, user and context alike. */
  readonly name?: string;
  readonly server: string;
  /** PEM of the authority that the server's certificate comes from. */
  readonly ca: string;
  readonly credentials: Identity | { readonly token: string };
  readonly namespace?: string;
}

const DEFAULT_NAME = 'sandbank';
/** Go reads YAML 1.1, where a bare `no` or `on` is a boolean. */
const YAML = { compat: 'yaml-1.1', lineWidth: 0 } as const;

interface Parts {
  readonly name: string;
  readonly cluster: Record<string, string>;
  readonly user: Record<string, string>;
  readonly context: Record<string, string>;
}

export function kubeconfigText(entry: KubeconfigEntry): string {
  return new Document(configOf(entry), YAML).toString(YAML);
}

function configOf(entry: KubeconfigEntry): object {
  const { name, cluster, user, context } = partsOf(entry);
  return {
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [{ name, cluster }],
    users: [{ name, user }],
    contexts: [{ name, context }],
    'current-context': name,
  };
}

/**
 * The text of a kubeconfig with our entries in it, and ours the current one. Entries of the same name are replaced;
 * everything else, comments included, stays as it is. Throws for a text that is not a kubeconfig.
 */
export function mergeKubeconfig(existing: string, entry: KubeconfigEntry): string {
  const document: Document = parseDocument(existing, YAML);
  const [broken] = document.errors;
  if (broken) throw notKubeconfig(broken.message, broken);
  if (document.toJS() === null) {
    document.contents = document.createNode(configOf(entry));
    return document.toString(YAML);
  }
  const root = document.contents;
  if (!isMap(root) || (root.has('kind') && root.get('kind') !== 'Config')) {
    throw notKubeconfig('it is not an object of kind Config');
  }
  const { name, cluster, user, context } = partsOf(entry);
  put(document, root, 'clusters', name, { name, cluster });
  put(document, root, 'users', name, { name, user });
  put(document, root, 'contexts', name, { name, context });
  root.set('current-context', name);
  if (!root.has('apiVersion')) root.set('apiVersion', 'v1');
  if (!root.has('kind')) root.set('kind', 'Config');
  return document.toString(YAML);
}

/** Merges into a file under the lock that kubectl takes too; the file is the old one or the new one, never a part. */
export async function mergeKubeconfigFile(file: string, entry: KubeconfigEntry): Promise<void> {
  const target = await realpath(file).catch(() => file);
  const lock = `${target}.lock`;
  const handle = await open(lock, 'wx', 0o600).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'EEXIST') throw failed(target, error);
    throw new AuthError(
      'kubeconfig-locked',
      `${target} is being written by another program: ${lock} exists. Try again; when no such program runs, remove that file.`,
      { cause: error },
    );
  });
  try {
    const existing = await readFile(target, 'utf8').catch((error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT') return '';
      throw error;
    });
    await writePrivateFile(target, mergeKubeconfig(existing, entry));
  } catch (error) {
    throw error instanceof AuthError ? error : failed(target, error);
  } finally {
    await handle.close();
    await rm(lock, { force: true });
  }
}

function partsOf({ name = DEFAULT_NAME, server, ca, credentials, namespace }: KubeconfigEntry): Parts {
  const base64 = (text: string) => Buffer.from(text).toString('base64');
  return {
    name,
    cluster: { server, 'certificate-authority-data': base64(ca) },
    user:
      'token' in credentials
        ? { token: credentials.token }
        : {
            'client-certificate-data': base64(credentials.certificate),
            'client-key-data': base64(credentials.key),
          },
    context: { cluster: name, user: name, ...(namespace === undefined ? {} : { namespace }) },
  };
}

function put(document: Document, root: YAMLMap, list: string, name: string, item: object): void {
  let entries = root.get(list);
  if (entries === undefined || entries === null) {
    entries = new YAMLSeq();
    root.set(list, entries);
  }
  if (!isSeq(entries)) throw notKubeconfig(`${list} is not a list`);
  const node = document.createNode(item);
  const at = entries.items.findIndex((entry) => isMap(entry) && entry.get('name') === name);
  if (at < 0) entries.items.push(node);
  else entries.items[at] = node;
}

const notKubeconfig = (why: string, cause?: unknown) =>
  new AuthError(
    'kubeconfig-invalid',
    `The kubeconfig can't be merged into: ${why}. It was left as it is; mend it, or write to another file.`,
    { cause },
  );

const failed = (file: string, cause: unknown) =>
  new AuthError('kubeconfig-io', `Cannot write ${file}: ${cause instanceof Error ? cause.message : String(cause)}.`, {
    cause,
  });
