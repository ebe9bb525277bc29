import { describe, expect, it } from 'vitest';
import { leaks, openSoakWorld, settledLedger, takeLedger } from './soak/ledger.ts';
import { phases, SHORT } from './soak/phases.ts';
import { missingForWorlds } from './world/world.ts';

/** The short form of `npm run soak -- runtime`: leaks show here already, slow ones need the long form. */
describe.skipIf(missingForWorlds() !== undefined)('soak, short', () => {
  it('leaves no file, watch, process, timer or byte behind', { timeout: 240_000 }, async () => {
    const world = await openSoakWorld();
    try {
      for (const phase of phases(SHORT)) await phase.run(world);
      const before = await takeLedger(world);
      for (const phase of phases(SHORT)) await phase.run(world);
      const after = await settledLedger(world, before, 4);
      console.log(`RSS ${before.rssMiB} to ${after.rssMiB} MiB, held ${before.liveMiB} to ${after.liveMiB} MiB`);
      expect(leaks(before, after, 4)).toEqual([]);
    } finally {
      await world.close();
    }
  });
});
