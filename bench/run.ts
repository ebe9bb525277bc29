/**
 * `npm run bench -- NAME`: measures, prints a table, writes bench/results/NAME.json and NAME.md.
 * The rules that every benchmark follows are in harness/definition.ts, the judgement of bars in harness/verdict.ts.
 */
import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { listBenchmarks, loadBenchmark } from './harness/catalog.ts';
import { BenchError, type Run } from './harness/definition.ts';
import { machine } from './harness/machine.ts';
import { type Measured, measure } from './harness/measure.ts';
import { complaints, markdown, type Report, table } from './harness/report.ts';
import { exitCode } from './harness/verdict.ts';

const FOLDER = import.meta.dirname;

const HELP = `Usage: npm run bench -- NAME [--check] [--quick] [--only TEXT]... [--rounds N]

  NAME        a benchmark; without it they are listed
  --check     exit 1 and name each bar that was missed; exit 2 when a spread is wider than its margin
  --quick     about a minute: less work per round, 5 rounds
  --only      only experiments whose name contains TEXT
  --rounds    rounds per experiment, at least 5

Sides run in turn (A B, A B, ...), never at once, after a warm-up; medians of rounds are compared. A bar is a ratio
within the run: it is met or missed only when the whole spread lies on one side of it. Results are written to
bench/results/NAME.json and NAME.md. Exit 3: the benchmark could not run.`;

async function main(): Promise<number> {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      check: { type: 'boolean', default: false },
      quick: { type: 'boolean', default: false },
      help: { type: 'boolean', short: 'h', default: false },
      only: { type: 'string', multiple: true, default: [] },
      rounds: { type: 'string' },
    },
  });
  if (values.help) return say(HELP);
  const [name, ...more] = positionals;
  if (name === undefined) return list();
  if (more.length > 0) throw new BenchError('usage', `One benchmark at a time, not also ${more.join(', ')}.`);
  const rounds = values.rounds === undefined ? undefined : Number(values.rounds);
  if (rounds !== undefined && !(Number.isInteger(rounds) && rounds >= 5))
    throw new BenchError('usage', `--rounds ${values.rounds} is not a whole number of at least 5.`);

  const report = await run(name, { quick: values.quick, only: values.only, rounds });
  const complaint = complaints(report);
  for (const line of complaint) console.log(line);
  const code = exitCode(report.experiments.flatMap((experiment) => experiment.verdicts));
  if (complaint.length === 0) console.log('Every bar was met.');
  return values.check ? code : 0;
}

interface Asked {
  readonly quick: boolean;
  readonly only: readonly string[];
  readonly rounds: number | undefined;
}

async function run(name: string, asked: Asked): Promise<Report> {
  const benchmark = await loadBenchmark(FOLDER, name);
  const missing = await benchmark.missing?.();
  if (missing !== undefined) throw new BenchError('cannot-run', `${name} cannot run here: ${missing}`);

  const stop = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM'] as const)
    process.once(signal, () => stop.abort(new BenchError('cannot-run', `Stopped by ${signal}.`)));
  const context: Run = { quick: asked.quick, signal: stop.signal, say: (line) => console.error(`  ${line}`) };
  const startedAt = new Date().toISOString();
  const where = machine();

  const prepared = await benchmark.prepare(context);
  const experiments: Measured[] = [];
  try {
    const chosen = prepared.experiments.filter(
      (experiment) => asked.only.length === 0 || asked.only.some((text) => experiment.name.includes(text)),
    );
    if (chosen.length === 0) {
      const names = prepared.experiments.map((experiment) => experiment.name).join(', ');
      throw new BenchError('usage', `No experiment matches --only. There are: ${names}.`);
    }
    for (const experiment of chosen) experiments.push(await measure(experiment, context, asked));
  } finally {
    await prepared.close();
  }

  const report: Report = {
    benchmark: name,
    title: benchmark.title,
    startedAt,
    quick: asked.quick,
    machine: where,
    settings: prepared.settings,
    experiments,
  };
  await mkdir(path.join(FOLDER, 'results'), { recursive: true });
  await writeFile(path.join(FOLDER, 'results', `${name}.json`), `${JSON.stringify(report, null, 2)}\n`);
  await writeFile(path.join(FOLDER, 'results', `${name}.md`), markdown(report));
  console.log(`\n${report.title}\n\n${table(report)}\n\nWritten: bench/results/${name}.json and ${name}.md`);
  return report;
}

async function list(): Promise<number> {
  const all = await listBenchmarks(FOLDER);
  for (const name of all.keys()) say(`${name.padEnd(16)} ${(await loadBenchmark(FOLDER, name)).about}`);
  if (all.size === 0) say('There are no benchmarks yet.');
  return say('\nnpm run bench -- NAME; npm run bench -- --help says more.');
}

function say(line: string): 0 {
  console.log(line);
  return 0;
}

process.exitCode = await main().catch((error: unknown) => {
  const known = error instanceof BenchError || (error instanceof TypeError && 'code' in error);
  console.error(known ? `bench: ${error.message}` : error);
  return 3;
});
