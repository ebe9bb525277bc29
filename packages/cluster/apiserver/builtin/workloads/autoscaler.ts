import type { Strategy } from '../../registry/resource.ts';
import type { FieldError, JsonObject } from '../../schema/structural.ts';
import { invalidValue, required } from '../field-errors.ts';
import { ensureObject, fill, maybeObject, numberAt, objectAt, objectsAt, specAt, textAt } from '../fields.ts';
import { notRunHere } from './not-run-here.ts';

const SCALE_UP: JsonObject = {
  stabilizationWindowSeconds: 0,
  selectPolicy: 'Max',
  policies: [
    { type: 'Pods', value: 4, periodSeconds: 15 },
    { type: 'Percent', value: 100, periodSeconds: 15 },
  ],
};
const SCALE_DOWN: JsonObject = { selectPolicy: 'Max', policies: [{ type: 'Percent', value: 100, periodSeconds: 15 }] };
const DEFAULT_METRIC: JsonObject = {
  type: 'Resource',
  resource: { name: 'cpu', target: { type: 'Utilization', averageUtilization: 80 } },
};

/** Version 2 is what is stored; version 1 is served from it by `autoscalerViews`. */
export const autoscalerStrategy: Strategy = {
  applyDefaults(scaler) {
    const spec = ensureObject(scaler, 'spec');
    fill(spec, { minReplicas: 1 });
    if (objectsAt(spec, 'metrics').length === 0) spec['metrics'] = [structuredClone(DEFAULT_METRIC)];
    const behavior = maybeObject(spec, 'behavior');
    if (behavior) {
      fill(ensureObject(behavior, 'scaleUp'), SCALE_UP);
      fill(ensureObject(behavior, 'scaleDown'), SCALE_DOWN);
    }
  },
  prepareCreate(scaler) {
    scaler['status'] = { desiredReplicas: 0, currentMetrics: null };
  },
  validateCreate: validateAutoscaler,
  validateUpdate: validateAutoscaler,
  warnings: notRunHere('HorizontalPodAutoscaler'),
};

function validateAutoscaler(scaler: JsonObject): FieldError[] {
  const spec = specAt(scaler);
  const [min, max] = [numberAt(spec, 'minReplicas') ?? 1, numberAt(spec, 'maxReplicas') ?? 0];
  const target = objectAt(spec, 'scaleTargetRef');
  return [
    ...(min < 1 ? [invalidValue('spec.minReplicas', min, 'must be greater than or equal to 1')] : []),
    ...(max < 1 ? [invalidValue('spec.maxReplicas', max, 'must be greater than 0')] : []),
    ...(max < min ? [invalidValue('spec.maxReplicas', max, 'must be greater than or equal to `minReplicas`')] : []),
    ...['kind', 'name'].flatMap((field) =>
      textAt(target, field) === '' ? [required(`spec.scaleTargetRef.${field}`)] : [],
    ),
  ];
}
