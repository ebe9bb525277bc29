import { KubeError } from './errors.ts';

interface Term {
  readonly path: readonly string[];
  readonly equal: boolean;
  readonly value: string;
}

export interface FieldMatcher {
  /** The fields are read from the object itself; an absent one counts as the empty text, as on the server. */
  matches(object: object): boolean;
  /** The paths that the selector names. */
  readonly fields: readonly string[];
  toString(): string;
}

/** `metadata.name=web,status.phase!=Running`. Commas, equal signs and backslashes in a value are escaped by `\`. */
export function parseFieldSelector(text: string): FieldMatcher {
  const terms: Term[] = [];
  for (const part of splitEscaped(text, ',')) {
    if (part === '') continue;
    const match = /^([^=!\\]+)(==|=|!=)((?:[^\\=]|\\[\\,=])*)$/s.exec(part);
    if (!match) {
      throw new KubeError('invalid', `${JSON.stringify(part)} is no field selector: write path=value or path!=value`);
    }
    const [, path = '', operator, value = ''] = match;
    terms.push({ path: path.trim().split('.'), equal: operator !== '!=', value: value.replace(/\\([\\,=])/g, '$1') });
  }
  return {
    fields: terms.map(({ path }) => path.join('.')),
    matches: (object) => terms.every(({ path, equal, value }) => (read(object, path) === value) === equal),
    toString: () =>
      terms
        .map(({ path, equal, value }) => `${path.join('.')}${equal ? '=' : '!='}${value.replace(/[\\,=]/g, '\\$&')}`)
        .join(','),
  };
}

function splitEscaped(text: string, separator: string): string[] {
  const parts = [''];
  for (let i = 0; i < text.length; i += 1) {
    const letter = text.charAt(i);
    if (letter === separator) parts.push('');
    else {
      const taken = letter === '\\' ? text.slice(i, i + 2) : letter;
      parts.push((parts.pop() ?? '') + taken);
      i += taken.length - 1;
    }
  }
  return parts;
}

function read(object: object, path: readonly string[]): string {
  let value: unknown = object;
  for (const name of path) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, name)) return '';
    value = (value as Record<string, unknown>)[name];
  }
  return value === undefined || value === null ? '' : String(value);
}
