/** The fields of the messages of the built-in kinds, as `npm run snapshot` wrote them down. */
import generated from '../generated/protobuf-fields.json' with { type: 'json' };

export interface FieldType {
  readonly collection: 'none' | 'list' | 'map';
  /** A scalar or the name of a message. Keys of maps are always strings. */
  readonly of: string;
}

export interface Field {
  readonly number: number;
  /** In JSON. */
  readonly name: string;
  /**
   * When it shows in JSON, as Go's encoder would decide: when it was `sent`, when it is not the zero value, `always`, always
   * but as null when it was not sent, or its own fields in place of it.
   */
  readonly shows: 'sent' | 'nonzero' | 'always' | 'nullable' | 'inline';
  readonly type: FieldType;
}

/** Either fields, or a list that protobuf can only carry inside a message. */
export type Message = { readonly fields: readonly Field[] } | { readonly list: FieldType };

const SHOWS: Readonly<Record<string, Field['shows']>> = {
  '*': 'sent',
  '?': 'nonzero',
  '!': 'always',
  '~': 'nullable',
  '<': 'inline',
};

const sources = generated.messages as Readonly<Record<string, readonly string[] | string>>;
const packages = generated.packages as Readonly<Record<string, string>>;
const parsed = new Map<string, Message>();

/** The message of a kind, such as `apps.v1.Deployment`, or undefined when there is no such kind. */
export function messageOfKind(apiVersion: string, kind: string): string | undefined {
  const home = Object.hasOwn(packages, apiVersion) ? packages[apiVersion] : undefined;
  if (home !== undefined && Object.hasOwn(sources, `${home}.${kind}`)) return `${home}.${kind}`;
  // Options are the same in every group and are sent under any of them.
  return /^(?:Delete|Create|Update|Patch|Get|List)Options$/.test(kind) ? `meta.v1.${kind}` : undefined;
}

export function messageNamed(name: string): Message {
  let message = parsed.get(name);
  if (!message) {
    const source = Object.hasOwn(sources, name) ? sources[name] : undefined;
    if (source === undefined) throw new Error(`nothing is known about the protobuf message ${name}`);
    message = typeof source === 'string' ? { list: typeOf(source) } : { fields: source.map(fieldOf) };
    parsed.set(name, message);
  }
  return message;
}

function fieldOf(source: string): Field {
  const [number = '', name = '', shows = '', type = ''] = source.split(' ');
  return { number: Number(number), name, shows: SHOWS[shows] ?? 'always', type: typeOf(type) };
}

function typeOf(text: string): FieldType {
  if (text.startsWith('[]')) return { collection: 'list', of: text.slice(2) };
  if (text.startsWith('{}')) return { collection: 'map', of: text.slice(2) };
  return { collection: 'none', of: text };
}
