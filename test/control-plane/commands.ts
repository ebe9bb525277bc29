import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { ControlPlaneError } from './errors.ts';

export type CommandOptions = {
  readonly stdin?: string;
  /** Whole: nothing is added. */
  readonly env: Readonly<Record<string, string>>;
  readonly cwd: string;
  readonly signal?: AbortSignal;
};

/** Runs a command to its end and returns what it wrote; a failure carries its complaint. */
export async function run(command: string, args: readonly string[], options: CommandOptions): Promise<string> {
  const child = spawn(command, [...args], {
    cwd: options.cwd,
    env: options.env,
    ...(options.signal === undefined ? {} : { signal: options.signal }),
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  let out = '';
  let complaint = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    out += text;
  });
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    complaint += text;
  });
  // A command that ends without reading is no failure of ours.
  child.stdin.on('error', () => {});
  child.stdin.end(options.stdin ?? '');
  const [code] = (await once(child, 'close')) as [number | null];
  if (code !== 0) {
    const what = `${command.split('/').at(-1)} ${args.join(' ')}`;
    throw new ControlPlaneError(
      'COMMAND_FAILED',
      `${what} ended with ${code ?? 'a signal'}: ${complaint.trim() || out.trim()}`,
    );
  }
  return out;
}
