import { readFileSync } from 'node:fs';
import path from 'node:path';
import { gzipSync } from 'node:zlib';
import { envelope, type Request } from '../../runtime/wire.ts';

/** One recorded exchange; the format is described in test/golden/envd/README.md. */
export interface Exchange {
  readonly title: string;
  readonly freshServer?: boolean;
  readonly setup?: readonly string[];
  readonly request: RecordedRequest;
  readonly response: RecordedResponse;
  readonly after?: readonly { readonly command: string; readonly output: string }[];
}

export interface RecordedRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: unknown;
  readonly bodyText?: string;
  readonly bodyBase64?: string;
  readonly gzip?: boolean;
  readonly multipart?: readonly { name: string; filename?: string; content: string }[];
  readonly messages?: readonly Message[];
}

export interface Message {
  readonly flags: number;
  readonly message: Record<string, unknown>;
  readonly text?: string;
}

export interface RecordedResponse {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: unknown;
  readonly bodyText?: string;
  readonly bodyBase64?: string;
  readonly messages?: readonly Message[];
  readonly first?: Message;
  readonly last?: readonly Message[];
  readonly steps?: readonly { command?: string; call?: string; messages: readonly Message[] }[];
  readonly totalBytes?: number;
  readonly stdout?: string;
  readonly stderr?: string;
  readonly flags?: readonly number[];
  readonly connection?: string;
  readonly cutByClient?: boolean;
}

export function load(name: 'http' | 'process' | 'filesystem'): Exchange[] {
  return JSON.parse(readFileSync(path.resolve(import.meta.dirname, `../../golden/envd/${name}.json`), 'utf8'));
}

/** Bytes of a recorded request; `fill` gives placeholders their values of this run. */
export function toRequest(recorded: RecordedRequest, fill: (value: unknown) => unknown): Request {
  const headers = Object.fromEntries(
    Object.entries(recorded.headers).map(([name, value]) => [repeat(name), repeat(value)]),
  );
  const head = { method: recorded.method, path: recorded.path, headers };
  const body = bodyOf(recorded, fill);
  return body === undefined ? head : { ...head, body };
}

/** `<v x 4100>` stands for the letter v, 4,100 times. */
function repeat(text: string): string {
  return text.replace(/<(\w) x (\d+)>/g, (_, letter: string, times: string) => letter.repeat(Number(times)));
}

function bodyOf(recorded: RecordedRequest, fill: (value: unknown) => unknown): Buffer | undefined {
  if (recorded.messages !== undefined)
    return Buffer.concat(recorded.messages.map(({ flags, message }) => envelope(fill(message), flags)));
  if (recorded.multipart !== undefined) return multipart(recorded);
  if (recorded.bodyBase64 !== undefined) return Buffer.from(recorded.bodyBase64, 'base64');
  if (recorded.bodyText !== undefined) return squeeze(Buffer.from(recorded.bodyText), recorded.gzip);
  if (recorded.body !== undefined) return squeeze(Buffer.from(JSON.stringify(fill(recorded.body))), recorded.gzip);
  return undefined;
}

function squeeze(bytes: Buffer, gzip: boolean | undefined): Buffer {
  return gzip === true ? gzipSync(bytes) : bytes;
}

function multipart(recorded: RecordedRequest): Buffer {
  const parts = (recorded.multipart ?? []).map(({ name, filename, content }) => {
    const file = filename === undefined ? '' : `; filename="${filename}"`;
    return `--goldenboundary\r\nContent-Disposition: form-data; name="${name}"${file}\r\n\r\n${content}\r\n`;
  });
  return squeeze(Buffer.from(`${parts.join('')}--goldenboundary--\r\n`), recorded.gzip);
}
