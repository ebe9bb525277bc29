/** Reads what `strace -f -xx -s BIG -o FILE` wrote, as far as files and their syncs go. */

/** Lines of the trace are the clock: a call began at one line and ended at another. */
interface Span {
  readonly start: number;
  readonly end: number;
}

export type FileName = 'store.db' | 'store.db-wal';

export type Step = Span &
  (
    | { readonly do: 'write'; readonly file: FileName; readonly offset: number; readonly data: Buffer }
    | { readonly do: 'truncate'; readonly file: FileName; readonly length: number }
    | { readonly do: 'sync'; readonly file: FileName }
    | { readonly do: 'say'; readonly text: string }
  );

interface Call extends Span {
  readonly name: string;
  readonly args: string;
  readonly result: number;
}

export const straceArguments = (output: string): string[] => [
  ...['-f', '-qq', '-xx', '-s', '1000000', '-o', output],
  ...['-e', 'trace=openat,close,write,pwrite64,fsync,fdatasync,ftruncate'],
];

/** The writes, truncations and syncs of the store's two files, and what was said on stdout, in the order they began. */
export function stepsOf(trace: string): Step[] {
  const open = new Map<string, FileName>();
  const steps: Step[] = [];
  for (const { name, args, result, start, end } of callsOf(trace)) {
    const [fd = ''] = args.split(',', 1);
    const file = open.get(fd);
    if (name === 'openat' && result >= 0) {
      const path = bytesIn(args).toString();
      const found = (['store.db', 'store.db-wal'] as const).find((file) => path.endsWith(`/${file}`));
      if (found) open.set(String(result), found);
      else open.delete(String(result));
    } else if (name === 'close') open.delete(fd);
    else if (name === 'write' && fd === '1') steps.push({ do: 'say', text: bytesIn(args).toString(), start, end });
    else if (!file || result < 0) continue;
    else if (name === 'ftruncate') steps.push({ do: 'truncate', file, length: lastNumber(args), start, end });
    else if (name === 'fsync' || name === 'fdatasync') steps.push({ do: 'sync', file, start, end });
    else if (name === 'pwrite64') {
      const data = bytesIn(args).subarray(0, result);
      steps.push({ do: 'write', file, offset: lastNumber(args), data, start, end });
    } else throw new Error(`the trace has a ${name} on ${file}, which is not understood`);
  }
  return steps;
}

/** A call that another thread interrupted is in two lines: `… <unfinished ...>` and `<... name resumed>…`. */
function callsOf(trace: string): Call[] {
  const calls: Call[] = [];
  const unfinished = new Map<string, { name: string; args: string; start: number }>();
  for (const [line, text] of trace.split('\n').entries()) {
    const [, thread = '', rest = ''] = /^(\d+) +(.*)$/s.exec(text) ?? [];
    const result = Number(/= (-?\d+)[^=]*$/.exec(rest)?.[1] ?? Number.NaN);
    const begun = /^(\w+)\(/.exec(rest);
    if (begun?.[1]) {
      const name = begun[1];
      const args = rest.slice(name.length + 1);
      const cut = args.indexOf(' <unfinished ...>');
      if (cut >= 0) unfinished.set(thread, { name, args: args.slice(0, cut), start: line });
      else calls.push({ name, args: args.slice(0, args.lastIndexOf(')')), result, start: line, end: line });
    } else if (rest.startsWith('<... ')) {
      const first = unfinished.get(thread);
      unfinished.delete(thread);
      if (first) calls.push({ ...first, result, end: line });
    }
  }
  return calls.sort((a, b) => a.start - b.start);
}

function bytesIn(args: string): Buffer {
  const text = args.slice(args.indexOf('"') + 1, args.lastIndexOf('"'));
  return Buffer.from(text.replaceAll('\\x', ''), 'hex');
}

function lastNumber(args: string): number {
  return Number(/(\d+)\s*$/.exec(args)?.[1]);
}
