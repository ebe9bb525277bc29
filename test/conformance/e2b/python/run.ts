/**
 * `node test/conformance/e2b/python/run.ts [--json FILE] [PYTEST ARGUMENT]...`: the Python SDK against the runtime.
 * Makes the Python environment, starts one open and one secured runtime, runs pytest, prints `N passed, N failed`.
 */
import { spawn } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { openWorld, type World } from '../../../runtime/world/world.ts';
import { pythonOfSuite } from './environment.ts';

const TOKEN = '0tQG31xiMp0IOQfaz9dcwi72L1CPo8e0';

interface Summary {
  readonly passed: number;
  readonly failed: readonly string[];
}

async function main(args: string[]): Promise<number> {
  const jsonAt = args.indexOf('--json');
  const json = jsonAt === -1 ? undefined : args.splice(jsonAt, 2)[1];
  const python = await pythonOfSuite();
  const folder = await mkdtemp(path.join(os.tmpdir(), 'sandbank-python-'));
  const summaryFile = path.join(folder, 'summary.json');
  const worlds: World[] = [];
  try {
    const open = await openWorld();
    worlds.push(open);
    await init(open, { defaultUser: 'user' });
    const secured = await openWorld({ insecure: false });
    worlds.push(secured);
    await init(secured, { defaultUser: 'user', accessToken: TOKEN, envVars: { FROM_CREATE: 'bound late' } });
    await pytest(python, args, {
      E2B_DEBUG: 'true',
      E2B_SANDBOX_URL: open.url,
      WORLD_PID: String(open.pid),
      SECURED_URL: secured.url,
      SECURED_TOKEN: TOKEN,
      SUMMARY: summaryFile,
    });
    const summary: Summary = JSON.parse(await readFile(summaryFile, 'utf8'));
    if (json !== undefined) await writeFile(json, `${JSON.stringify(summary, null, 2)}\n`);
    console.log(`${summary.passed} passed, ${summary.failed.length} failed`);
    return summary.failed.length === 0 && summary.passed > 0 ? 0 : 1;
  } finally {
    await Promise.all(worlds.map((world) => world.close()));
    await rm(folder, { recursive: true, force: true });
  }
}

async function init(world: World, body: object): Promise<void> {
  const headers = { 'content-type': 'application/json' };
  const answer = await fetch(`${world.url}/init`, { method: 'POST', headers, body: JSON.stringify(body) });
  if (answer.status !== 204) throw new Error(`/init answered ${answer.status}: ${await answer.text()}`);
}

function pytest(python: string, args: readonly string[], env: Record<string, string>): Promise<void> {
  return new Promise((resolve, reject) => {
    const child = spawn(python, ['-m', 'pytest', ...args], {
      cwd: import.meta.dirname,
      env: { ...process.env, PYTHONDONTWRITEBYTECODE: '1', ...env },
      stdio: ['ignore', 'inherit', 'inherit'],
    });
    child.once('error', reject);
    child.once('exit', () => resolve());
  });
}

process.exitCode = await main(process.argv.slice(2));
