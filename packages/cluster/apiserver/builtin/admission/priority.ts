import type { AdmissionPlugin } from '../../admission/admission.ts';
import { forbidden } from '../../http/api-error.ts';
import type { JsonObject } from '../../schema/structural.ts';
import { metadataAt, numberAt, specAt, textAt } from '../fields.ts';
import type { Lookup } from '../lookup.ts';
import { systemPriorityClasses } from '../policy/policy.ts';
import { isPodWrite } from './pod-write.ts';

const CLASSES = { group: 'scheduling.k8s.io', plural: 'priorityclasses', namespaced: false } as const;

/** The number behind a priority class's name; zero without one, or what the default class says. */
export function priority(lookup: Lookup): AdmissionPlugin {
  const find = (name: string): JsonObject | undefined =>
    lookup.get(CLASSES, undefined, name) ??
    systemPriorityClasses.find((one) => textAt(metadataAt(one), 'name') === name);
  const byDefault = () => lookup.list(CLASSES).filter((one) => one['globalDefault'] === true);

  return {
    name: 'Priority',
    mutate(request) {
      const { object, oldObject, name } = request;
      if (!isPodWrite(request, ['CREATE', 'UPDATE']) || !object) return undefined;
      const spec = specAt(object);
      if (request.operation === 'UPDATE') return keepPriority(object, oldObject);
      const wanted = textAt(spec, 'priorityClassName');
      const found = wanted === '' ? byDefault()[0] : find(wanted);
      if (wanted !== '' && !found)
        throw forbidden({ group: '', plural: 'pods' }, name, `no PriorityClass with name ${wanted} was found`);
      const value = numberAt(found, 'value') ?? 0;
      const given = numberAt(spec, 'priority');
      if (given !== undefined && given !== value)
        throw forbidden(
          { group: '', plural: 'pods' },
          name,
          `the integer value of priority (${given}) must not be provided in pod spec; priority admission controller computed ${value} from the given PriorityClass name`,
        );
      return {
        ...object,
        spec: {
          ...spec,
          ...(found ? { priorityClassName: textAt(metadataAt(found), 'name') } : {}),
          priority: value,
          preemptionPolicy:
            textAt(spec, 'preemptionPolicy') || textAt(found, 'preemptionPolicy') || 'PreemptLowerPriority',
        },
      };
    },
  };
}

/** An update that does not speak of the priority keeps it. */
function keepPriority(object: JsonObject, old: JsonObject | undefined): JsonObject | undefined {
  const [spec, before] = [specAt(object), old ? specAt(old) : {}];
  const kept: JsonObject = {};
  for (const field of ['priority', 'preemptionPolicy']) {
    const value = before[field];
    if (value !== undefined && spec[field] === undefined) kept[field] = value;
  }
  return Object.keys(kept).length === 0 ? undefined : { ...object, spec: { ...spec, ...kept } };
}
