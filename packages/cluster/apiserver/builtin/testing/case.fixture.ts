import type { JsonObject } from '../../schema/structural.ts';

/** One object that both servers get: as a dry run, or created and then changed by a merge patch. */
export interface Case {
  readonly name: string;
  /** `group/version/plural`, `v1/plural` for the core group. */
  readonly of: string;
  readonly object: JsonObject;
  readonly patch?: JsonObject;
  readonly subresource?: string;
}

export const metadata = { name: 'x' };

/** A case per row: what is special about it, and the object. */
export function casesOf(
  of: string,
  rows: readonly (readonly [name: string, object: JsonObject, patch?: JsonObject])[],
): Case[] {
  return rows.map(([name, object, patch]) => ({
    name: `${of}: ${name}`,
    of,
    object: { metadata: { ...metadata }, ...object },
    ...(patch ? { patch } : {}),
  }));
}
