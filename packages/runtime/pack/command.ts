/** `sandbank-runtime pack DIR` */
import { ConfigError } from '../server/config.ts';
import { packRuntime } from './pack.ts';

export async function packCommand(args: readonly string[]): Promise<void> {
  const [folder, ...rest] = args;
  if (folder === undefined || folder.startsWith('-') || rest.length > 0) {
    throw new ConfigError('usage: sandbank-runtime pack DIR');
  }
  await packRuntime(folder);
  process.stdout.write(`${folder}/sandbank-runtime\n`);
}
