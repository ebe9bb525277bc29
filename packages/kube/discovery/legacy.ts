import { parseBody } from '../client/call.ts';
import type { CallOptions } from '../client/contract.ts';
import { KubeError } from '../errors.ts';
import type { Transport } from '../transport/contract.ts';
import { fetchDocument } from './discover.ts';
import type { Discovered, Resource } from './resource.ts';

interface GroupList {
  groups?: { name: string; preferredVersion?: { version?: string }; versions?: { version: string }[] }[];
}

interface ResourceList {
  resources?: {
    name: string;
    kind: string;
    namespaced?: boolean;
    singularName?: string;
    shortNames?: string[];
    categories?: string[];
    verbs?: string[];
  }[];
}

/** The documents from before aggregated discovery: one list of groups, then one document per group-version. */
export async function discoverLegacy(transport: Transport, options: CallOptions): Promise<Discovered> {
  const read = async <T>(path: string): Promise<T> => {
    const document = await fetchDocument(transport, path, 'application/json', options);
    return parseBody<T>(document, () => ({ verb: 'discover', resource: path, about: transport.about }));
  };
  const [core, list] = await Promise.all([read<{ versions?: string[] }>('/api'), read<GroupList>('/apis')]);
  const wanted = [
    ...(core.versions ?? []).map((version) => ({ group: '', version })),
    ...(list.groups ?? []).flatMap((group) => preferredFirst(group).map((version) => ({ group: group.name, version }))),
  ];
  const resources: Resource[] = [];
  const problems: string[] = [];
  const answers = await Promise.allSettled(
    wanted.map(({ group, version }) =>
      read<ResourceList>(group === '' ? `/api/${version}` : `/apis/${group}/${version}`),
    ),
  );
  for (const [index, answer] of answers.entries()) {
    const { group = '', version = '' } = wanted[index] ?? {};
    if (answer.status === 'fulfilled') {
      resources.push(...readResources(group, version, answer.value));
      continue;
    }
    // One extension API server that is down must not hide all the others; a deadline or lost server hides everything.
    const error: unknown = answer.reason;
    if (!(error instanceof KubeError) || error.status === undefined) throw error;
    problems.push(`${group}/${version}: ${error.message}`);
  }
  return { resources, problems };
}

function preferredFirst(group: NonNullable<GroupList['groups']>[number]): string[] {
  const versions = (group.versions ?? []).map((entry) => entry.version);
  const preferred = group.preferredVersion?.version;
  return preferred === undefined ? versions : [preferred, ...versions.filter((version) => version !== preferred)];
}

function readResources(group: string, version: string, list: ResourceList): Resource[] {
  const entries = list.resources ?? [];
  return entries
    .filter((entry) => !entry.name.includes('/'))
    .map((entry) => ({
      group,
      version,
      kind: entry.kind,
      plural: entry.name,
      namespaced: entry.namespaced ?? false,
      singular: entry.singularName || entry.kind.toLowerCase(),
      shortNames: entry.shortNames ?? [],
      categories: entry.categories ?? [],
      verbs: entry.verbs ?? [],
      subresources: entries
        .filter((other) => other.name.startsWith(`${entry.name}/`))
        .map((other) => other.name.slice(entry.name.length + 1)),
    }));
}
