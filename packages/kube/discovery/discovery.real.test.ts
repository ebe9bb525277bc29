import { describe, expect, test } from 'vitest';
import { realApiServer } from '../../../test/control-plane/suite.ts';
import { loadConfig } from '../config/load.ts';
import type { Transport } from '../transport/contract.ts';
import { createTransport } from '../transport/http.ts';
import { discover } from './discover.ts';
import { discoverLegacy } from './legacy.ts';
import { createMapper } from './mapper.ts';
import type { Resource } from './resource.ts';
import { serverVersion } from './version.ts';

const api = realApiServer();

async function using<T>(run: (transport: Transport) => Promise<T>): Promise<T> {
  const transport = createTransport(loadConfig({ kubeconfig: api?.kubeconfig, env: {} }));
  try {
    return await run(transport);
  } finally {
    await transport.close();
  }
}

describe.skipIf(api === null)('on a real API server', () => {
  test('aggregated and legacy discovery tell the same', async () => {
    await using(async (transport) => {
      const byName = (one: Resource): string => `${one.group}/${one.version}/${one.plural}`;
      const simple = (all: readonly Resource[]): object[] =>
        [...all]
          .sort((a, b) => byName(a).localeCompare(byName(b)))
          .map((one) => ({ ...one, subresources: [...one.subresources].sort(), verbs: [...one.verbs].sort() }));
      const [aggregated, legacy] = await Promise.all([discover(transport), discoverLegacy(transport, {})]);
      // Other suites apply CRDs while this runs: compare what is built in.
      const builtIn = (all: readonly Resource[]): Resource[] =>
        all.filter((one) => !one.group.includes('.') || one.group.endsWith('.k8s.io'));
      expect(simple(builtIn(aggregated.resources))).toEqual(simple(builtIn(legacy.resources)));
      expect(aggregated.problems).toEqual([]);
    });
  });

  test('the names of kubectl are known', async () => {
    await using(async (transport) => {
      const mapper = createMapper(transport);
      expect(await mapper.byName('deploy')).toMatchObject({
        group: 'apps',
        version: 'v1',
        plural: 'deployments',
        namespaced: true,
      });
      expect(await mapper.byName('events.events.k8s.io')).toMatchObject({ group: 'events.k8s.io' });
      expect(await mapper.byKind('rbac.authorization.k8s.io/v1', 'ClusterRole')).toMatchObject({
        plural: 'clusterroles',
        namespaced: false,
      });
      expect((await serverVersion(transport)).gitVersion).toMatch(/^v1\./);
    });
  });
});
