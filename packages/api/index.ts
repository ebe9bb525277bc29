/**
 * What users of Sandbank write. A walk through the house:
 *
 * - `schema/` has the words that kinds are written in (`fields.ts`, `kubernetes.ts`), `defineKind` that makes of a
 *   schema a key for client and cache, and what comes out of it: the CRD, the defaults, the validation, the docs page.
 * - `opensandbox/`, `kruise/` and `navix/` hold the kinds of the three groups, one file each, with the words of their
 *   status (`constants.ts`) and the keys of their labels and annotations (`keys.ts`). Import them from
 *   `@sandbank/api/opensandbox` and so on: several groups use the same names.
 * - `crds.ts` lists all kinds and writes them as files.
 *
 *     import { Pool } from '@sandbank/api/opensandbox';
 *     const pool: Pool = await client.get(Pool, { namespace: 'default', name: 'python' });
 */
export { allKinds, crdFiles, docFiles, kindTable } from './crds.ts';
export { crdName, crdOf, type JsonSchema, schemaOf } from './schema/crd.ts';
export { withDefaults } from './schema/defaults.ts';
export * from './schema/fields.ts';
export { type ApiKind, ageColumn, type Column, column, defineKind, type InputOf, type Scale } from './schema/kind.ts';
export * from './schema/kubernetes.ts';
export { structuralProblems } from './schema/structural.ts';
export { fieldTable, kindPage } from './schema/table.ts';
export { type Problem, validate } from './schema/validation.ts';
