import type { ObjectOf } from '@sandbank/kube';
import { atomicList, defaulted, exactlyOne, int32, map, object, oneOf, optional, text } from '../schema/fields.ts';
import { ageColumn, column, defineKind } from '../schema/kind.ts';
import { conditions, labelSelector } from '../schema/kubernetes.ts';
import { trafficActions, trafficProtocols } from './constants.ts';
import { group } from './group.ts';

const namespaceName = (description?: string) =>
  text({ minLength: 1, maxLength: 63, ...(description && { description }) });

// kruise 1.8
const peer = exactlyOne({
  cidr: optional(text({ minLength: 1, maxLength: 43 })),
  fqdn: optional(text({ minLength: 1, maxLength: 253 })),
  service: optional(
    object({
      name: text({ minLength: 1, maxLength: 253 }),
      namespace: optional(namespaceName('That of the policy when absent.')),
    }),
  ),
  workload: optional(object({ namespace: namespaceName(), selector: map(text(), { maxProperties: 10 }) })),
});

const port = object(
  {
    protocol: optional(oneOf(trafficProtocols)),
    port: optional(int32({ minimum: 1, maximum: 65535, examples: [8000] })),
    endPort: optional(int32({ minimum: 1, maximum: 65535, description: 'Last port of a range.', examples: [9000] })),
  },
  {
    rules: [
      { rule: '!has(self.endPort) || has(self.port)', message: 'endPort needs port' },
      {
        rule: '!has(self.endPort) || !has(self.port) || self.endPort >= self.port',
        message: 'endPort must not be less than port',
      },
    ],
  },
);

const rule = object({
  action: oneOf(trafficActions),
  from: optional(atomicList(peer, { maxItems: 20 })),
  to: optional(atomicList(peer, { maxItems: 20 })),
  ports: optional(atomicList(port, { maxItems: 20 })),
});

const direction = (description: string) =>
  optional(object({ rules: optional(atomicList(rule, { maxItems: 50 })) }, { description }));

const spec = object(
  {
    selector: labelSelector('Pods that the policy is for.'),
    priority: defaulted(int32({ minimum: 0 }), 1000),
    ingress: direction('Traffic to the pods, first match decides.'),
    egress: direction('Traffic from the pods, first match decides.'),
  },
  { rules: [{ rule: 'has(self.ingress) || has(self.egress)', message: 'set ingress, egress or both' }] },
);

const status = object({ conditions: optional(conditions({ maxItems: 20 })) });

const columns = [column('Priority', '.spec.priority', 'integer'), ageColumn()];

/** kruise 1.8: which traffic the pods of a namespace may have. Enforced by a data plane, not by a controller. */
export const TrafficPolicy = defineKind({
  ...group,
  kind: 'TrafficPolicy',
  plural: 'trafficpolicies',
  shortNames: ['tp'],
  description: 'Which traffic the selected pods of a namespace may have.',
  columns,
  spec,
  status,
});
export type TrafficPolicy = ObjectOf<typeof TrafficPolicy>;

/** kruise 1.8: the same for all namespaces. */
export const GlobalTrafficPolicy = defineKind({
  ...group,
  kind: 'GlobalTrafficPolicy',
  plural: 'globaltrafficpolicies',
  shortNames: ['gtp'],
  scope: 'Cluster',
  description: 'Which traffic the selected pods of all namespaces may have.',
  columns,
  spec,
  status,
});
export type GlobalTrafficPolicy = ObjectOf<typeof GlobalTrafficPolicy>;
