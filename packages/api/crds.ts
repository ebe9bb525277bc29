import { stringify } from 'yaml';
import * as kruise from './kruise/index.ts';
import * as navix from './navix/index.ts';
import * as opensandbox from './opensandbox/index.ts';
import { crdName, crdOf, schemaOf } from './schema/crd.ts';
import type { ApiKind } from './schema/kind.ts';
import { fieldTable, kindPage } from './schema/table.ts';

/** Every kind that Sandbank defines. */
export const allKinds: readonly ApiKind[] = [
  opensandbox.BatchSandbox,
  opensandbox.Pool,
  opensandbox.SandboxSnapshot,
  kruise.Sandbox,
  kruise.SandboxSet,
  kruise.SandboxClaim,
  kruise.SandboxTemplate,
  kruise.Checkpoint,
  kruise.SandboxUpdateOps,
  kruise.Commit,
  kruise.TrafficPolicy,
  kruise.GlobalTrafficPolicy,
  kruise.SecurityProfile,
  kruise.GlobalSecurityProfile,
  navix.SandboxEnv,
  navix.SandboxPool,
  navix.SandboxTemplate,
];

/** The CRDs as files of `deploy/crds/`: names and texts. */
export function crdFiles(): Map<string, string> {
  return new Map(allKinds.map((kind) => [`${kind.group}_${kind.plural}.yaml`, crdYaml(kind)]));
}

/** The reference pages as files of `docs/reference/kinds/`: names and texts. */
export function docFiles(): Map<string, string> {
  return new Map(allKinds.map((kind) => [`${kind.group}/${kind.singular}.md`, kindPage(kind)]));
}

/** The fields of one part of a kind as a markdown table: `pools.sandbox.opensandbox.io spec`. */
export function kindTable(which: string): string {
  const [name = '', part = ''] = which.split(' ');
  const kind = allKinds.find((one) => crdName(one) === name);
  const schema = kind && schemaOf(kind).properties?.[part];
  if (!schema) throw new Error(`there is no ${part || 'part'} of a kind named ${name}`);
  return fieldTable(part, schema);
}

function crdYaml(kind: ApiKind): string {
  // Go reads YAML 1.1: without `compat`, words such as `on` would arrive as booleans.
  const text = stringify(crdOf(kind), { compat: 'yaml-1.1', aliasDuplicateObjects: false, lineWidth: 0 });
  return `# Made by \`npm run generate\` from packages/api.\n${text}`;
}
