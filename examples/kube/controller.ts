/** A whole controller: every Namespace labelled `team` gets a ConfigMap that names the team. Run: `npx node examples/kube/controller.ts` */
import { connect, controller, mutateOrCreate, startManager } from '@sandbank/kube';
import { ConfigMap, Namespace } from '@sandbank/kube/kinds';

const teamCard = controller({
  name: 'team-card',
  for: Namespace,
  async reconcile({ key, cache, client, signal }) {
    const team = cache.of(Namespace).get(key)?.metadata?.labels?.['team'];
    if (team === undefined) return;
    const card = { namespace: key.name, name: 'team-card' };
    // Nothing is written when nothing changes; a lost race is asked again.
    await mutateOrCreate(client, ConfigMap, card, () => ({ metadata: card, data: { team } }), { signal });
  },
});

await using cluster = await connect();
await using manager = await startManager({ kube: cluster });
process.once('SIGINT', () => manager.stop());
await manager.run(teamCard);
