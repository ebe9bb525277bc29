import { expect, test } from 'vitest';
import { realApiServer } from '../../test/control-plane/suite.ts';
import type { Client } from './client/contract.ts';
import { isInvalid, KubeError } from './errors.ts';
import { LimitRange, PodTemplate } from './kinds/index.ts';
import table from './quantity-table.json' with { type: 'json' };
import { describeReal } from './testing/real-client.ts';

type Served = [sent: string, field: string | null, resource: string | null];

/** Null where the server refuses the quantity. */
async function answer<T>(
  asked: Promise<T>,
  read: (object: T) => string | number | undefined,
): Promise<string | number | null> {
  try {
    return read(await asked) ?? null;
  } catch (error) {
    if (isInvalid(error) || (error instanceof KubeError && error.code === 'bad-request')) return null;
    throw error;
  }
}

function field(client: Client, namespace: string, sizeLimit: string) {
  const spec = { containers: [{ name: 'c', image: 'none' }], volumes: [{ name: 'v', emptyDir: { sizeLimit } }] };
  const object = { metadata: { namespace, name: 'template' }, template: { spec } };
  return answer(
    client.create(PodTemplate, object, { dryRun: true }),
    (made) => made.template?.spec?.volumes?.[0]?.emptyDir?.sizeLimit,
  );
}

const limits = (
  client: Client,
  namespace: string,
  item: { min?: Record<string, string>; max: Record<string, string> },
) =>
  client.create(
    LimitRange,
    { metadata: { namespace, name: 'limits' }, spec: { limits: [{ type: 'Pod', ...item }] } },
    { dryRun: true },
  );

describeReal(realApiServer(), 'the table of quantities', (server) => {
  test('is what the real API server says', async () => {
    const { client, namespace } = server();
    const rows: Served[] = [];
    for (const [sent] of table.served as Served[]) {
      const max = { 'example.com/thing': sent };
      const resource = answer(
        limits(client, namespace, { max }),
        (made) => made.spec?.limits[0]?.max?.['example.com/thing'],
      );
      rows.push([sent, await field(client, namespace, sent), await resource] as Served);
    }
    expect(rows).toEqual(table.served);
  });

  test('orders as the real API server does', async () => {
    const { client, namespace } = server();
    const atMost = async (min: string, max: string) =>
      (await answer(
        limits(client, namespace, { min: { 'example.com/thing': min }, max: { 'example.com/thing': max } }),
        () => 'yes',
      )) === 'yes';
    for (const [a, b, order] of table.compared as [string, string, number][]) {
      expect([a, b, await atMost(a, b), await atMost(b, a)]).toEqual([a, b, order <= 0, order >= 0]);
    }
  });
});
