/**
 * `npm test`: runs every suite whose needs are met, and says of the others what they need.
 * `npm test -- unit real` runs these alone. With CI=true a need that is not met is a failure, never a skip.
 */
import { spawn } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type Suite, suites } from './suites.ts';

interface Counts {
  readonly passed: number;
  readonly failed: number;
  readonly skipped: number;
}

interface Row extends Counts {
  readonly suite: string;
  readonly seconds: number;
  readonly note: string;
}

const root = fileURLToPath(new URL('..', import.meta.url));
const inCi = process.env['CI'] === 'true';

function run(args: readonly string[]): Promise<number> {
  return new Promise((done, fail) => {
    const child = spawn(process.execPath, args, { cwd: root, stdio: 'inherit' });
    child.on('error', fail);
    child.on('exit', (code) => done(code ?? 1));
  });
}

/** Vitest's report, or a script's own `{ passed: 3, failed: ["name"] }`. */
interface Report {
  readonly numPassedTests?: number;
  readonly numFailedTests?: number;
  readonly numPendingTests?: number;
  readonly numTodoTests?: number;
  readonly passed?: number;
  readonly failed?: readonly string[];
}

/** A suite that exits badly, or ran nothing, failed at least once, whatever it managed to write down. */
async function countsOf(file: string, exitCode: number): Promise<Counts> {
  const text = await readFile(file, 'utf8').catch(() => '{}');
  const report = JSON.parse(text) as Report;
  const passed = report.numPassedTests ?? report.passed ?? 0;
  const failed = report.numFailedTests ?? report.failed?.length ?? 0;
  const skipped = (report.numPendingTests ?? 0) + (report.numTodoTests ?? 0);
  const broken = exitCode !== 0 || passed + failed === 0;
  return { passed, failed: broken ? Math.max(1, failed) : failed, skipped };
}

async function runSuite(suite: Suite, folder: string): Promise<Row> {
  const began = performance.now();
  const summary = join(folder, `${suite.name}.json`);
  console.log(`\n── ${suite.name}: ${suite.about}`);
  const args =
    'project' in suite.run
      ? [
          'node_modules/vitest/vitest.mjs',
          'run',
          '--project',
          suite.run.project,
          '--reporter=default',
          '--reporter=json',
          `--outputFile.json=${summary}`,
        ]
      : [suite.run.script, '--json', summary];
  const exitCode = await run(args);
  const seconds = Math.round((performance.now() - began) / 100) / 10;
  return { suite: suite.name, ...(await countsOf(summary, exitCode)), seconds, note: '' };
}

async function skip(suite: Suite, reason: string, remedy: string): Promise<Row> {
  return {
    suite: suite.name,
    passed: 0,
    failed: inCi ? 1 : 0,
    skipped: 0,
    seconds: 0,
    note: `not run: ${reason}. To run it: ${remedy}`,
  };
}

async function main(names: readonly string[]): Promise<number> {
  const unknown = names.filter((name) => !suites.some((suite) => suite.name === name));
  if (unknown.length > 0) {
    console.error(`no suite ${unknown.join(', ')}; there are: ${suites.map((suite) => suite.name).join(', ')}`);
    return 1;
  }
  const folder = await mkdtemp(join(tmpdir(), 'sandbank-test-'));
  const rows: Row[] = [];
  try {
    for (const suite of suites.filter(({ name }) => names.length === 0 || names.includes(name))) {
      const need = await suite.need();
      rows.push(need.ok ? await runSuite(suite, folder) : await skip(suite, need.reason, need.remedy));
    }
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
  console.log('');
  console.table(
    rows.map(({ suite, passed, failed, skipped, seconds }) => ({ suite, passed, failed, skipped, seconds })),
  );
  for (const row of rows) if (row.note) console.log(`${row.suite}: ${row.note}`);
  const total = (key: keyof Counts) => rows.reduce((sum, row) => sum + row[key], 0);
  const summary = { passed: total('passed'), failed: total('failed'), skipped: total('skipped') };
  if (process.env['SANDBANK_TEST_SUMMARY'])
    await writeFile(process.env['SANDBANK_TEST_SUMMARY'], JSON.stringify(summary));
  console.log(`${summary.passed} passed, ${summary.failed} failed, ${summary.skipped} skipped`);
  return summary.failed === 0 ? 0 : 1;
}

process.exitCode = await main(process.argv.slice(2));
