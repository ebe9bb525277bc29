import type { ObjectOf } from '@sandbank/kube';
import { object } from '../schema/fields.ts';
import { defineKind } from '../schema/kind.ts';
import { group } from './group.ts';
import { contents, pauseStrategy, runtimes, template, volumeClaimTemplates } from './template-fields.ts';

// kruise 1.4
const spec = object({ template, volumeClaimTemplates, persistentContents: contents, runtimes, pauseStrategy });

/** kruise 1.4: what a sandbox is made of, to be referred to by name. */
export const SandboxTemplate = defineKind({
  ...group,
  kind: 'SandboxTemplate',
  plural: 'sandboxtemplates',
  shortNames: ['sbt'],
  description: 'What a sandbox is made of, for others to refer to.',
  spec,
});
export type SandboxTemplate = ObjectOf<typeof SandboxTemplate>;
