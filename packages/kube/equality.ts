import { compareQuantities, tryParseQuantity } from './quantity.ts';

/**
 * Whether two objects, or parts of objects, mean the same to Kubernetes: the order of keys does not count, null is
 * absent, an empty list is an absent list, an empty map of labels is an absent one, and `1` CPU is `1000m`.
 *
 * Where JSON alone cannot tell (is this text a quantity? is this `{}` a map, or a struct whose presence speaks, like
 * `emptyDir: {}`?) the name of the field decides, and what is not named here differs. So a mistake can only be
 * a write too many, never a change unseen.
 */
export function semanticEqual(a: unknown, b: unknown): boolean {
  return equal(a, b, '', '');
}

/** Fields that hold a map from resource name to quantity, in every built-in kind. */
const quantityMaps = new Set([
  'requests',
  'limits',
  'capacity',
  'allocatable',
  'allocatedResources',
  'overhead',
  'hard',
  'used',
]);
/** Fields that hold one quantity, by the field around them. */
const quantityFields: Readonly<Record<string, string>> = { emptyDir: 'sizeLimit', resourceFieldRef: 'divisor' };
/** Fields that hold a map whose keys the user chooses, so that none and no map are the same. */
const freeMaps = new Set([
  ...quantityMaps,
  'labels',
  'annotations',
  'matchLabels',
  'nodeSelector',
  'data',
  'stringData',
  'binaryData',
]);

function equal(a: unknown, b: unknown, parent: string, field: string): boolean {
  if (Object.is(a, b)) return true;
  if (isAbsent(a, field) && isAbsent(b, field)) return true;
  if (Array.isArray(a) && Array.isArray(b)) {
    return a.length === b.length && a.every((item, index) => equal(item, b[index], field, ''));
  }
  if (isRecord(a) && isRecord(b)) {
    const names = new Set([...Object.keys(a), ...Object.keys(b)]);
    for (const name of names) if (!equal(own(a, name), own(b, name), field, name)) return false;
    return true;
  }
  return holdsQuantity(parent, field) && sameQuantity(a, b);
}

function isAbsent(value: unknown, field: string): boolean {
  if (value === undefined || value === null) return true;
  if (Array.isArray(value)) return value.length === 0;
  return freeMaps.has(field) && isRecord(value) && Object.keys(value).length === 0;
}

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
const own = (record: Record<string, unknown>, name: string) => (Object.hasOwn(record, name) ? record[name] : undefined);

const holdsQuantity = (parent: string, field: string) => quantityMaps.has(parent) || quantityFields[parent] === field;

function sameQuantity(a: unknown, b: unknown): boolean {
  const [x, y] = [a, b].map((value) =>
    typeof value === 'string' || typeof value === 'number' ? tryParseQuantity(value) : undefined,
  );
  return x !== undefined && y !== undefined && compareQuantities(x, y) === 0;
}
