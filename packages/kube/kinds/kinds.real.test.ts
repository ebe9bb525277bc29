import { expect, test } from 'vitest';
import { realApiServer } from '../../../test/control-plane/suite.ts';
import type { Kind } from '../kind.ts';
import { describeReal } from '../testing/real-client.ts';
import * as kinds from './index.ts';
import snapshot from './openapi-snapshot.json' with { type: 'json' };

const listable = new Set(
  snapshot.resources
    .filter(({ verbs }) => verbs.includes('list'))
    .map(({ group, version, plural }) => `${group}/${version}/${plural}`),
);
const all = Object.entries(kinds) as [string, Kind][];

describeReal(realApiServer(), 'every key of a built-in kind', (server) => {
  test.each(all.filter(([, { group, version, plural }]) => listable.has(`${group}/${version}/${plural}`)))(
    '%s',
    async (_, kind) => {
      const { client, namespace } = server();
      const { resourceVersion } = await client.list(kind, { limit: 1, ...(kind.namespaced && { namespace }) });
      expect(typeof resourceVersion).toBe('string');
    },
  );
});
