/** Runs a table of cases against the real API server and against ours, and compares every word. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { realApiServer } from '../../../../../test/control-plane/suite.ts';
import { applyDefaults } from '../defaults.ts';
import { prune } from '../prune.ts';
import type { Json, JsonObject, Structural } from '../structural.ts';
import { validateSchema } from '../validate.ts';
import { causesOf, installKind, type RealKind, RealServer, sorted } from './real-kind.ts';
import type { ValidationCase } from './validation-cases.ts';

const field = (index: number) => `c${index}`;

export function compareWithReal(title: string, group: string, cases: readonly ValidationCase[]): void {
  const api = realApiServer();
  describe.skipIf(api === null)(title, () => {
    let server: RealServer;
    let kind: RealKind;

    beforeAll(async () => {
      server = new RealServer(api ?? { url: '', ca: '', token: '' });
      const properties = Object.fromEntries(cases.map(({ schema }, index) => [field(index), schema]));
      const openApi: Structural = { type: 'object', properties: { spec: { type: 'object', properties } } };
      kind = await installKind(server, group, openApi);
    });
    afterAll(async () => {
      await kind?.remove();
      await server?.close();
    });

    const objectOf = (index: number, value: Json): JsonObject => ({
      apiVersion: kind.apiVersion,
      kind: kind.kind,
      metadata: { name: `case-${index}` },
      spec: { [field(index)]: value },
    });
    const ours = (object: JsonObject) => applyDefaults(prune(object, kind.schema).value, kind.schema);

    test.each(cases.map((one, index) => [one.title, one, index] as const))('%s', async (_, one, index) => {
      const next = objectOf(index, one.value);
      if (one.old === undefined) {
        const answer = await server.call('POST', `${kind.path}?dryRun=All`, next);
        expect([201, 422]).toContain(answer.code);
        expect(sorted(validateSchema(ours(next), kind.schema))).toEqual(causesOf(answer));
        if (answer.code === 201) expect(ours(next)['spec']).toEqual(answer.body['spec']);
        return;
      }
      const before = objectOf(index, one.old);
      const stored = await server.call('POST', kind.path, before);
      expect(stored.text).toContain('resourceVersion');
      const changed = { ...next, metadata: stored.body['metadata'] ?? {} };
      const answer = await server.call('PUT', `${kind.path}/case-${index}?dryRun=All`, changed);
      expect([200, 422]).toContain(answer.code);
      expect(sorted(validateSchema(ours(next), kind.schema, ours(before)))).toEqual(causesOf(answer));
    });
  });
}
