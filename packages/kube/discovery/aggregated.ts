import type { Discovered, Resource } from './resource.ts';

/** apidiscovery.k8s.io/v2, as far as it is read. */
export interface AggregatedList {
  items?: {
    metadata?: { name?: string };
    versions?: {
      version: string;
      freshness?: string;
      resources?: {
        resource: string;
        responseKind?: { kind?: string };
        scope?: string;
        singularResource?: string;
        verbs?: string[];
        shortNames?: string[];
        categories?: string[];
        subresources?: { subresource: string }[];
      }[];
    }[];
  }[];
}

export function readAggregated(lists: readonly AggregatedList[]): Discovered {
  const resources: Resource[] = [];
  const problems: string[] = [];
  for (const group of lists.flatMap((list) => list.items ?? [])) {
    const name = group.metadata?.name ?? '';
    for (const version of group.versions ?? []) {
      if (version.freshness === 'Stale')
        problems.push(`${name}/${version.version} is stale: its API server does not answer`);
      for (const entry of version.resources ?? []) {
        const kind = entry.responseKind?.kind;
        // Without a kind of its own it is only a parent of subresources.
        if (!kind) continue;
        resources.push({
          group: name,
          version: version.version,
          kind,
          plural: entry.resource,
          namespaced: entry.scope === 'Namespaced',
          singular: entry.singularResource || kind.toLowerCase(),
          shortNames: entry.shortNames ?? [],
          categories: entry.categories ?? [],
          verbs: entry.verbs ?? [],
          subresources: (entry.subresources ?? []).map((sub) => sub.subresource),
        });
      }
    }
  }
  return { resources, problems };
}
