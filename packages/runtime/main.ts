#!/usr/bin/env node
/** The command `sandbank-runtime`. */
import { ConfigError, parseConfig } from './server/config.ts';
import { createLog } from './server/log.ts';
import { startRuntime } from './server/runtime.ts';

async function main(args: readonly string[]): Promise<void> {
  if (args[0] === 'pack') {
    const { packCommand } = await import('./pack/command.ts');
    await packCommand(args.slice(1));
    return;
  }
  const parsed = parseConfig(args, process.env);
  if ('show' in parsed) {
    const { helpText } = await import('./server/help.ts');
    const { fullVersion } = await import('./server/version.ts');
    process.stdout.write(parsed.show === 'help' ? helpText : `${fullVersion}\n`);
    return;
  }
  const log = createLog(parsed.config.logLevel);
  // A mistake of ours in one request must not end everybody else's processes; it is told, loudly.
  process.on('unhandledRejection', (error) => log.error('unhandled rejection', { error }));
  const runtime = await startRuntime(parsed.config, log);
  const stop = (signal: NodeJS.Signals): void => {
    log.info('stopping', { signal });
    runtime.close().then(
      () => process.exit(0),
      (error: unknown) => {
        log.error('stopping failed', { error });
        process.exit(1);
      },
    );
  };
  process.once('SIGTERM', stop);
  process.once('SIGINT', stop);
}

main(process.argv.slice(2)).catch((error: unknown) => {
  const message = error instanceof Error ? error.message : String(error);
  process.stderr.write(`sandbank-runtime: ${message}\n`);
  process.exit(error instanceof ConfigError ? 64 : 1);
});
