/** The kinds that a CRD serves: one resource per served version, all in one place of the store. */
import type { Resource, Strategy, Subresource } from '../registry/resource.ts';
import type { JsonObject } from '../schema/structural.ts';
import { tableOf } from './columns.ts';
import { customSchema } from './custom-schema.ts';
import { asCrd, type CrdVersion } from './model.ts';
import { scaleErrors } from './scale.ts';

const VERBS = ['delete', 'deletecollection', 'get', 'list', 'patch', 'create', 'update', 'watch'];
const SUBRESOURCE_VERBS = ['get', 'patch', 'update'];

export function resourcesOfCrd(object: JsonObject): Resource[] {
  const { spec, status } = asCrd(object);
  // What was accepted is served: a name in dispute may be another CRD's.
  const names = status?.acceptedNames?.kind ? status.acceptedNames : spec.names;
  return spec.versions
    .filter(({ served }) => served)
    .map(
      (version): Resource => ({
        group: spec.group,
        version: version.name,
        kind: names.kind,
        listKind: names.listKind ?? `${names.kind}List`,
        plural: names.plural,
        singular: names.singular ?? names.kind.toLowerCase(),
        namespaced: spec.scope === 'Namespaced',
        shortNames: names.shortNames ?? [],
        categories: names.categories ?? [],
        verbs: VERBS,
        schema: customSchema(version.schema?.openAPIV3Schema),
        subresources: subresourcesOf(version),
        table: tableOf(version.additionalPrinterColumns),
        strategy: strategyOf(version),
        builtin: false,
        hasGeneration: true,
      }),
    );
}

function subresourcesOf({ subresources }: CrdVersion): Subresource[] {
  return [
    ...(subresources?.status ? [{ name: 'status', verbs: SUBRESOURCE_VERBS }] : []),
    ...(subresources?.scale
      ? [{ name: 'scale', kind: { group: 'autoscaling', version: 'v1', kind: 'Scale' }, verbs: SUBRESOURCE_VERBS }]
      : []),
  ];
}

function strategyOf({ subresources, selectableFields, name, deprecated, deprecationWarning }: CrdVersion): Strategy {
  const scale = subresources?.scale;
  const hasStatus = subresources?.status !== undefined;
  return {
    // Where status has an endpoint of its own, it is written there and nowhere else.
    ...(hasStatus && {
      prepareCreate: (object: JsonObject) => {
        delete object['status'];
      },
      prepareUpdate: (object: JsonObject, old: JsonObject, { subresource }: { subresource?: string | undefined }) => {
        if (subresource === 'status') {
          const { status } = object;
          for (const field of Object.keys(object)) if (field !== 'metadata') delete object[field];
          const { status: _status, metadata: _metadata, ...rest } = old;
          Object.assign(object, rest, status === undefined ? {} : { status });
        } else if (old['status'] === undefined) delete object['status'];
        else object['status'] = old['status'];
      },
    }),
    ...(scale && {
      validateCreate: (object: JsonObject) => scaleErrors(object, scale),
      validateUpdate: (object: JsonObject) => scaleErrors(object, scale),
    }),
    ...(selectableFields && { selectableFields: selectableFields.map(({ jsonPath }) => jsonPath.replace(/^\./, '')) }),
    ...(deprecated && {
      warnings: ({ kind, apiVersion }: JsonObject) => [
        deprecationWarning ?? `${String(apiVersion).replace(/\/.*$/, '')}/${name} ${kind} is deprecated`,
      ],
    }),
  };
}

/** Between versions without conversion, only the name of the version changes. */
export function convertVersion(
  object: JsonObject,
  { group, version }: Pick<Resource, 'group' | 'version'>,
): JsonObject {
  const apiVersion = `${group}/${version}`;
  return object['apiVersion'] === apiVersion ? object : { ...object, apiVersion };
}
