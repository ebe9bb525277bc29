import { beforeAll, expect, test } from 'vitest';
import { realApiServer } from '../../test/control-plane/suite.ts';
import { KubeError } from './errors.ts';
import { parseFieldSelector } from './field-selector.ts';
import { ConfigMap } from './kinds/index.ts';
import { labelSelector, parseLabelSelector } from './label-selector.ts';
import { describeReal } from './testing/real-client.ts';

const labelSets: Record<string, string>[] = [
  {},
  { app: 'web' },
  { app: 'api', tier: 'back' },
  { app: 'web', tier: 'front', 'x.io/zone': 'a' },
  { size: '10' },
  { size: '9', app: '' },
  { size: '0' },
  { size: 'large' },
];

describeReal(realApiServer(), 'selectors select what the real API server selects', (server) => {
  let maps: ConfigMap[] = [];
  beforeAll(async () => {
    const { client, namespace } = server();
    for (const [index, labels] of labelSets.entries())
      await client.create(ConfigMap, { metadata: { namespace, name: `m${index}`, labels } });
    maps = (await client.list(ConfigMap, { namespace })).items;
  });
  const names = (list: ConfigMap[]) => list.map(({ metadata }) => metadata?.name);

  test.each([
    'app',
    '!app',
    'app=web',
    'app==web',
    'app!=web',
    'app=',
    'app in (web,api)',
    'app in (web, )',
    'app in ()',
    'app notin (web)',
    'app notin ()',
    'size>9',
    'size<10',

    'x.io/zone=a',
    'app=web,tier',
    'app=web,!tier',
    ' app = web , tier in ( front ) ',
    '',
  ])('%j', async (text) => {
    const { client, namespace } = server();
    const real = await client.list(ConfigMap, { namespace, labelSelector: text });
    expect(names(maps.filter((map) => parseLabelSelector(text).matches(map.metadata?.labels)))).toEqual(
      names(real.items),
    );
  });

  test.each([
    'app,',
    ',app',
    'app in web',
    'app in (a',
    '=x',
    '!app=web',
    'size>x',
    'size>-5',
    'a b',
    'app=ä',
    'app like x',
    'x/y/z=1',
  ])('%j is refused by both', async (text) => {
    const { client, namespace } = server();
    await expect(client.list(ConfigMap, { namespace, labelSelector: text })).rejects.toBeInstanceOf(KubeError);
    expect(() => parseLabelSelector(text)).toThrow();
  });

  test('the text of a LabelSelector object', async () => {
    const { client, namespace } = server();
    const selector = labelSelector({
      matchLabels: { app: 'web' },
      matchExpressions: [
        { key: 'tier', operator: 'In', values: ['front', 'back'] },
        { key: 'size', operator: 'DoesNotExist' },
      ],
    });
    const real = await client.list(ConfigMap, { namespace, labelSelector: selector.toString() });
    expect(names(real.items)).toEqual(['m3']);
    expect(names(maps.filter(({ metadata }) => selector.matches(metadata?.labels)))).toEqual(['m3']);
  });

  test.each([
    'metadata.name=m1',
    'metadata.name!=m1',
    'metadata.name==m1,metadata.namespace!=x',
    'metadata.name=a\\,b',
  ])('field %j', async (text) => {
    const { client, namespace } = server();
    const real = await client.list(ConfigMap, { namespace, fieldSelector: text });
    expect(names(maps.filter((map) => parseFieldSelector(text).matches(map)))).toEqual(names(real.items));
  });
});
