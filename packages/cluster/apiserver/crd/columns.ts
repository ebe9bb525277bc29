/** What `kubectl get` shows of a custom kind. */
import type { Column, TableSpec } from '../registry/resource.ts';
import { formatJson, formatNumber } from '../schema/go-format.ts';
import type { Json, JsonObject } from '../schema/structural.ts';
import { humanAge } from './age.ts';
import { findAll, parseJsonPath } from './json-path.ts';
import type { PrinterColumn } from './model.ts';

const NAME_DESCRIPTION =
  'Name must be unique within a namespace. Is required when creating resources, although some resources may allow a client to request the generation of an appropriate name automatically. Name is primarily intended for creation idempotence and configuration definition. Cannot be updated. More info: https://kubernetes.io/docs/concepts/overview/working-with-objects/names#names';
const AGE_DESCRIPTION =
  'CreationTimestamp is a timestamp representing the server time when this object was created. It is not guaranteed to be set in happens-before order across separate operations. Clients may not set this value. It is represented in RFC3339 form and is in UTC.\n\nPopulated by the system. Read-only. Null for lists. More info: https://git.k8s.io/community/contributors/devel/sig-architecture/api-conventions.md#metadata';
const NAME: Column = { name: 'Name', type: 'string', format: 'name', description: NAME_DESCRIPTION, priority: 0 };
const AGE: PrinterColumn = {
  name: 'Age',
  type: 'date',
  jsonPath: '.metadata.creationTimestamp',
  description: AGE_DESCRIPTION,
};

/** Without columns of its own, a kind shows its age. */
export function tableOf(columns: readonly PrinterColumn[] | undefined): TableSpec {
  const shown = columns?.length ? columns : [AGE];
  const paths = shown.map(({ jsonPath }) => parseJsonPath(jsonPath));
  return {
    columns: [NAME, ...shown.map(columnOf)],
    row: (object, now) => [
      nameOf(object),
      ...shown.map(({ type }, index) => {
        const path = paths[index];
        const [value] = path ? findAll(object, path) : [];
        return value === undefined ? null : cell(value, type, now);
      }),
    ],
  };
}

function nameOf({ metadata }: JsonObject): string {
  return String((metadata as JsonObject | undefined)?.['name'] ?? '');
}

function columnOf({ name, type, format, description, jsonPath, priority }: PrinterColumn): Column {
  return {
    name,
    type,
    ...(format && { format }),
    description: description || `Custom resource definition column (in JSONPath format): ${jsonPath}`,
    priority: priority ?? 0,
  };
}

function cell(value: Json, type: string, now: Date): Json {
  switch (type) {
    case 'integer':
      return typeof value === 'number' ? Math.trunc(value) : null;
    case 'number':
      return typeof value === 'number' ? value : null;
    case 'boolean':
      return typeof value === 'boolean' ? value : null;
    case 'date':
      return typeof value === 'string' ? dateCell(value, now) : null;
    default:
      return printed(value);
  }
}

function printed(value: Json): Json {
  if (value === null) return '<nil>';
  if (typeof value === 'string') return value;
  if (typeof value === 'number') return formatNumber(value);
  return typeof value === 'boolean' ? String(value) : formatJson(value);
}

function dateCell(value: string, now: Date): string {
  const then = Date.parse(value);
  return Number.isNaN(then) ? '<invalid>' : humanAge(now.getTime() - then);
}
