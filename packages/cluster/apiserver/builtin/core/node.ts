import type { Strategy } from '../../registry/resource.ts';
import type { FieldError, JsonObject } from '../../schema/structural.ts';
import { oneOf, required, unchanged } from '../field-errors.ts';
import { ensureObject, fill, objectAt, objectsAt, specAt, stringsAt, textAt } from '../fields.ts';
import { labelValue, named, qualifiedName } from '../names.ts';

const EFFECTS = ['NoSchedule', 'PreferNoSchedule', 'NoExecute'];

export const nodeStrategy: Strategy = {
  applyDefaults(node) {
    const status = ensureObject(node, 'status');
    if (
      Object.keys(objectAt(status, 'allocatable')).length === 0 &&
      Object.keys(objectAt(status, 'capacity')).length > 0
    )
      status['allocatable'] = { ...objectAt(status, 'capacity') };
    const spec = ensureObject(node, 'spec');
    const cidr = textAt(spec, 'podCIDR');
    if (cidr !== '' && stringsAt(spec, 'podCIDRs').length === 0) fill(spec, { podCIDRs: [cidr] });
  },
  selectableFields: ['spec.unschedulable'],
  validateCreate: validateTaints,
  validateUpdate(node, old) {
    const before = textAt(specAt(old), 'providerID');
    return [
      ...validateTaints(node),
      ...(before === '' ? [] : unchanged('spec.providerID', specAt(node)['providerID'], before)),
    ];
  },
};

/** The real server says `metadata.taints`, though they stand in the spec. */
function validateTaints(node: JsonObject): FieldError[] {
  const seen = new Set<string>();
  return objectsAt(specAt(node), 'taints').flatMap((taint, index) => {
    const at = `metadata.taints[${index}]`;
    const [key, value, effect] = [textAt(taint, 'key'), textAt(taint, 'value'), textAt(taint, 'effect')];
    const errors: FieldError[] = [
      ...named(`${at}.key`, key, qualifiedName),
      ...named(`${at}.value`, value, labelValue),
      ...(effect === '' ? [required(`${at}.effect`)] : oneOf(`${at}.effect`, effect, EFFECTS)),
    ];
    if (errors.length > 0) return errors;
    const pair = `${key}:${effect}`;
    const isTwice = seen.has(pair);
    seen.add(pair);
    const shown = { Key: key, Value: value, Effect: effect, TimeAdded: taint['timeAdded'] ?? null };
    return isTwice
      ? [
          {
            field: at,
            reason: 'FieldValueDuplicate',
            message: `Duplicate value: ${JSON.stringify(shown)}: taints must be unique by key and effect pair`,
          },
        ]
      : [];
  });
}
