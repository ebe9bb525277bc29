import path from 'node:path';

const REPOSITORY = path.resolve(import.meta.dirname, '../../..');

export interface RuntimeArguments {
  readonly port?: number;
  readonly socket?: string;
  readonly insecure: boolean;
  readonly args: readonly string[];
}

/** How the suites start the runtime: from its sources, by the Node that runs the suite. The one place that knows. */
export function runtimeCommand({ port, socket, insecure, args }: RuntimeArguments): string[] {
  return [
    process.execPath,
    path.join(REPOSITORY, 'packages/runtime/main.ts'),
    ...(port === undefined ? [] : ['--address', '127.0.0.1', '--port', String(port)]),
    ...(socket === undefined ? [] : ['--socket', socket]),
    ...(insecure ? ['--insecure-no-token'] : []),
    ...args,
  ];
}
