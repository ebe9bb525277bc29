import { afterAll, beforeAll } from 'vitest';
import { send } from '../wire.ts';
import { openWorld, type World, type WorldOptions } from '../world/world.ts';

/** One world per test file, with `user` as default user. */
export function useWorld(options: WorldOptions = {}): { readonly world: World; readonly url: string } {
  let world: World | undefined;
  beforeAll(async () => {
    world = await openWorld(options);
    const init = { method: 'POST', path: '/init', headers: { 'content-type': 'application/json' } };
    const answer = await send(world.url, { ...init, body: JSON.stringify({ defaultUser: 'user' }) });
    if (answer.status !== 204) throw new Error(`/init answered ${answer.status}: ${answer.body}`);
  }, 60_000);
  afterAll(() => world?.close());
  const opened = () => {
    if (world === undefined) throw new Error('Used before the world was opened.');
    return world;
  };
  return {
    get world() {
      return opened();
    },
    get url() {
      return opened().url;
    },
  };
}
