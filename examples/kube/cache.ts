/** A true copy of all ConfigMaps, an index on a label, and a wait that ends when the thing is there. Run: `npx node examples/kube/cache.ts` */
import { Cache, connect } from '@sandbank/kube';
import { ConfigMap } from '@sandbank/kube/kinds';

await using cluster = await connect();
const { client, transport } = cluster;

const cache = new Cache({
  kind: ConfigMap,
  transport,
  indexes: { app: (object) => object.metadata?.labels?.['app'] ?? [] },
});
await cache.start(); // rejects with the cause when it can't: forbidden, missing, unreachable

const made = await client.create(ConfigMap, {
  metadata: { namespace: 'default', generateName: 'tour-', labels: { app: 'tour' } },
  data: { greeting: 'hello' },
});
const key = { namespace: 'default', name: made.metadata?.name ?? '' };

const seen = await cache.waitFor(key, (object) => object?.data?.['greeting'] === 'hello', { timeoutMs: 5_000 });
console.log(`the cache saw ${seen?.metadata?.name}; objects with app=tour: ${cache.countBy('app', 'tour')}`);

await client.delete(ConfigMap, key, { uid: made.metadata?.uid });
await cache.waitFor(key, (object) => object === undefined, { timeoutMs: 5_000 });
console.log('and saw it go');
await cache.stop();
