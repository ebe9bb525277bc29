/** Columns of tables. What a column means is said once, by its name, unless a kind means something else by it. */
import type { Column, TableSpec } from '../registry/resource.ts';
import type { Json, JsonObject } from '../schema/structural.ts';
import { age } from './duration.ts';
import { metadataAt, textAt } from './fields.ts';

const MEANINGS: Readonly<Record<string, string>> = {
  Name: 'Unique within its namespace, or within the cluster.',
  Age: 'How long ago it was created.',
  'Created At': 'When it was created.',
  Ready: 'How many parts are ready.',
  Status: 'The state it is in.',
  Restarts: 'How often its containers were restarted, and when last.',
  IP: 'Its own address.',
  Node: 'The node it runs on.',
  'Nominated Node': 'The node that is being cleared for it.',
  'Readiness Gates': 'How many further conditions for readiness hold.',
  Containers: 'Names of its containers.',
  Images: 'Images of its containers.',
  Selector: 'Labels of the pods that belong to it.',
  Type: 'Its type.',
};

export type ColumnInput = readonly [
  name: string,
  type: string,
  options?: { readonly priority?: number; readonly format?: string; readonly says?: string },
];

export const NAME: ColumnInput = ['Name', 'string', { format: 'name' }];
export const AGE: ColumnInput = ['Age', 'string'];
export const wide = (name: string, says?: string): ColumnInput => [
  name,
  'string',
  { priority: 1, ...(says ? { says } : {}) },
];

function column([name, type, { priority = 0, format = '', says } = {}]: ColumnInput): Column {
  return { name, type, format, description: says ?? MEANINGS[name] ?? `${name} of the object.`, priority };
}

/** Cells of everything but Name and Age, which every kind has: `name` first, `age` where the columns have it. */
export function tableOf(inputs: readonly ColumnInput[], cells: (object: JsonObject, now: Date) => Json[]): TableSpec {
  return { columns: inputs.map(column), row: cells };
}

export const nameCell = (object: JsonObject): string => textAt(metadataAt(object), 'name');
export const ageCell = (object: JsonObject, now: Date): string => age(metadataAt(object)['creationTimestamp'], now);

/** Kinds without columns of their own. */
export const plainTable: TableSpec = tableOf([NAME, ['Created At', 'date']], (object) => [
  nameCell(object),
  metadataAt(object)['creationTimestamp'] ?? null,
]);
