/**
 * `npm run lock`: completes package-lock.json. Tools with native parts name one optional package per platform; a registry
 * that lacks some of them makes npm leave them out of the lock file, and then `npm ci` refuses it. They are written down by
 * name, version and platform, so that `npm ci` works with any registry and fetches only what fits the machine.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

interface Locked {
  version?: string;
  dev?: boolean;
  optional?: boolean;
  os?: string[];
  cpu?: string[];
  libc?: string[];
  optionalDependencies?: Record<string, string>;
}

export interface LockFile {
  packages: Record<string, Locked>;
}

const SYSTEMS = ['android', 'darwin', 'win32', 'freebsd', 'openharmony', 'linux'];
const PROCESSORS: Readonly<Record<string, string>> = {
  wasm32: 'wasm32',
  arm64: 'arm64',
  x64: 'x64',
  ia32: 'ia32',
  ppc64: 'ppc64',
  riscv64: 'riscv64',
  s390x: 's390x',
  arm: 'arm',
};

/** `@scope/binding-linux-arm64-musl` → linux, arm64, musl. Undefined for a name that says no platform. */
export function platformOf(name: string): Pick<Locked, 'os' | 'cpu' | 'libc'> | undefined {
  const words = name.split(/[/-]/);
  const os = SYSTEMS.find((system) => words.includes(system));
  const cpu = Object.entries(PROCESSORS).find(([word]) => words.includes(word))?.[1];
  if (cpu === undefined || (os === undefined && cpu !== 'wasm32')) return undefined;
  const libc = words.some((word) => word.startsWith('musl'))
    ? ['musl']
    : words.some((word) => word.startsWith('gnu'))
      ? ['glibc']
      : undefined;
  return { cpu: [cpu], ...(libc && os === 'linux' ? { libc } : {}), ...(os ? { os: [os] } : {}) };
}

/** The names that were added. */
export function complete(lock: LockFile): string[] {
  const added: string[] = [];
  for (const parent of Object.values(lock.packages)) {
    for (const [name, version] of Object.entries(parent.optionalDependencies ?? {})) {
      const path = `node_modules/${name}`;
      const platform = platformOf(name);
      if (lock.packages[path] || !platform || !/^\d+\.\d+\.\d+/.test(version)) continue;
      lock.packages[path] = { version, ...(parent.dev ? { dev: true } : {}), ...platform, optional: true };
      added.push(name);
    }
  }
  const sorted = Object.entries(lock.packages).sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0));
  lock.packages = Object.fromEntries(sorted);
  return added;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const file = fileURLToPath(new URL('../package-lock.json', import.meta.url));
  const lock = JSON.parse(readFileSync(file, 'utf8')) as LockFile;
  const added = complete(lock);
  if (added.length > 0) writeFileSync(file, `${JSON.stringify(lock, null, 2)}\n`);
  console.log(added.length === 0 ? 'the lock file is complete' : `added ${added.length} platforms`);
}
