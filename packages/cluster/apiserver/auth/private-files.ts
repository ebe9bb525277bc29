import { randomBytes } from 'node:crypto';
import { open, rename, rm } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';

const UNFINISHED = /^\..+\.unfinished-[0-9a-f]{8}$/;

/** Whether a file was being written when its writer died. It never became the real one, so it can go. */
export const isUnfinished = (name: string) => UNFINISHED.test(name);

/** The file is whole or absent, whatever happens: written beside, synced, renamed, and the folder synced. */
export async function writePrivateFile(file: string, text: string): Promise<void> {
  const folder = dirname(file);
  const unfinished = join(folder, `.${basename(file)}.unfinished-${randomBytes(4).toString('hex')}`);
  try {
    const handle = await open(unfinished, 'wx', 0o600);
    try {
      await handle.writeFile(text);
      await handle.sync();
    } finally {
      await handle.close();
    }
    await rename(unfinished, file);
  } catch (error) {
    await rm(unfinished, { force: true });
    throw error;
  }
  const handle = await open(folder, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}
