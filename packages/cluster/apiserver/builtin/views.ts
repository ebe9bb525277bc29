/**
 * Kinds that are served in more than one form and stored in one. A view says where its objects are stored, and how one form is
 * read and written as the other. Everything else (keys, revisions, watches, preconditions) is that of the stored kind.
 */
import type { FieldError, Json, JsonObject } from '../schema/structural.ts';
import { validateNewEvent } from './events/event.ts';
import { isObject, objectAt, objectsAt, textAt } from './fields.ts';

export interface View {
  readonly storage: { readonly group: string; readonly version: string; readonly plural: string };
  fromStorage(object: JsonObject): JsonObject;
  toStorage(object: JsonObject): JsonObject;
  /** What this form asks for beyond the stored kind's rules. */
  validate?(object: JsonObject): FieldError[];
}

const renamed = (object: JsonObject, names: readonly (readonly [string, string])[]): JsonObject => {
  const map = new Map(names);
  return Object.fromEntries(Object.entries(object).map(([field, value]) => [map.get(field) ?? field, value]));
};

const EVENT_FIELDS = [
  ['involvedObject', 'regarding'],
  ['message', 'note'],
  ['source', 'deprecatedSource'],
  ['firstTimestamp', 'deprecatedFirstTimestamp'],
  ['lastTimestamp', 'deprecatedLastTimestamp'],
  ['count', 'deprecatedCount'],
  ['reportingComponent', 'reportingController'],
] as const;

const newEvents: View = {
  storage: { group: '', version: 'v1', plural: 'events' },
  fromStorage: (event) => ({ ...renamed(event, EVENT_FIELDS), apiVersion: 'events.k8s.io/v1' }),
  toStorage: (event) => ({
    ...renamed(
      event,
      EVENT_FIELDS.map(([core, other]) => [other, core] as const),
    ),
    apiVersion: 'v1',
  }),
  validate: validateNewEvent,
};

/** Version 1 knows one number: the share of a processor. */
const autoscalerV1: View = {
  storage: { group: 'autoscaling', version: 'v2', plural: 'horizontalpodautoscalers' },
  fromStorage(scaler) {
    const { metrics: _, behavior: _behavior, ...spec } = objectAt(scaler, 'spec');
    const { currentMetrics, conditions: _conditions, ...status } = objectAt(scaler, 'status');
    const target = cpuShare(scaler['spec'], 'metrics', 'target');
    const current = cpuShare({ list: currentMetrics ?? null }, 'list', 'current');
    return {
      ...scaler,
      apiVersion: 'autoscaling/v1',
      spec: { ...spec, ...(target === undefined ? {} : { targetCPUUtilizationPercentage: target }) },
      status: {
        currentReplicas: 0,
        ...status,
        ...(current === undefined ? {} : { currentCPUUtilizationPercentage: current }),
      },
    };
  },
  toStorage(scaler) {
    const { targetCPUUtilizationPercentage: share, ...spec } = objectAt(scaler, 'spec');
    const metric = (value: Json): JsonObject => ({
      type: 'Resource',
      resource: { name: 'cpu', target: { type: 'Utilization', averageUtilization: value } },
    });
    const { currentCPUUtilizationPercentage: _, ...status } = objectAt(scaler, 'status');
    return {
      ...scaler,
      apiVersion: 'autoscaling/v2',
      spec: { ...spec, ...(share === undefined || share === null ? {} : { metrics: [metric(share)] }) },
      ...(scaler['status'] === undefined ? {} : { status }),
    };
  },
};

function cpuShare(parent: Json | undefined, field: string, side: 'target' | 'current'): Json | undefined {
  const metrics = isObject(parent) ? objectsAt(parent, field) : [];
  const found = metrics.map((one) => objectAt(one, 'resource')).find((resource) => textAt(resource, 'name') === 'cpu');
  return objectAt(found, side)['averageUtilization'];
}

/** By `group/version/plural`. */
export const views: ReadonlyMap<string, View> = new Map([
  ['events.k8s.io/v1/events', newEvents],
  ['autoscaling/v1/horizontalpodautoscalers', autoscalerV1],
]);
