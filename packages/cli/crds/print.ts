import { crdFiles } from '@sandbank/api';
import { UsageError } from '../errors.ts';

/** `sandbox.opensandbox.io_pools.yaml` → `sandbox.opensandbox.io` */
const groupOfFile = (file: string) => file.slice(0, file.indexOf('_'));

export function crdTexts(groups?: readonly string[]): string[] {
  const files = crdFiles();
  const known = new Set([...files.keys()].map(groupOfFile));
  for (const group of groups ?? []) {
    if (!known.has(group)) throw new UsageError(`no API group '${group}'. Known: ${[...known].join(', ')}`);
  }
  return [...files].filter(([file]) => !groups || groups.includes(groupOfFile(file))).map(([, text]) => text);
}
