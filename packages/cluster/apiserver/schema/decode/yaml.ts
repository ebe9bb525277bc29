/** Request bodies in YAML, read as YAML 1.1: `on`, `yes` and `y` are true, as for every other Kubernetes. */
import { parseDocument, type Tags } from 'yaml';
import type { Json } from '../structural.ts';
import { DecodeError } from './errors.ts';
import { type Decoded, MAX_DEPTH } from './json.ts';

/** An alias may stand for much; a hundred times the size of a large list is more than anybody means. */
const MAX_ALIASES = 100;

export function decodeYaml(text: string): Decoded {
  const document = parseDocument(text, {
    version: '1.1',
    merge: true,
    stringKeys: false,
    // Dates and times of day stay texts.
    customTags: (tags: Tags) =>
      tags.filter(
        (tag) =>
          typeof tag === 'string' ||
          (!('format' in tag && tag.format === 'TIME') && tag.tag !== 'tag:yaml.org,2002:timestamp'),
      ),
  });
  const isDuplicate = ({ code }: { code: string }) => code === 'DUPLICATE_KEY';
  const problem = document.errors.find((error) => !isDuplicate(error));
  if (problem) {
    const line = problem.linePos?.[0].line;
    throw new DecodeError(`yaml: ${line === undefined ? '' : `line ${line}: `}${problem.message.split('\n')[0]}`, {
      cause: problem,
    });
  }
  try {
    const value = document.toJS({ maxAliasCount: MAX_ALIASES, mapAsMap: true }) as unknown;
    // Their names only: the parser does not tell where in the tree they are.
    const duplicates = document.errors.filter(isDuplicate).map(({ pos }) => text.slice(...pos).split(':')[0] ?? '');
    return { value: toJson(value, 0), duplicates };
  } catch (error) {
    if (error instanceof DecodeError) throw error;
    const isBomb = error instanceof ReferenceError && error.message.includes('alias');
    throw new DecodeError(`yaml: ${isBomb ? 'document contains excessive aliasing' : (error as Error).message}`, {
      cause: error,
    });
  }
}

/** Keys become texts: `on: x` is the field `true`. */
function toJson(value: unknown, depth: number): Json {
  if (depth > MAX_DEPTH) throw new DecodeError('yaml: exceeded max depth');
  if (value instanceof Map)
    return Object.fromEntries([...value].map(([key, one]) => [keyText(key), toJson(one, depth + 1)]));
  if (Array.isArray(value)) return value.map((one) => toJson(one, depth + 1));
  if (typeof value === 'bigint') return Number(value);
  if (value instanceof Uint8Array) return Buffer.from(value).toString('base64');
  if (typeof value === 'number' && !Number.isFinite(value))
    throw new DecodeError(`json: unsupported value: ${value > 0 ? '+Inf' : value < 0 ? '-Inf' : 'NaN'}`);
  return (value ?? null) as Json;
}

function keyText(key: unknown): string {
  if (key === null || typeof key !== 'object') return String(key);
  throw new DecodeError('yaml: invalid map key: a key must be a text, a number or a truth value');
}
