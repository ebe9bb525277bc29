/**
 * `npm run soak -- runtime [--short] [--passes N]`: works the runtime hard and looks for what stays behind.
 * The first pass warms it up; every later one must leave as many files, watches, processes, timers and held bytes as it
 * found (bytes within a margin). RSS is printed: a heap keeps what it once had.
 */
import { parseArgs } from 'node:util';
import { type Ledger, leaks, openSoakWorld, settledLedger, takeLedger } from './soak/ledger.ts';
import { FULL, phases, SHORT } from './soak/phases.ts';

const MARGIN_MIB = 4;

const HELP = `Usage: npm run soak -- runtime [--short] [--passes N]

  --short     a minute instead of several
  --passes    how often everything is done; the first only warms up (default 2)`;

async function main(): Promise<number> {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      short: { type: 'boolean' },
      passes: { type: 'string', default: '2' },
      help: { type: 'boolean', short: 'h' },
    },
  });
  if (values.help === true || positionals[0] !== 'runtime') {
    console.log(HELP);
    return values.help === true ? 0 : 64;
  }
  const passes = Math.max(2, Number(values.passes));
  const world = await openSoakWorld();
  try {
    const rest = await takeLedger(world);
    print('at rest', rest);
    let found: string[] = [];
    let before: Ledger | undefined;
    for (let pass = 1; pass <= passes; pass++) {
      for (const phase of phases(values.short === true ? SHORT : FULL)) {
        const started = Date.now();
        await phase.run(world);
        console.log(`pass ${pass}: ${phase.name}: ${((Date.now() - started) / 1000).toFixed(1)} s`);
      }
      const after: Ledger = await settledLedger(world, before ?? rest, MARGIN_MIB);
      print(`after pass ${pass}`, after);
      if (before !== undefined) found = [...found, ...leaks(before, after, MARGIN_MIB)];
      before = after;
    }
    for (const leak of found) console.log(`LEAK: ${leak}`);
    if (found.length === 0) console.log('Nothing stayed behind.');
    return found.length === 0 ? 0 : 1;
  } finally {
    await world.close();
  }
}

function print(when: string, ledger: Ledger): void {
  console.log(
    `${when}: RSS ${ledger.rssMiB} MiB, ${ledger.liveMiB} MiB held, ${ledger.timers} timers, ${ledger.files} files, ${ledger.watches} watches, ${ledger.processes} processes, ${ledger.zombies} zombies, ${ledger.wakeUps} wake-ups/s`,
  );
}

process.exitCode = await main();
