/** `'%s has %d'.format([name, count])`. */
import { CelProblem } from '../problem.ts';

export function formatText(template: string, args: readonly unknown[]): string {
  let used = 0;
  const text = template.replace(/%(?:\.(\d+))?([a-zA-Z%])/g, (_, precision: string | undefined, verb: string) => {
    if (verb === '%') return '%';
    if (used >= args.length) throw new CelProblem(`index ${used} out of range`);
    return formatOne(verb, precision === undefined ? 6 : Number(precision), args[used++]);
  });
  if (/%$/.test(text) && !template.endsWith('%%')) throw new CelProblem('could not parse formatting clause');
  return text;
}

function formatOne(verb: string, precision: number, value: unknown): string {
  switch (verb) {
    case 's':
      return asText(value);
    case 'd':
      if (typeof value === 'bigint') return String(value);
      if (typeof value === 'number') return String(value);
      break;
    case 'f':
      if (typeof value === 'number' || typeof value === 'bigint') return Number(value).toFixed(precision);
      break;
    case 'e':
      if (typeof value === 'number' || typeof value === 'bigint')
        return Number(value)
          .toExponential(precision)
          .replace(/e([+-])(\d)$/, 'e$10$2');
      break;
    case 'b':
      if (typeof value === 'bigint') return value.toString(2);
      if (typeof value === 'boolean') return value ? '1' : '0';
      break;
    case 'o':
      if (typeof value === 'bigint') return value.toString(8);
      break;
    case 'x':
    case 'X': {
      const hex =
        typeof value === 'bigint'
          ? value.toString(16)
          : typeof value === 'string'
            ? Buffer.from(value).toString('hex')
            : undefined;
      if (hex !== undefined) return verb === 'X' ? hex.toUpperCase() : hex;
      break;
    }
    default:
      throw new CelProblem(`could not parse formatting clause: unrecognized formatting clause "${verb}"`);
  }
  throw new CelProblem(`error during formatting: ${verb} clause cannot be used on this type`);
}

function asText(value: unknown): string {
  if (value === null) return 'null';
  if (typeof value === 'string') return value;
  if (value instanceof Date) return value.toISOString().replace('.000Z', 'Z');
  if (Array.isArray(value)) return `[${value.map(asText).join(', ')}]`;
  if (value instanceof Set) return asText([...value]);
  if (value instanceof Map) return `{${[...value].map(([key, one]) => `${asText(key)}: ${asText(one)}`).join(', ')}}`;
  return String(value);
}
