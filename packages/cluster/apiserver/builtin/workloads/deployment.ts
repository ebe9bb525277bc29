import type { Strategy } from '../../registry/resource.ts';
import type { FieldError, JsonObject } from '../../schema/structural.ts';
import { forbiddenField, invalidValue, notNegative, notSupported, unchanged } from '../field-errors.ts';
import { ensureObject, fill, maybeObject, numberAt, objectAt, specAt, textAt } from '../fields.ts';
import { validateIntOrPercent } from '../int-or-percent.ts';
import { defaultTemplateOf, validateRunningTemplate, validateTemplateSelector } from './template.ts';

const STRATEGIES = ['Recreate', 'RollingUpdate'];

export const deploymentStrategy: Strategy = {
  applyDefaults(deployment) {
    const spec = ensureObject(deployment, 'spec');
    defaultTemplateOf(spec);
    fill(spec, { replicas: 1, revisionHistoryLimit: 10, progressDeadlineSeconds: 600 });
    const strategy = ensureObject(spec, 'strategy');
    fill(strategy, { type: 'RollingUpdate' });
    if (strategy['type'] === 'RollingUpdate')
      fill(ensureObject(strategy, 'rollingUpdate'), { maxUnavailable: '25%', maxSurge: '25%' });
  },
  prepareCreate(deployment) {
    deployment['status'] = {};
  },
  validateCreate: validateDeployment,
  validateUpdate(deployment, old) {
    return [
      ...validateDeployment(deployment),
      ...unchanged('spec.selector', specAt(deployment)['selector'], specAt(old)['selector']),
    ];
  },
};

function validateDeployment(deployment: JsonObject): FieldError[] {
  const spec = specAt(deployment);
  const [ready, deadline] = [numberAt(spec, 'minReadySeconds') ?? 0, numberAt(spec, 'progressDeadlineSeconds')];
  return [
    ...notNegative('spec.replicas', numberAt(spec, 'replicas')),
    ...validateTemplateSelector(spec, 'deployment'),
    ...validateRunningTemplate(objectAt(spec, 'template'), 'spec.template'),
    ...validateRollout(objectAt(spec, 'strategy')),
    ...notNegative('spec.minReadySeconds', ready),
    ...notNegative('spec.revisionHistoryLimit', numberAt(spec, 'revisionHistoryLimit')),
    ...notNegative('spec.progressDeadlineSeconds', deadline),
    ...(deadline !== undefined && deadline <= ready
      ? [invalidValue('spec.progressDeadlineSeconds', deadline, 'must be greater than minReadySeconds')]
      : []),
  ];
}

function validateRollout(strategy: JsonObject): FieldError[] {
  const type = textAt(strategy, 'type');
  const rolling = maybeObject(strategy, 'rollingUpdate');
  if (type === 'Recreate')
    return rolling
      ? [forbiddenField('spec.strategy.rollingUpdate', "may not be specified when strategy `type` is 'Recreate'")]
      : [];
  if (type !== 'RollingUpdate')
    return [notSupported('spec.strategy', { Type: type, RollingUpdate: rolling ?? null }, STRATEGIES)];
  const field = 'spec.strategy.rollingUpdate';
  const errors = ['maxUnavailable', 'maxSurge'].flatMap((name) =>
    validateIntOrPercent(rolling?.[name], `${field}.${name}`),
  );
  const isNothing = (name: string) => rolling?.[name] === 0 || rolling?.[name] === '0%';
  if (isNothing('maxUnavailable') && isNothing('maxSurge'))
    errors.push(
      invalidValue(`${field}.maxUnavailable`, rolling?.['maxUnavailable'], 'may not be 0 when `maxSurge` is 0'),
    );
  return errors;
}
