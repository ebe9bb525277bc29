/** PodDisruptionBudget, PriorityClass, RuntimeClass. */
import type { Strategy } from '../../registry/resource.ts';
import type { FieldError, JsonObject } from '../../schema/structural.ts';
import { forbiddenField, invalidValue, required, unchanged } from '../field-errors.ts';
import { fill, maybeObject, metadataAt, numberAt, specAt, textAt } from '../fields.ts';
import { validateIntOrPercent } from '../int-or-percent.ts';
import { dnsLabel, named } from '../names.ts';
import { validateSelector } from '../selectors.ts';

const HIGHEST_USER_PRIORITY = 1_000_000_000;

/** The two that the server makes itself. */
export const systemPriorityClasses: readonly JsonObject[] = [
  [
    'system-cluster-critical',
    2_000_000_000,
    'Used for system critical pods that must run in the cluster, but can be moved to another node if necessary.',
  ],
  [
    'system-node-critical',
    2_000_001_000,
    'Used for system critical pods that must not be moved from their current node.',
  ],
].map(([name, value, description]) => ({
  apiVersion: 'scheduling.k8s.io/v1',
  kind: 'PriorityClass',
  metadata: { name: name as string },
  value: value as number,
  preemptionPolicy: 'PreemptLowerPriority',
  description: description as string,
}));

export const disruptionBudgetStrategy: Strategy = {
  prepareCreate(budget) {
    budget['status'] = { disruptionsAllowed: 0, currentHealthy: 0, desiredHealthy: 0, expectedPods: 0 };
  },
  validateCreate: validateBudget,
  validateUpdate: validateBudget,
};

function validateBudget(budget: JsonObject): FieldError[] {
  const spec = specAt(budget);
  const errors: FieldError[] = [];
  if (spec['minAvailable'] !== undefined && spec['maxUnavailable'] !== undefined) {
    const shown = {
      MinAvailable: spec['minAvailable'],
      Selector: spec['selector'] ?? null,
      MaxUnavailable: spec['maxUnavailable'],
      UnhealthyPodEvictionPolicy: spec['unhealthyPodEvictionPolicy'] ?? null,
    };
    errors.push(invalidValue('spec', shown, 'minAvailable and maxUnavailable cannot be both set'));
  }
  return [
    ...errors,
    ...validateIntOrPercent(spec['minAvailable'], 'spec.minAvailable'),
    ...validateIntOrPercent(spec['maxUnavailable'], 'spec.maxUnavailable'),
    ...validateSelector(maybeObject(spec, 'selector'), 'spec.selector'),
  ];
}

export const priorityClassStrategy: Strategy = {
  applyDefaults: (priority) => fill(priority, { preemptionPolicy: 'PreemptLowerPriority' }),
  validateCreate(priority) {
    const name = textAt(metadataAt(priority), 'name');
    const system = systemPriorityClasses.find((known) => textAt(metadataAt(known), 'name') === name);
    if (name.startsWith('system-'))
      return system && system['value'] === priority['value']
        ? []
        : [
            forbiddenField(
              'metadata.name',
              `priority class names with 'system-' prefix are reserved for system use only. error: ${system ? `value of ${name} PriorityClass must be ${String(system['value'])}` : `${name} is not a known system priority class`}`,
            ),
          ];
    return (numberAt(priority, 'value') ?? 0) > HIGHEST_USER_PRIORITY
      ? [forbiddenField('value', `maximum allowed value of a user defined priority is ${HIGHEST_USER_PRIORITY}`)]
      : [];
  },
  validateUpdate(priority, old) {
    return [
      ...(priority['value'] === old['value'] ? [] : [forbiddenField('value', 'may not be changed in an update.')]),
      ...unchanged('preemptionPolicy', priority['preemptionPolicy'], old['preemptionPolicy']),
    ];
  },
};

export const runtimeClassStrategy: Strategy = {
  validateCreate(runtime) {
    const handler = textAt(runtime, 'handler');
    return handler === '' ? [required('handler')] : named('handler', handler, dnsLabel);
  },
  validateUpdate: (runtime, old) => unchanged('handler', runtime['handler'], old['handler']),
};
