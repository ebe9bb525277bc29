import { applyPatch, type Operation } from 'rfc6902';
import type { Json } from '../schema/structural.ts';
import { PatchError } from './errors.ts';
import { isObject } from './merge-patch.ts';

const OPERATIONS = new Set(['add', 'remove', 'replace', 'move', 'copy', 'test']);
/** The real server's bound: a patch of more operations is refused as too large. */
const MAX_OPERATIONS = 10_000;

/** RFC 6902. The document is copied first: a failing operation leaves nothing half done. */
export function jsonPatch(document: Json, operations: Json): Json {
  const checked = check(operations);
  const result = structuredClone(document);
  for (const [index, error] of applyPatch(result, checked).entries()) {
    if (error === null) continue;
    const { op, path } = checked[index] ?? { op: '?', path: '?' };
    throw new PatchError(
      'unprocessable',
      `the server rejected our request due to an error in our request: ${op} ${path}: ${error.message}`,
    );
  }
  return result;
}

function check(operations: Json): Operation[] {
  if (!Array.isArray(operations)) throw new PatchError('invalid', 'a JSON patch is a list of operations');
  if (operations.length > MAX_OPERATIONS) {
    throw new PatchError(
      'invalid',
      `The allowed maximum operations in a JSON patch is ${MAX_OPERATIONS}, got ${operations.length}`,
    );
  }
  for (const operation of operations) {
    if (!isObject(operation) || typeof operation['path'] !== 'string' || !OPERATIONS.has(String(operation['op']))) {
      throw new PatchError('invalid', `not a JSON patch operation: ${JSON.stringify(operation)}`);
    }
    const needsFrom = operation['op'] === 'move' || operation['op'] === 'copy';
    if (needsFrom && typeof operation['from'] !== 'string') {
      throw new PatchError('invalid', `${operation['op']} ${operation['path']} has no 'from'`);
    }
  }
  return operations as unknown as Operation[];
}
