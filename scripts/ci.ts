/**
 * The second half of `.ci/run`, once Node 24 is there: runs every check, goes on after a failure,
 * and ends with one true line `N passed, N failed`: every test counts one, every check counts one.
 */
import { spawn } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));

/** The command between the markers of README.md: what a newcomer types is what CI runs. */
async function readmeTestCommand(): Promise<string> {
  const readme = await readFile(join(root, 'README.md'), 'utf8');
  const command = /<!-- test-command -->\s*```sh\n([^\n]+)\n```/.exec(readme)?.[1];
  if (!command) throw new Error('README.md has no one-line test command after <!-- test-command -->');
  return command;
}

function shell(command: string, env: NodeJS.ProcessEnv = {}): Promise<boolean> {
  return new Promise((done) => {
    const child = spawn('bash', ['-c', command], {
      cwd: root,
      stdio: ['ignore', 'inherit', 'inherit'],
      env: { ...process.env, ...env },
    });
    child.on('error', () => done(false));
    child.on('exit', (code) => done(code === 0));
  });
}

const folder = await mkdtemp(join(tmpdir(), 'sandbank-ci-'));
const summaryFile = join(folder, 'summary.json');
const checks: readonly (readonly [name: string, command: string])[] = [
  ['lint', 'npm run --silent lint'],
  ['types', 'npm run --silent types'],
  ['generated files', 'npm run --silent generate -- --check'],
  ['SDK coverage table', 'node test/conformance/e2b/table.ts --check'],
  ['helper binaries equal their source', 'npm run --silent helper -- --check'],
  ['arrows', 'npm run --silent arrows'],
  ['unused', 'npm run --silent unused'],
  ['work tree unchanged', 'test -z "$(git status --porcelain)" || { git status --porcelain; exit 1; }'],
];

let passed = 0;
let failed = 0;
const report: string[] = [];
const stamp = (from: number) => `${Math.round((performance.now() - from) / 1000)} s`;
try {
  let from = performance.now();
  const testsOk = await shell(await readmeTestCommand(), { SANDBANK_TEST_SUMMARY: summaryFile });
  const counts = JSON.parse(await readFile(summaryFile, 'utf8').catch(() => '{}')) as {
    passed?: number;
    failed?: number;
  };
  passed += counts.passed ?? 0;
  failed += testsOk ? 0 : Math.max(1, counts.failed ?? 0);
  report.push(`${testsOk ? 'ok  ' : 'FAIL'} tests (${stamp(from)})`);
  for (const [name, command] of checks) {
    console.log(`\n── ${name}: ${command}`);
    from = performance.now();
    const ok = await shell(command);
    if (ok) passed++;
    else failed++;
    report.push(`${ok ? 'ok  ' : 'FAIL'} ${name} (${stamp(from)})`);
  }
} finally {
  await rm(folder, { recursive: true, force: true });
}
console.log(`\n${report.join('\n')}\n${passed} passed, ${failed} failed`);
process.exitCode = failed === 0 && passed > 0 ? 0 : 1;
