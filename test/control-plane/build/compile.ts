import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { ControlPlaneError } from '../errors.ts';
import { GO_FOLDER, type Recipe } from './recipes.ts';

/** Builds one binary aside and moves it into the folder in one step, so that nobody ever runs half a file. */
export async function compile(recipe: Recipe, folder: string): Promise<void> {
  const temporary = mkdtempSync(join(folder, `.tmp-${recipe.name}-`));
  try {
    const built = join(temporary, recipe.name);
    await go(recipe, ['build', '-trimpath', '-ldflags', recipe.ldflags, '-o', built, recipe.package]);
    renameSync(built, join(folder, recipe.name));
  } finally {
    rmSync(temporary, { recursive: true, force: true });
  }
}

async function go(recipe: Recipe, args: readonly string[]): Promise<void> {
  const child = spawn('go', args, {
    cwd: join(GO_FOLDER, recipe.module),
    // Without cgo the result runs on any machine of the platform; a workspace around us must not meddle.
    env: { ...process.env, CGO_ENABLED: '0', GOWORK: 'off' },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  let output = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    output = (output + text).slice(-4000);
  });
  const [code] = (await once(child, 'close')) as [number | null];
  if (code !== 0) {
    throw new ControlPlaneError(
      'BUILD_FAILED',
      `go could not build ${recipe.name}. Its last lines:\n${output.trimEnd()}`,
    );
  }
}
