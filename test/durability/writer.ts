/**
 * The process that gets killed. It writes at random and says on stdout, by one write(2) a line, what it tries, what was
 * acknowledged and what its watch saw. What it says is what a client could have been told.
 *
 *   open REVISION                 the store is open
 *   try N TYPE KEY                about to write; the value is valueFor(N)
 *   ack N REVISION                the store said it is durable
 *   no N                          the precondition did not hold
 *   fail N CODE                   the store said it was not kept
 *   see REVISION TYPE KEY         the watch delivered it
 */
import { writeSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { type Durability, isStoreError, openStore, type Write } from '@sandbank/cluster';
import { random } from './random.ts';
import { valueFor } from './value.ts';

const { values } = parseArgs({
  options: {
    folder: { type: 'string', default: '' },
    first: { type: 'string', default: '1' },
    writers: { type: 'string', default: '16' },
    count: { type: 'string', default: '1000000000' },
    'only-puts': { type: 'boolean', default: false },
    durability: { type: 'string', default: 'full' },
  },
});

let next = Number(values.first);
const end = next + Number(values.count);
const draw = random(next);

const store = await openStore({
  folder: values.folder,
  durability: values.durability as Durability,
  // Little, so that compaction runs too.
  history: { bytes: 1_000_000 },
  onTrouble: () => {},
});
say(`open ${store.revision}`);
const watch = store.watch('/');
void (async () => {
  for await (const events of watch) for (const event of events) say(`see ${event.revision} ${event.type} ${event.key}`);
})();
await Promise.all(Array.from({ length: Number(values.writers) }, (_, writer) => work(writer)));
await watch.return();
await store.close();

async function work(writer: number): Promise<void> {
  while (next < end) {
    const n = next++;
    // Some keys belong to one writer, some are fought over.
    const key = draw() < 0.8 ? `/own/${writer}/${Math.floor(draw() * 8)}` : `/shared/${Math.floor(draw() * 8)}`;
    const write = choose(n, key);
    say(`try ${n} ${write.type} ${key}`);
    try {
      const outcome = await store.txn(write);
      say(outcome.ok ? `ack ${n} ${outcome.revision}` : `no ${n}`);
    } catch (error) {
      say(`fail ${n} ${isStoreError(error) ? error.code : String(error)}`);
    }
  }
}

function choose(n: number, key: string): Write {
  const value = valueFor(n);
  const kind = draw();
  const ifRevision = store.get(key)?.revision;
  if (values['only-puts']) return { type: 'put', key, value };
  if (kind < 0.2) return { type: 'create', key, value };
  if (kind < 0.35) return { type: 'delete', key };
  if (kind < 0.45) return { type: 'delete', key, ifRevision };
  return kind < 0.75 ? { type: 'put', key, value } : { type: 'put', key, value, ifRevision };
}

/** Said when it returns: a buffer of this process would die with it. The reader may be slow, so the pipe may be full. */
function say(line: string): void {
  let rest = Buffer.from(`${line}\n`);
  while (rest.length > 0) {
    try {
      rest = rest.subarray(writeSync(1, rest));
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EAGAIN') throw error;
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1);
    }
  }
}
