import type { ObjectOf } from '@sandbank/kube';
import { defaulted, int32, int64, list, listMap, map, object, optional, text } from '../schema/fields.ts';
import { defineKind } from '../schema/kind.ts';
import { conditions, labelSelector } from '../schema/kubernetes.ts';
import { auditEntry, shortName } from './audit.ts';
import { group } from './group.ts';
import { ruleActions } from './security-actions.ts';
import { ruleMatch } from './security-match.ts';

// kruise 1.9
const input = object({
  name: shortName(),
  configMap: optional(
    object({ name: text({ minLength: 1, maxLength: 253 }), namespace: optional(text({ maxLength: 63 })) }),
  ),
  inline: optional(map(text())),
});

const rule = object({
  name: text({ minLength: 1, maxLength: 253 }),
  match: list(ruleMatch, { minItems: 1, description: 'One that fits is enough.' }),
  actions: ruleActions,
});

const spec = object({
  selector: labelSelector('Pods that the profile is for.'),
  priority: defaulted(int32({ minimum: 0, description: 'Smaller is looked at first.' }), 1000),
  inputs: optional(listMap(input, 'name', { description: 'Values that expressions and templates can name.' })),
  rules: optional(listMap(rule, 'name')),
  audit: optional(listMap(auditEntry, 'name', { description: 'For rules that have no reports of their own.' })),
});

const status = object({ observedGeneration: optional(int64()), conditions: optional(conditions()) });

/** kruise 1.9: what becomes of the HTTP requests of pods. Enforced by a data plane, not by a controller. */
export const SecurityProfile = defineKind({
  ...group,
  kind: 'SecurityProfile',
  plural: 'securityprofiles',
  shortNames: ['sp'],
  description: 'What becomes of the HTTP requests of the selected pods of a namespace.',
  spec,
  status,
});
export type SecurityProfile = ObjectOf<typeof SecurityProfile>;

/** kruise 1.9: the same for all namespaces. */
export const GlobalSecurityProfile = defineKind({
  ...group,
  kind: 'GlobalSecurityProfile',
  plural: 'globalsecurityprofiles',
  shortNames: ['gsp'],
  scope: 'Cluster',
  description: 'What becomes of the HTTP requests of the selected pods of all namespaces.',
  spec,
  status,
});
export type GlobalSecurityProfile = ObjectOf<typeof GlobalSecurityProfile>;
