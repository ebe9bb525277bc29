/**
 * Discovery: which groups, versions and kinds there are. In one document for clients that ask for it (kubectl and client-go do),
 * and in the old way, a document per version, for all others.
 */
import { createHash } from 'node:crypto';
import { notAcceptable } from '../http/api-error.ts';
import { type ApiRequest, type ApiResponse, jsonResponse } from '../http/exchange.ts';
import type { PathHandler } from '../http/handler.ts';
import type { Registry } from '../registry/registry.ts';
import type { Resource, Subresource } from '../registry/resource.ts';
import type { JsonObject } from '../schema/structural.ts';
import { clauses } from './accept.ts';
import { answer, byGeneration, type Document, isRead, jsonDocument, trimmed } from './documents.ts';
import { type ServedGroup, type ServedVersion, servedGroups } from './groups.ts';

const AGGREGATED = 'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList';

interface Documents {
  /** By path. */
  readonly legacy: ReadonlyMap<string, JsonObject>;
  readonly aggregated: ReadonlyMap<string, Document>;
}

export function discoveryPaths(registry: Registry): PathHandler {
  const documents = byGeneration(registry, (resources) => build(servedGroups(resources)));
  return (request) => {
    const path = trimmed(request.path);
    if (!isRead(request) || !/^\/apis?(\/|$)/.test(path)) return undefined;
    const { legacy, aggregated } = documents();
    const whole = aggregated.get(path);
    if (whole && wants(request) === 'aggregated') return answer(request, whole, { 'cache-control': 'public' });
    const document = path === '/api' ? coreVersions(request) : legacy.get(path);
    return document && accepted(request, document);
  };
}

function accepted(request: ApiRequest, document: JsonObject): ApiResponse {
  if (wants(request) === 'nothing') throw notAcceptable(['application/json']);
  return jsonResponse(200, document, { 'cache-control': 'no-cache, private', vary: 'Accept' });
}

function wants({ headers }: ApiRequest): 'aggregated' | 'legacy' | 'nothing' {
  for (const { type, parameters } of clauses(headers['accept'])) {
    if (!['application/json', 'application/*', '*/*'].includes(type)) continue;
    const as = parameters.get('as');
    if (as === undefined) return 'legacy';
    const isDiscovery = as === 'APIGroupDiscoveryList' && parameters.get('g') === 'apidiscovery.k8s.io';
    if (isDiscovery && parameters.get('v') === 'v2') return 'aggregated';
  }
  return 'nothing';
}

function build(groups: readonly ServedGroup[]): Documents {
  const named = groups.filter(({ name }) => name !== '');
  const legacy = new Map<string, JsonObject>();
  legacy.set('/apis', { kind: 'APIGroupList', apiVersion: 'v1', groups: named.map(groupEntry) });
  for (const group of groups) {
    if (group.name !== '')
      legacy.set(`/apis/${group.name}`, { kind: 'APIGroup', apiVersion: 'v1', ...groupEntry(group) });
    for (const version of group.versions) legacy.set(pathOf(version), resourceList(group, version));
  }
  const aggregated = new Map([
    ['/api', aggregate(groups.filter(({ name }) => name === ''))],
    ['/apis', aggregate(named)],
  ]);
  return { legacy, aggregated };
}

/** Where the documents of a version are: `/api/v1`, `/apis/apps/v1`. */
export const pathOf = ({ group, groupVersion }: ServedVersion) =>
  group === '' ? `/api/${groupVersion}` : `/apis/${groupVersion}`;

function coreVersions({ headers }: ApiRequest): JsonObject {
  return {
    kind: 'APIVersions',
    versions: ['v1'],
    serverAddressByClientCIDRs: [
      { clientCIDR: '0.0.0.0/0', serverAddress: headers[':authority'] ?? headers['host'] ?? '' },
    ],
  };
}

function groupEntry({ name, versions }: ServedGroup): JsonObject {
  const entries = versions.map(({ groupVersion, version }) => ({ groupVersion, version }));
  return { name, versions: entries, preferredVersion: entries[0] ?? null };
}

function resourceList(group: ServedGroup, { groupVersion, resources }: ServedVersion): JsonObject {
  return {
    kind: 'APIResourceList',
    ...(group.name !== '' && { apiVersion: 'v1' }),
    groupVersion,
    resources: resources.flatMap((resource) => [
      resourceEntry(resource, group),
      ...resource.subresources.map((sub) => subresourceEntry(resource, sub)),
    ]),
  };
}

function resourceEntry(resource: Resource, group: ServedGroup): JsonObject {
  const { plural, singular, namespaced, kind, verbs, shortNames, categories } = resource;
  const isStored = verbs.includes('list') && !UNSTORED.has(plural);
  return {
    name: plural,
    singularName: singular,
    namespaced,
    kind,
    verbs: [...verbs],
    ...(shortNames.length > 0 && { shortNames: [...shortNames] }),
    ...(categories.length > 0 && { categories: [...categories] }),
    ...(isStored && { storageVersionHash: storageVersionHash(resource, group) }),
  };
}

function subresourceEntry({ plural, namespaced, kind, group }: Resource, sub: Subresource): JsonObject {
  const own = sub.kind;
  return {
    name: `${plural}/${sub.name}`,
    singularName: '',
    namespaced,
    // The group of a kind is told where it is not that of the document.
    ...(own && own.group !== group && { group: own.group, version: own.version }),
    kind: own?.kind ?? kind,
    verbs: [...sub.verbs],
  };
}

/** Computed when they are asked for. */
const UNSTORED = new Set(['componentstatuses']);

/** Kinds that are served in one group and stored as those of another. */
const STORED_AS: Readonly<Record<string, string>> = { 'events.k8s.io/v1/Event': '/v1/Event' };

/**
 * Clients that migrate stored objects see by it whether the stored form changed. A kind of several versions is taken to be
 * stored at the preferred one.
 */
function storageVersionHash({ group, kind, plural }: Resource, { versions }: ServedGroup): string {
  const stored = versions.find(({ resources }) => resources.some((one) => one.plural === plural));
  const own = `${group}/${stored?.version}/${kind}`;
  const hash = createHash('sha256').update(STORED_AS[own] ?? own);
  return hash.digest().subarray(0, 8).toString('base64');
}

function aggregate(groups: readonly ServedGroup[]): Document {
  const items = groups.map(({ name, versions }) => ({
    metadata: name === '' ? {} : { name },
    versions: versions.map(({ version, resources }) => ({
      version,
      resources: resources.map(aggregatedResource),
      freshness: 'Current',
    })),
  }));
  return jsonDocument(
    { kind: 'APIGroupDiscoveryList', apiVersion: 'apidiscovery.k8s.io/v2', metadata: {}, items },
    AGGREGATED,
  );
}

function aggregatedResource(resource: Resource): JsonObject {
  const { plural, singular, namespaced, verbs, shortNames, categories, subresources } = resource;
  return {
    resource: plural,
    responseKind: responseKind(resource),
    scope: namespaced ? 'Namespaced' : 'Cluster',
    singularResource: singular,
    verbs: [...verbs],
    ...(shortNames.length > 0 && { shortNames: [...shortNames] }),
    ...(categories.length > 0 && { categories: [...categories] }),
    ...(subresources.length > 0 && {
      subresources: subresources.map((sub) => ({
        subresource: sub.name,
        responseKind: responseKind(resource, sub),
        verbs: [...sub.verbs],
      })),
    }),
  };
}

/** Built-in kinds leave group and version empty where they are those of the document; custom ones spell them out. */
function responseKind({ group, version, kind, builtin }: Resource, sub?: Subresource): JsonObject {
  const own = sub?.kind;
  if (own && own.group !== group) return { ...own };
  const named = own?.kind ?? kind;
  return builtin ? { group: '', version: '', kind: named } : { group, version, kind: named };
}
