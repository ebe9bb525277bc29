/**
 * Writes `generated/*_pb.js (and their types)` from `proto/*.proto`. Run through `npm run generate`, or alone: `node packages/runtime/generate.ts`.
 */
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const here = dirname(fileURLToPath(import.meta.url));

/** The generated files by name, for the folder `generated/`. Writes nothing into the package. */
export function generateRuntime(): Map<string, string> {
  const require = createRequire(import.meta.url);
  const buf = join(dirname(require.resolve('@bufbuild/buf/package.json')), 'bin', 'buf');
  const plugin = join(dirname(require.resolve('@bufbuild/protoc-gen-es/package.json')), 'bin', 'protoc-gen-es');
  const out = mkdtempSync(join(tmpdir(), 'sandbank-generate-'));
  try {
    const template = JSON.stringify({
      version: 'v2',
      plugins: [{ local: [process.execPath, plugin], out, opt: ['target=js+dts', 'import_extension=js'] }],
    });
    execFileSync(process.execPath, [buf, 'generate', join(here, 'proto'), '--template', template], {
      stdio: ['ignore', 'inherit', 'inherit'],
    });
    const files = readdirSync(out).sort();
    return new Map(files.map((name) => [name, readFileSync(join(out, name), 'utf8')]));
  } finally {
    rmSync(out, { recursive: true, force: true });
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  mkdirSync(join(here, 'generated'), { recursive: true });
  for (const [name, text] of generateRuntime()) writeFileSync(join(here, 'generated', name), text);
}
