import { KubeError } from '../errors.ts';

/** Every complaint about configuration reads alike: which file, which field, what is wrong, what to do. */
export function badConfig(where: string, problem: string, remedy: string, cause?: unknown): KubeError {
  return new KubeError('bad-config', `${where}: ${problem}. ${remedy}.`, { cause });
}

export function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
