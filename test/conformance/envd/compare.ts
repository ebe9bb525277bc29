import { gunzipSync } from 'node:zlib';
import type { Answer, Envelope } from '../../runtime/wire.ts';
import { FREE_ERROR, FREE_TEXT, WANTED_HEADERS } from './differences.ts';
import { isPlaceholder, type Placeholders } from './placeholders.ts';
import type { Message, RecordedResponse } from './recording.ts';

/** What differs, in words; nothing when the answers agree. */
export type Difference = string;

/**
 * Texts that clients or their tests read (docs/compat/e2b.md 2.6, 3.1, 3.3, 3.5). Elsewhere only the code counts: the
 * README of the recordings gives message texts for orientation.
 */
const TEXTS_THAT_COUNT = [
  /signature/,
  /^access token present in header/,
  /^unauthorized access/,
  /^invalid username: /,
  /^cwd '.*' does not exist/,
  /^path '.*' (?:does not exist|is a directory)/,
  /^process with (?:pid|tag) .* not found/,
];

/** Not compared: what the README says varies, and what the HTTP library of the server decides. */
const SKIPPED_HEADERS = new Set([
  'content-length',
  'transfer-encoding',
  'date',
  'connection',
  'keep-alive',
  'last-modified',
]);
/** Types that come from the machine's MIME table. */
const MACHINE_TYPES = /\.(?:py|md|csv|svg|js|tar\.gz)$/;

export function compareAnswer(title: string, want: RecordedResponse, got: Answer, places: Placeholders): Difference[] {
  const differences: Difference[] = [];
  if (want.status !== undefined && want.status !== got.status)
    differences.push(`status ${got.status}, not ${want.status}`);
  for (const [name, value] of Object.entries(want.headers ?? {})) {
    if (SKIPPED_HEADERS.has(name) || name in WANTED_HEADERS) continue;
    if (name === 'content-type' && MACHINE_TYPES.test(title.replace(/ with gzip$/, ''))) continue;
    const seen = got.headers[name];
    const same =
      name === 'allow' ? sortList(value) === sortList(String(seen)) : normalize(name, value) === normalize(name, seen);
    if (!same && !isPlaceholder(value)) differences.push(`header ${name}: ${seen ?? 'absent'}, not ${value}`);
  }
  return [...differences, ...compareBody(want, got, places)];
}

function sortList(value: string): string {
  return value.split(/, */).sort().join(', ');
}

function normalize(_name: string, value: string | string[] | undefined): string {
  return String(value ?? '').toLowerCase();
}

function compareBody(want: RecordedResponse, got: Answer, places: Placeholders): Difference[] {
  const bytes = got.headers['content-encoding'] === 'gzip' ? gunzipSync(got.body) : got.body;
  if (want.bodyBase64 !== undefined)
    return bytes.equals(Buffer.from(want.bodyBase64, 'base64')) ? [] : ['other bytes in the body'];
  if (want.bodyText !== undefined && FREE_ERROR.test(want.bodyText))
    return bytes.toString('utf8').startsWith(FREE_ERROR.exec(want.bodyText)?.[0] ?? '') ? [] : [`body ${bytes}`];
  if (want.bodyText !== undefined)
    return bytes.toString('utf8') === want.bodyText
      ? []
      : [`body ${JSON.stringify(bytes.toString('utf8'))}, not ${JSON.stringify(want.bodyText)}`];
  if (want.body === undefined) return [];
  if (want.body === null)
    return bytes.length === 0 ? [] : [`a body: ${JSON.stringify(bytes.toString('utf8').slice(0, 200))}`];
  let parsed: unknown;
  try {
    parsed = JSON.parse(bytes.toString('utf8'));
  } catch {
    return [`body is not JSON: ${JSON.stringify(bytes.toString('utf8').slice(0, 200))}`];
  }
  return compareValue('body', want.body, parsed, places);
}

/** Deep comparison by the rules of the recordings' README. */
export function compareValue(at: string, want: unknown, got: unknown, places: Placeholders): Difference[] {
  if (isPlaceholder(want)) return places.agree(want, got) ? [] : [`${at}: ${JSON.stringify(got)} for ${want}`];
  if (Array.isArray(want)) {
    if (!Array.isArray(got)) return [`${at}: ${JSON.stringify(got)} is no list`];
    if (at.endsWith('.processes')) return compareProcesses(at, want, got, places);
    const wanted = at.endsWith('.events') ? withoutRepeats(want) : want;
    const gotten = at.endsWith('.events') ? withoutRepeats(got) : got;
    if (wanted.length !== gotten.length)
      return [
        `${at}: ${gotten.length} items ${JSON.stringify(gotten).slice(0, 400)}, not ${wanted.length} ${JSON.stringify(wanted).slice(0, 400)}`,
      ];
    return wanted.flatMap((item, index) => compareValue(`${at}[${index}]`, item, gotten[index], places));
  }
  if (want !== null && typeof want === 'object') {
    if (got === null || typeof got !== 'object') return [`${at}: ${JSON.stringify(got)} is no object`];
    return compareObject(at, want as Record<string, unknown>, got as Record<string, unknown>, places);
  }
  const filled = typeof want === 'string' && want.includes('<pid:') ? places.fill(want) : want;
  return filled === got ? [] : [`${at}: ${JSON.stringify(got)}, not ${JSON.stringify(filled)}`];
}

function compareObject(at: string, want: Record<string, unknown>, got: Record<string, unknown>, places: Placeholders) {
  const isError = 'code' in want && 'message' in want;
  const isFolder = want['type'] === 'FILE_TYPE_DIRECTORY';
  const keys = new Set([...Object.keys(want), ...Object.keys(got)]);
  return [...keys].flatMap((key): Difference[] => {
    if (isFolder && key === 'size') return [];
    if (!(key in got)) return [`${at}.${key}: absent, not ${JSON.stringify(want[key])}`];
    if (!(key in want)) return [`${at}.${key}: ${JSON.stringify(got[key])}, not absent`];
    if (isError && key === 'message' && !TEXTS_THAT_COUNT.some((text) => text.test(String(want[key]))))
      return typeof got[key] === 'string' && got[key] !== '' ? [] : [`${at}.message is empty`];
    return compareValue(`${at}.${key}`, want[key], got[key], places);
  });
}

/** Order of List varies. */
function compareProcesses(at: string, want: unknown[], got: unknown[], places: Placeholders): Difference[] {
  const key = (item: unknown) => {
    const { config, tag } = item as { config?: unknown; tag?: string };
    return JSON.stringify([tag, config]);
  };
  const sorted = (items: unknown[]) => [...items].sort((a, b) => key(a).localeCompare(key(b)));
  if (want.length !== got.length) return [`${at}: ${got.length} processes ${JSON.stringify(got)}, not ${want.length}`];
  const others = sorted(got);
  return sorted(want).flatMap((item, index) => compareValue(`${at}[${index}]`, item, others[index], places));
}

/** The kernel merges some of several equal events in a row. */
function withoutRepeats(items: readonly unknown[]): unknown[] {
  return items.filter((item, index) => index === 0 || eventKey(item) !== eventKey(items[index - 1]));
}

function eventKey(item: unknown): string {
  const event = ((item as { message?: { filesystem?: object } }).message?.filesystem ?? item) as {
    name?: string;
    type?: string;
  };
  return event.type === undefined ? JSON.stringify(item) : `${event.type} ${event.name}`;
}

/** Consecutive data of one pipe is one message: chunks are cut anywhere. */
export function merged(messages: readonly Message[]): Message[] {
  const result: Message[] = [];
  for (const one of messages) {
    const kind = dataKind(one);
    const last = result.at(-1);
    if (kind !== undefined && last !== undefined && dataKind(last) === kind) {
      const bytes = Buffer.concat([dataOf(last, kind), dataOf(one, kind)]);
      result[result.length - 1] = { flags: 0, message: { event: { data: { [kind]: bytes.toString('base64') } } } };
    } else result.push({ flags: one.flags, message: one.message });
  }
  return result;
}

type Pipe = 'stdout' | 'stderr' | 'pty';
function dataKind({ message }: Message): Pipe | undefined {
  const data = (message as { event?: { data?: Record<string, string> } }).event?.data;
  return (['stdout', 'stderr', 'pty'] as const).find((kind) => data?.[kind] !== undefined);
}
function dataOf({ message }: Message, kind: Pipe): Buffer {
  return Buffer.from((message as { event: { data: Record<Pipe, string> } }).event.data[kind], 'base64');
}

export function toMessages(envelopes: readonly Envelope[]): Message[] {
  return envelopes.map(({ flags, payload }) => {
    const plain = (flags & 1) === 1 ? gunzipSync(payload) : payload;
    return { flags, message: JSON.parse(plain.toString('utf8')) as Record<string, unknown> };
  });
}

export function compareMessages(want: readonly Message[], got: readonly Message[], places: Placeholders): Difference[] {
  const wanted = withoutRepeats(merged(want)) as Message[];
  const gotten = withoutRepeats(merged(got)) as Message[];
  const shape = (messages: readonly Message[]) => messages.map(kindOf).join(', ');
  if (shape(wanted) !== shape(gotten))
    return [`messages ${shape(gotten)}, not ${shape(wanted)}: ${JSON.stringify(gotten).slice(0, 600)}`];
  return wanted.flatMap((one, index) => {
    const other = gotten[index];
    if (other === undefined) return [`message ${index} is missing`];
    const kind = dataKind(one);
    if (kind !== undefined)
      return compareText(dataOf(one, kind).toString('latin1'), dataOf(other, kind).toString('latin1'), places);
    return compareValue(`message ${index}`, one.message, other.message, places);
  });
}

function kindOf({ flags, message }: Message): string {
  if ((flags & 2) !== 0)
    return 'error' in message ? `end of stream (${(message['error'] as { code: string }).code})` : 'end of stream';
  const event = message['event'];
  const inner = (event ?? message) as Record<string, unknown>;
  const key = Object.keys(inner)[0] ?? 'empty';
  const data = inner['data'] as Record<string, unknown> | undefined;
  return data === undefined ? key : `${key}:${Object.keys(data)[0]}`;
}

function compareText(want: string, got: string, places: Placeholders): Difference[] {
  const filled = String(places.fill(want));
  if (FREE_TEXT.test(filled))
    return got.includes(FREE_TEXT.exec(filled)?.[1] ?? '') ? [] : [`output ${JSON.stringify(got)}`];
  const pattern = filled.split('<child pid>').map((part) => part.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'));
  return new RegExp(`^${pattern.join('\\d+')}$`).test(got)
    ? []
    : [`output ${JSON.stringify(got)}, not ${JSON.stringify(filled)}`];
}
