/** The runtime as one file of JavaScript. Parts that are imported on demand stay unevaluated inside it until then. */
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const packageFolder = dirname(dirname(fileURLToPath(import.meta.url)));

/** Needs esbuild, which is a development dependency: bundles are made in the repository and shipped. */
export async function bundleRuntime(outfile: string): Promise<void> {
  const { build } = await import('esbuild');
  await build({
    entryPoints: [join(packageFolder, 'main.ts')],
    outfile,
    bundle: true,
    platform: 'node',
    format: 'esm',
    target: 'node22.19',
    minify: true,
    keepNames: false,
    legalComments: 'none',
    external: ['esbuild'],
    logLevel: 'error',
  });
}
