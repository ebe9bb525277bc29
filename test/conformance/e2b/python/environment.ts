import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { mkdir, rename, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';

const REQUIREMENTS = path.join(import.meta.dirname, 'requirements.txt');

/**
 * The Python of the suite: a virtual environment in the cache folder, named after what is in it, so that it is made once
 * per set of pinned packages and never changed. Every package is checked against its hash.
 */
export async function pythonOfSuite(): Promise<string> {
  const system = process.env['PYTHON'] ?? 'python3';
  const version = execFileSync(system, ['-c', 'import sys; print("%d.%d" % sys.version_info[:2])'], {
    encoding: 'utf8',
  });
  if (version.localeCompare('3.11', undefined, { numeric: true }) < 0)
    throw new Error(`The Python SDK needs Python 3.11; ${system} is ${version.trim()}. Set PYTHON to a newer one.`);
  const key = createHash('sha256').update(version).update(readFileSync(REQUIREMENTS)).digest('hex').slice(0, 16);
  const cache = path.join(process.env['SANDBANK_CACHE'] ?? path.join(os.homedir(), '.cache'), 'sandbank');
  const folder = path.join(cache, `e2b-python-${key}`);
  const python = path.join(folder, 'bin/python');
  if (existsSync(path.join(folder, 'complete'))) return python;

  await mkdir(cache, { recursive: true });
  await rm(folder, { recursive: true, force: true });
  execFileSync(system, ['-m', 'venv', folder], { stdio: 'inherit' });
  const install = ['-m', 'pip', 'install', '--quiet', '--disable-pip-version-check', '--require-hashes'];
  execFileSync(python, [...install, '-r', REQUIREMENTS], { stdio: ['ignore', 'inherit', 'inherit'] });
  // Written last: an installation that was interrupted is made again.
  await writeFile(path.join(folder, 'complete.new'), '');
  await rename(path.join(folder, 'complete.new'), path.join(folder, 'complete'));
  return python;
}
