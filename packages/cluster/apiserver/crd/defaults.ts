import type { JsonObject } from '../schema/structural.ts';
import { asCrd } from './model.ts';

/** What a CRD need not say: names that follow from the kind, no conversion, and what is stored. Changes the object. */
export function defaultCrd(object: JsonObject): void {
  const { spec, status } = asCrd(object);
  if (!spec?.names?.kind) return;
  const { kind } = spec.names;
  object['spec'] = {
    ...(spec as unknown as JsonObject),
    names: {
      ...(spec.names as unknown as JsonObject),
      singular: spec.names.singular || kind.toLowerCase(),
      listKind: spec.names.listKind || `${kind}List`,
    },
    conversion: (spec.conversion ?? { strategy: 'None' }) as unknown as JsonObject,
  };
  if (status?.storedVersions?.length) return;
  const stored = spec.versions?.find(({ storage }) => storage);
  if (stored) object['status'] = { ...(status as unknown as JsonObject), storedVersions: [stored.name] };
}
