import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { apiVersionOf, type KubeObject } from '@sandbank/kube';
import { parseAllDocuments } from 'yaml';
import { allKinds } from '../crds.ts';
import type { ApiKind } from '../schema/kind.ts';

const folder = join(import.meta.dirname, '../../../examples');

export interface Example {
  /** `kruise/sandbox.yaml: Sandbox/browser` */
  readonly title: string;
  readonly kind: ApiKind;
  readonly object: KubeObject & Record<string, unknown>;
}

/** Every object in `examples/` whose kind is ours. */
export function exampleObjects(): Example[] {
  return ['opensandbox', 'kruise', 'navix'].flatMap((group) =>
    readdirSync(join(folder, group))
      .filter((file) => file.endsWith('.yaml'))
      .flatMap((file) => examplesIn(`${group}/${file}`)),
  );
}

function examplesIn(file: string): Example[] {
  return parseAllDocuments(readFileSync(join(folder, file), 'utf8')).flatMap((document) => {
    const object = document.toJS() as Example['object'];
    const kind = allKinds.find((one) => one.kind === object.kind && apiVersionOf(one) === object.apiVersion);
    return kind ? [{ title: `${file}: ${object.kind}/${object.metadata?.name}`, kind, object }] : [];
  });
}
