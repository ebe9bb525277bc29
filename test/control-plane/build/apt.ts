import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ControlPlaneError } from '../errors.ts';

/** The Debian packages of a real node, one per line, in a file that an image can use as well. */
const APT_FILE = join(import.meta.dirname, '..', 'apt-packages.txt');

export function debianPackages(): string[] {
  return readFileSync(APT_FILE, 'utf8').split('\n').filter(Boolean);
}

export function installDebianPackages(): void {
  const packages = debianPackages();
  if (process.getuid?.() !== 0) {
    throw new ControlPlaneError(
      'BAD_OPTION',
      `Installing packages takes root. Run as root: apt-get install --no-install-recommends ${packages.join(' ')}`,
    );
  }
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
  execFileSync('apt-get', ['update', '-qq'], { stdio: 'inherit', env });
  execFileSync('apt-get', ['install', '-y', '-qq', '--no-install-recommends', ...packages], { stdio: 'inherit', env });
}
