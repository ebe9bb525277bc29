/** The mount table: which folders a reset must look into, and whether somebody has mounted something. */
import { readFileSync } from 'node:fs';

export interface Mount {
  readonly point: string;
  readonly type: string;
  readonly writable: boolean;
}

/** Nothing of a tenant can stay in these: they show state of the kernel. */
const views = new Set([
  'autofs',
  'binfmt_misc',
  'bpf',
  'cgroup',
  'cgroup2',
  'configfs',
  'debugfs',
  'devpts',
  'fusectl',
  'nsfs',
  'proc',
  'pstore',
  'rpc_pipefs',
  'securityfs',
  'selinuxfs',
  'sysfs',
  'tracefs',
]);

export function readMounts(text = readFileSync('/proc/self/mountinfo', 'utf8')): Mount[] {
  return text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => {
      const [left = '', right = ''] = line.split(' - ');
      const [, , , , point = '', options = ''] = left.split(' ');
      const [type = '', , superOptions = ''] = right.split(' ');
      const writable = options.split(',').includes('rw') && superOptions.split(',').includes('rw');
      return { point: unescaped(point), type, writable };
    });
}

/** The given roots and every writable mount below them. */
export function scanRoots(roots: readonly string[], mounts: readonly Mount[]): string[] {
  const below = mounts
    .filter(({ type, writable }) => writable && !views.has(type))
    .map(({ point }) => point)
    .filter((point) => roots.some((root) => isBelow(point, root)));
  return [...new Set([...roots, ...below])].sort();
}

function isBelow(path: string, root: string): boolean {
  return root === '/' || path === root || path.startsWith(`${root}/`);
}

/** Spaces and backslashes are octal in mountinfo. */
function unescaped(text: string): string {
  return text.replace(/\\(\d{3})/g, (_, octal: string) => String.fromCharCode(Number.parseInt(octal, 8)));
}
