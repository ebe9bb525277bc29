/** What can be asked of a kind, path by path: the common ground of both versions of OpenAPI. */
import type { Resource, Subresource } from '../registry/resource.ts';
import { DELETE_OPTIONS, definitionName, type Kind, PATCH, RESOURCE_LIST, STATUS } from './definitions.ts';
import type { ServedVersion } from './groups.ts';

export type Method = 'get' | 'put' | 'post' | 'delete' | 'patch';

export interface Parameter {
  readonly name: string;
  readonly in: 'query' | 'path';
  readonly type: 'string' | 'integer' | 'boolean';
}

export interface Operation {
  readonly id: string;
  readonly tag: string;
  /** Absent where it is about no kind. */
  readonly action?: string;
  readonly kind?: Kind;
  readonly parameters: readonly Parameter[];
  readonly body?: { readonly definition: string; readonly required: boolean; readonly types: readonly string[] };
  /** What comes back, by status. Text where there is no definition. */
  readonly responses: Readonly<Record<string, string | undefined>>;
}

export interface PathItem {
  readonly path: string;
  readonly parameters: readonly Parameter[];
  readonly operations: Readonly<Partial<Record<Method, Operation>>>;
}

export const RESPONSES: Readonly<Record<string, string>> = {
  200: 'OK',
  201: 'Created',
  202: 'Accepted',
  401: 'Unauthorized',
};

const query = (type: Parameter['type'], ...names: string[]): Parameter[] =>
  names.map((name) => ({ name, in: 'query', type }));
const path = (...names: string[]): Parameter[] => names.map((name) => ({ name, in: 'path', type: 'string' }));
const sorted = (...parameters: Parameter[]) => parameters.sort((a, b) => (a.name < b.name ? -1 : 1));

const PRETTY = query('string', 'pretty');
const SELECT = [
  ...query('string', 'continue', 'fieldSelector', 'labelSelector', 'resourceVersion', 'resourceVersionMatch'),
  ...query('integer', 'limit', 'timeoutSeconds'),
  ...query('boolean', 'sendInitialEvents'),
];
const LIST = sorted(...SELECT, ...query('boolean', 'allowWatchBookmarks', 'watch'));
/** kubectl looks for these by name before it leaves the checking of fields and dry runs to the server. */
const WRITE = query('string', 'dryRun', 'fieldManager', 'fieldValidation');
const FORCED = [...WRITE, ...query('boolean', 'force')];
const DELETE = sorted(
  ...query('string', 'dryRun', 'propagationPolicy'),
  ...query('integer', 'gracePeriodSeconds'),
  ...query('boolean', 'orphanDependents'),
);
const DELETE_ALL = sorted(...SELECT, ...DELETE);

const ANY = ['*/*'];
const TEXTS = ['application/json', 'application/yaml'];
const PATCHES = ['application/json-patch+json', 'application/merge-patch+json', 'application/apply-patch+yaml'];
const STRATEGIC = 'application/strategic-merge-patch+json';

const METHODS: Readonly<Record<string, Method>> = {
  get: 'get',
  list: 'get',
  create: 'post',
  update: 'put',
  patch: 'patch',
  delete: 'delete',
  deletecollection: 'delete',
};
const WORDS: Readonly<Record<string, string>> = { get: 'read', update: 'replace', deletecollection: 'delete' };

export function pathItems(version: ServedVersion): PathItem[] {
  const root = version.group === '' ? `/api/${version.groupVersion}` : `/apis/${version.groupVersion}`;
  const names = naming(version);
  const items = version.resources.flatMap((resource) => itemsOf(resource, root, names));
  const isBuiltin = version.resources.some(({ builtin }) => builtin);
  return [...(isBuiltin ? [indexItem(root, names)] : []), ...items].sort((a, b) => (a.path < b.path ? -1 : 1));
}

const indexItem = (root: string, { prefix, tag }: Naming): PathItem => ({
  path: `${root}/`,
  parameters: [],
  operations: {
    get: {
      id: `get${prefix}APIResources`,
      tag,
      parameters: [],
      responses: { 200: RESOURCE_LIST, 401: undefined },
    },
  },
});

function itemsOf(resource: Resource, root: string, names: Naming): PathItem[] {
  const { namespaced, plural, verbs } = resource;
  const base = namespaced ? `${root}/namespaces/{namespace}/${plural}` : `${root}/${plural}`;
  const place = namespaced ? path('namespace') : [];
  const scope = namespaced ? 'Namespaced' : '';
  const make = (
    at: string,
    parameters: Parameter[],
    wanted: readonly string[],
    suffix = '',
    sub?: Subresource,
  ): PathItem[] => {
    const operations = operationsOf(resource, wanted, names, { scope, suffix, sub });
    return Object.keys(operations).length === 0
      ? []
      : [{ path: at, parameters: sorted(...parameters, ...PRETTY), operations }];
  };
  const having = (...wanted: string[]) => wanted.filter((verb) => verbs.includes(verb));
  return [
    ...make(base, place, having('list', 'create', 'deletecollection')),
    ...make(`${base}/{name}`, [...path('name'), ...place], having('get', 'update', 'patch', 'delete')),
    ...(namespaced ? make(`${root}/${plural}`, [], having('list'), 'ForAllNamespaces') : []),
    ...resource.subresources.flatMap((sub) =>
      make(`${base}/{name}/${sub.name}`, [...path('name'), ...place], sub.verbs, capital(sub.name), sub),
    ),
  ];
}

interface Spelling {
  readonly scope: string;
  readonly suffix: string;
  readonly sub: Subresource | undefined;
}

function operationsOf(
  resource: Resource,
  verbs: readonly string[],
  names: Naming,
  { scope, suffix, sub }: Spelling,
): Partial<Record<Method, Operation>> {
  const { group, version, kind: parent, listKind, builtin } = resource;
  const kind = sub?.kind ?? { group, version, kind: parent };
  // Kinds of subresources are built in even where the parent is not.
  const definition = definitionName(kind, !builtin && sub?.kind === undefined);
  const isText = sub !== undefined && (definition === undefined || sub.name === 'log');
  const operations: Partial<Record<Method, Operation>> = {};
  for (const verb of verbs) {
    const method = METHODS[verb];
    if (!method) continue;
    const collection = verb === 'deletecollection' ? 'Collection' : '';
    const isAll = suffix === 'ForAllNamespaces';
    const id =
      isText && sub.name !== 'log'
        ? `connect${names.prefix}${capital(method)}${scope}${parent}${suffix}`
        : `${WORDS[verb] ?? verb}${names.prefix}${collection}${isAll ? '' : scope}${parent}${suffix}`;
    operations[method] = {
      id,
      tag: names.tag,
      kind: sub?.kind?.group === 'autoscaling' && !builtin ? { group, version, kind: parent } : kind,
      ...(isText
        ? {
            action: sub.name === 'log' ? 'get' : 'connect',
            parameters: [],
            responses: { 200: undefined, 401: undefined },
          }
        : details(verb, definition ?? '', definitionName({ group, version, kind: listKind }, !builtin), builtin)),
    };
  }
  return operations;
}

function details(
  verb: string,
  definition: string,
  list: string | undefined,
  builtin: boolean,
): Pick<Operation, 'action' | 'parameters' | 'body' | 'responses'> {
  const body = { definition, required: true, types: builtin ? ANY : TEXTS };
  const gone = { 401: undefined };
  switch (verb) {
    case 'list':
      return { action: 'list', parameters: LIST, responses: { 200: list, ...gone } };
    case 'create':
      return {
        action: 'post',
        parameters: WRITE,
        body,
        responses: { 200: definition, 201: definition, 202: definition, ...gone },
      };
    case 'update':
      return { action: 'put', parameters: WRITE, body, responses: { 200: definition, 201: definition, ...gone } };
    case 'patch': {
      const types = builtin ? [...PATCHES, STRATEGIC] : PATCHES;
      return {
        action: 'patch',
        parameters: FORCED,
        body: { definition: PATCH, required: true, types },
        responses: { 200: definition, 201: definition, ...gone },
      };
    }
    case 'delete':
    case 'deletecollection': {
      const options = { definition: DELETE_OPTIONS, required: false, types: body.types };
      const isOne = verb === 'delete';
      return {
        action: verb,
        parameters: isOne ? DELETE : DELETE_ALL,
        body: options,
        responses: { 200: STATUS, ...(isOne && { 202: STATUS }), ...gone },
      };
    }
    default:
      return { action: 'get', parameters: [], responses: { 200: definition, ...gone } };
  }
}

/** Names of the definitions that operations use. */
export function referenced(items: readonly PathItem[]): Set<string> {
  const names = new Set<string>();
  for (const { operations } of items) {
    for (const { body, responses } of Object.values(operations)) {
      if (body) names.add(body.definition);
      for (const definition of Object.values(responses)) if (definition !== undefined) names.add(definition);
    }
  }
  return names;
}

interface Naming {
  /** `AppsV1` */
  readonly prefix: string;
  /** `apps_v1` */
  readonly tag: string;
}

function naming({ group, version }: ServedVersion): Naming {
  const parts = (group === '' ? 'core' : group.replace(/\.k8s\.io$/, '')).split('.');
  const camel = parts.map(capital).join('');
  return { prefix: `${camel}${capital(version)}`, tag: `${camel.charAt(0).toLowerCase()}${camel.slice(1)}_${version}` };
}

const capital = (word: string) => word.charAt(0).toUpperCase() + word.slice(1);
