import { StoreError } from './errors.ts';

/** Where a list goes on: after this key, as of this revision. */
export interface Continue {
  readonly revision: number;
  readonly after: string;
}

export function encodeContinue(at: Continue): string {
  return Buffer.from(JSON.stringify([1, at.revision, at.after])).toString('base64url');
}

export function decodeContinue(token: string, prefix: string): Continue {
  let parsed: unknown;
  try {
    parsed = JSON.parse(Buffer.from(token, 'base64url').toString());
  } catch {
    parsed = undefined;
  }
  const [version, revision, after] = Array.isArray(parsed) ? parsed : [];
  if (version !== 1 || !Number.isSafeInteger(revision) || revision < 0 || typeof after !== 'string') {
    throw new StoreError('bad-continue', 'The continue token is not one of ours; list again without it.');
  }
  if (!after.startsWith(prefix)) {
    throw new StoreError('bad-continue', `The continue token belongs to another list than that of ${prefix}.`);
  }
  return { revision, after };
}
