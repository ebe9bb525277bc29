/** Request bodies in JSON. */
import type { Json } from '../structural.ts';
import { DecodeError } from './errors.ts';

export interface Decoded {
  readonly value: Json;
  /** Paths of fields that come twice, when they were asked for: `spec.name`, `spec.list[0].name`. */
  readonly duplicates: readonly string[];
}

/**
 * Deeper than any object is, and shallow enough for everything that walks values recursively. The real server stops at ten
 * thousand.
 */
export const MAX_DEPTH = 1_000;

/** Looking for duplicates costs a second pass over the text, so it is done for strict callers only. */
export function decodeJson(text: string, findDuplicates = false): Decoded {
  if (text.length > 2 * MAX_DEPTH) refuseDeep(text);
  let value: Json;
  try {
    value = JSON.parse(text) as Json;
  } catch (error) {
    const why = goWords((error as Error).message, text);
    throw new DecodeError(`couldn't get version/kind; json parse error: ${why}`, { cause: error });
  }
  return { value, duplicates: findDuplicates ? duplicateFields(text) : [] };
}

function refuseDeep(text: string): void {
  let depth = 0;
  for (let index = 0; index < text.length; index++) {
    const code = text.charCodeAt(index);
    if (code === 0x22) index = endOfString(text, index);
    else if (code === 0x7b || code === 0x5b) {
      if (++depth > MAX_DEPTH)
        throw new DecodeError(
          `couldn't get version/kind; json parse error: invalid character '${text[index]}' exceeded max depth`,
        );
    } else if (code === 0x7d || code === 0x5d) depth--;
  }
}

/** Of the closing quote. */
function endOfString(text: string, start: number): number {
  let index = start + 1;
  while (index < text.length && text.charCodeAt(index) !== 0x22) index += text.charCodeAt(index) === 0x5c ? 2 : 1;
  return index;
}

/** Of a text that is known to be JSON. */
export function duplicateFields(text: string): string[] {
  const found: string[] = [];
  const stack: { names: Set<string> | undefined; step: string; index: number }[] = [];
  let isName = false;
  /** The name whose value comes next. */
  let pending = '';
  const path = (name: string) => [...stack.slice(1).map(({ step }) => step), `.${name}`].join('').replace(/^\./, '');
  for (let at = 0; at < text.length; at++) {
    const top = stack.at(-1);
    switch (text[at]) {
      case '{':
      case '[': {
        const isObject = text[at] === '{';
        const step = top === undefined ? '' : top.names ? `.${pending}` : `[${top.index}]`;
        stack.push({ names: isObject ? new Set() : undefined, step, index: 0 });
        isName = isObject;
        break;
      }
      case '}':
      case ']':
        stack.pop();
        break;
      case ',':
        if (top?.names) isName = true;
        else if (top) top.index++;
        break;
      case '"': {
        const end = endOfString(text, at);
        if (isName && top?.names) {
          pending = JSON.parse(text.slice(at, end + 1)) as string;
          if (top.names.has(pending)) found.push(path(pending));
          top.names.add(pending);
          isName = false;
        }
        at = end;
      }
    }
  }
  return found;
}

function goWords(message: string, text: string): string {
  if (/Unexpected end|Unterminated string/.test(message)) return 'unexpected end of JSON input';
  const position = /position (\d+)/.exec(message)?.[1];
  const char =
    /Unexpected token '(.)'/su.exec(message)?.[1] ?? (position === undefined ? '' : (text[Number(position)] ?? ''));
  const shown = char === '\n' ? '\\n' : char === "'" ? "\\'" : char;
  const character = `invalid character '${shown}'`;
  if (message.includes('after JSON')) return `${character} after top-level value`;
  if (/Expected property name|Expected double-quoted property name/.test(message))
    return `${character} looking for beginning of object key string`;
  if (message.includes("Expected ':'")) return `${character} after object key`;
  if (message.includes("',' or '}'")) return `${character} after object key:value pair`;
  if (message.includes("',' or ']'")) return `${character} after array element`;
  if (message.includes('control character')) return `${character} in string literal`;
  return `${character} looking for beginning of value`;
}
