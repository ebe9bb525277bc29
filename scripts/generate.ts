/**
 * `npm run generate` makes every generated file of the repository; `npm run generate -- --check` changes nothing,
 * names the files that would change, and exits 1 when there are any.
 */
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { crdFiles, docFiles, kindTable } from '../packages/api/crds.ts';
import { commandReference } from '../packages/cli/reference.ts';
import { errorCodes } from '../packages/kube/errors.ts';
import { type MetricDescription, metricDescriptions } from '../packages/kube/metrics/descriptions.ts';
import { generateRuntime } from '../packages/runtime/generate.ts';
import { fillDocs, markdownTable, type Table } from './generate/docs-blocks.ts';
import { generateKinds } from './generate/kinds.ts';
import { merge, type Output, readText, renew, under } from './generate/output.ts';
import { readSnapshot } from './generate/snapshot-format.ts';

const root = join(import.meta.dirname, '..');

const tables: Record<string, Table> = {
  cli: commandReference,
  'kind-fields': kindTable,
  'kube-metrics': () =>
    markdownTable(
      ['Name', 'Type', 'Labels', 'Meaning'],
      Object.values<MetricDescription>(metricDescriptions).map(({ name, type, labels, help }) => [
        `\`${name}\``,
        type,
        labels.map((label) => `\`${label}\``).join(', '),
        help,
      ]),
    ),
  'kube-errors': () =>
    markdownTable(
      ['Code', 'Meaning'],
      Object.entries(errorCodes).map(([code, meaning]) => [`\`${code}\``, meaning]),
    ),
};

async function kinds(): Promise<Output> {
  const file = 'packages/kube/kinds/openapi-snapshot.json';
  const snapshot = await readText(join(root, file));
  if (snapshot === undefined) throw new Error(`${file} is missing; run npm run snapshot`);
  return under('packages/kube/kinds/generated', generateKinds(readSnapshot(snapshot)));
}

const { values } = parseArgs({ options: { check: { type: 'boolean', default: false } } });
const output = merge([
  await kinds(),
  under('deploy/crds', crdFiles()),
  under('docs/reference/kinds', docFiles()),
  under('packages/runtime/generated', generateRuntime()),
  await fillDocs(root, tables),
]);
const { lines, exitCode } = await renew(root, output, values.check);
for (const line of lines) console.log(line);
process.exitCode = exitCode;
