import type { Strategy } from '../../registry/resource.ts';
import type { FieldError, JsonObject } from '../../schema/structural.ts';
import { notNegative, notSupported, sameJson, unchanged } from '../field-errors.ts';
import { ensureObject, fill, fillText, metadataAt, numberAt, objectAt, specAt, textAt } from '../fields.ts';
import { notRunHere } from './not-run-here.ts';
import { defaultTemplateOf, validateRunningTemplate, validateTemplateSelector } from './template.ts';

/** The template's own generation, kept for clients of an older version of this API. */
const TEMPLATE_GENERATION = 'deprecated.daemonset.template.generation';

export const daemonSetStrategy: Strategy = {
  applyDefaults(set) {
    const spec = ensureObject(set, 'spec');
    defaultTemplateOf(spec);
    const update = ensureObject(spec, 'updateStrategy');
    fillText(update, 'type', 'RollingUpdate');
    if (update['type'] === 'RollingUpdate')
      fill(ensureObject(update, 'rollingUpdate'), { maxUnavailable: 1, maxSurge: 0 });
    fill(spec, { revisionHistoryLimit: 10 });
  },
  prepareCreate(set) {
    set['status'] = { currentNumberScheduled: 0, numberMisscheduled: 0, desiredNumberScheduled: 0, numberReady: 0 };
    setGeneration(set, 1);
  },
  prepareUpdate(set, old) {
    const before = Number(textAt(objectAt(metadataAt(old), 'annotations'), TEMPLATE_GENERATION)) || 1;
    setGeneration(set, sameJson(specAt(set)['template'], specAt(old)['template']) ? before : before + 1);
  },
  validateCreate: validateDaemonSet,
  validateUpdate(set, old) {
    return [...validateDaemonSet(set), ...unchanged('spec.selector', specAt(set)['selector'], specAt(old)['selector'])];
  },
  warnings: notRunHere('DaemonSet'),
};

function setGeneration(set: JsonObject, generation: number): void {
  const metadata = metadataAt(set);
  set['metadata'] = {
    ...metadata,
    annotations: { ...objectAt(metadata, 'annotations'), [TEMPLATE_GENERATION]: String(generation) },
  };
}

function validateDaemonSet(set: JsonObject): FieldError[] {
  const spec = specAt(set);
  const type = textAt(objectAt(spec, 'updateStrategy'), 'type');
  return [
    ...validateTemplateSelector(spec, 'daemonset'),
    ...validateRunningTemplate(objectAt(spec, 'template'), 'spec.template'),
    ...notNegative('spec.minReadySeconds', numberAt(spec, 'minReadySeconds')),
    ...(['RollingUpdate', 'OnDelete'].includes(type)
      ? []
      : [notSupported('spec.updateStrategy', objectAt(spec, 'updateStrategy'), ['RollingUpdate', 'OnDelete'])]),
  ];
}
