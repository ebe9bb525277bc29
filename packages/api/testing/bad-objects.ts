import { apiVersionOf } from '@sandbank/kube';
import {
  Checkpoint,
  Commit,
  GlobalTrafficPolicy,
  Sandbox,
  SandboxClaim,
  SandboxSet,
  SandboxTemplate,
  SandboxUpdateOps,
  SecurityProfile,
  TrafficPolicy,
} from '../kruise/index.ts';
import { SandboxTemplate as ClusterTemplate, SandboxEnv, SandboxPool } from '../navix/index.ts';
import { BatchSandbox, Pool, SandboxSnapshot } from '../opensandbox/index.ts';
import type { ApiKind } from '../schema/kind.ts';

/** Objects that an API server refuses, with the field that its answer names, and odd ones that it takes. */

export interface Bad {
  readonly title: string;
  readonly kind: ApiKind;
  readonly spec?: unknown;
  /** As in `details.causes[].field` of the answer. */
  readonly field: string;
  /** A CEL rule refuses it, which `validate` leaves to the API server. */
  readonly byRule?: true;
}

const template = { spec: { containers: [{ name: 'main', image: 'busybox:1', command: ['sleep', '3600'] }] } };
const capacity = { bufferMin: 0, bufferMax: 1, poolMin: 1, poolMax: 1 };
const everything = { matchLabels: { app: 'agent' } };

const profile = (actions: object, match: object = { domains: ['*'] }) => ({
  selector: {},
  rules: [{ name: 'one', match: [match], actions }],
});
const egress = (rule: object) => ({ selector: {}, egress: { rules: [{ action: 'allow', ...rule }] } });

export const badObjects: readonly Bad[] = [
  // opensandbox 1.1
  bad(BatchSandbox, 'no spec', undefined, 'spec'),
  bad(BatchSandbox, 'replicas below 0', { replicas: -1, template }, 'spec.replicas'),
  bad(BatchSandbox, 'replicas as text', { replicas: '2', template }, 'spec.replicas'),
  bad(BatchSandbox, 'a fraction of a replica', { replicas: 1.5, template }, 'spec.replicas'),
  bad(BatchSandbox, 'a time that is none', { template, expireTime: 'tomorrow' }, 'spec.expireTime'),
  bad(BatchSandbox, 'a template that is text', { template: 'text' }, 'spec.template'),
  bad(BatchSandbox, 'a task template that is a list', { taskTemplate: [] }, 'spec.taskTemplate'),
  bad(BatchSandbox, 'patches that are no list', { template, shardPatches: {} }, 'spec.shardPatches'),
  bad(BatchSandbox, 'pause as text', { template, pause: 'yes' }, 'spec.pause'),
  // opensandbox 1.4
  bad(Pool, 'no capacity', { template }, 'spec.capacitySpec'),
  bad(Pool, 'half a capacity', { template, capacitySpec: { bufferMin: 1, bufferMax: 1 } }, 'spec.capacitySpec.poolMax'),
  bad(
    Pool,
    'a bound below 0',
    { template, capacitySpec: { ...capacity, bufferMin: -1 } },
    'spec.capacitySpec.bufferMin',
  ),
  bad(
    Pool,
    'an unknown recycle strategy',
    { template, capacitySpec: capacity, recycleStrategy: { type: 'Reuse' } },
    'spec.recycleStrategy.type',
  ),
  bad(
    Pool,
    'maxUnavailable as a truth value',
    { template, capacitySpec: capacity, scaleStrategy: { maxUnavailable: true } },
    'spec.scaleStrategy.maxUnavailable',
  ),
  // opensandbox 1.6
  bad(SandboxSnapshot, 'no sandbox', {}, 'spec.sandboxName'),

  // kruise 1.1
  bad(Sandbox, 'no spec', undefined, 'spec'),
  bad(Sandbox, 'an unknown upgrade', { template, upgradePolicy: { type: 'Rolling' } }, 'spec.upgradePolicy.type'),
  bad(Sandbox, 'an unknown pause', { template, pauseStrategy: { type: 'Freeze' } }, 'spec.pauseStrategy.type'),
  bad(Sandbox, 'a time that is none', { template, shutdownTime: 'tomorrow' }, 'spec.shutdownTime'),
  bad(Sandbox, 'a runtime without a name', { template, runtimes: [{}] }, 'spec.runtimes[0].name'),
  bad(Sandbox, 'a reference without a name', { templateRef: {} }, 'spec.templateRef.name'),
  bad(Sandbox, 'a template that is text', { template: 'text' }, 'spec.template'),
  bad(Sandbox, 'a claim template that is text', { volumeClaimTemplates: ['x'] }, 'spec.volumeClaimTemplates[0]'),
  // kruise 1.2
  bad(SandboxSet, 'no replicas', { template }, 'spec.replicas'),
  bad(SandboxSet, 'replicas below 0', { replicas: -1, template }, 'spec.replicas'),
  bad(SandboxSet, 'replicas as text', { replicas: 'three', template }, 'spec.replicas'),
  // kruise 1.3
  bad(SandboxClaim, 'no set', {}, 'spec.templateName'),
  bad(SandboxClaim, 'none at all', { templateName: 'x', replicas: 0 }, 'spec.replicas'),
  bad(SandboxClaim, 'too short a deadline', { templateName: 'x', claimTimeout: '10ms' }, 'spec.claimTimeout', true),
  bad(SandboxClaim, 'a deadline that is none', { templateName: 'x', claimTimeout: 'abc' }, 'spec.claimTimeout', true),
  bad(
    SandboxClaim,
    'no time to be ready',
    { templateName: 'x', waitReadyTimeout: '0s' },
    'spec.waitReadyTimeout',
    true,
  ),
  bad(
    SandboxClaim,
    'a mount without a volume',
    { templateName: 'x', dynamicVolumesMount: [{ mountPath: '/m' }] },
    'spec.dynamicVolumesMount[0].pvName',
  ),
  bad(
    SandboxClaim,
    'two mounts at one path',
    {
      templateName: 'x',
      dynamicVolumesMount: [
        { mountPath: '/m', pvName: 'a' },
        { mountPath: '/m', pvName: 'b' },
      ],
    },
    'spec.dynamicVolumesMount[1]',
  ),
  bad(
    SandboxClaim,
    'a quantity that is none',
    { templateName: 'x', inplaceUpdate: { resources: { requests: { cpu: 'much' } } } },
    'spec.inplaceUpdate.resources.requests.cpu',
  ),
  bad(SandboxClaim, 'an environment of numbers', { templateName: 'x', envVars: { A: 1 } }, 'spec.envVars.A'),
  bad(SandboxClaim, 'a key that is a number', { templateName: 'x', envVars: { 3: 1 } }, 'spec.envVars.3'),
  // kruise 1.4, 1.5
  bad(SandboxTemplate, 'no spec', undefined, 'spec'),
  bad(Checkpoint, 'a name that is a number', { sandboxName: 1 }, 'spec.sandboxName'),
  // kruise 1.6
  bad(SandboxUpdateOps, 'no selector', {}, 'spec.selector'),
  bad(
    SandboxUpdateOps,
    'an unknown strategy',
    { selector: {}, updateStrategy: { type: 'Fast' } },
    'spec.updateStrategy.type',
  ),
  bad(
    SandboxUpdateOps,
    'an unknown state',
    { selector: {}, stateFilter: { states: ['Failed'] } },
    'spec.stateFilter.states[0]',
  ),
  bad(
    SandboxUpdateOps,
    'a state twice',
    { selector: {}, stateFilter: { states: ['Running', 'Running'] } },
    'spec.stateFilter.states[1]',
  ),
  // kruise 1.7
  bad(Commit, 'no image', { podName: 'p', containerName: 'c' }, 'spec.image'),
  // kruise 1.8
  bad(TrafficPolicy, 'no direction', { selector: everything }, 'spec', true),
  bad(GlobalTrafficPolicy, 'no direction', { selector: everything }, 'spec', true),
  bad(TrafficPolicy, 'priority below 0', { ...egress({}), priority: -1 }, 'spec.priority'),
  bad(TrafficPolicy, 'an unknown action', egress({ action: 'drop' }), 'spec.egress.rules[0].action'),
  bad(
    TrafficPolicy,
    'a peer of two kinds',
    egress({ to: [{ cidr: '0.0.0.0/0', fqdn: 'a.b' }] }),
    'spec.egress.rules[0].to[0]',
    true,
  ),
  bad(TrafficPolicy, 'an empty peer', egress({ to: [{}] }), 'spec.egress.rules[0].to[0]', true),
  bad(
    TrafficPolicy,
    'a range without a start',
    egress({ ports: [{ endPort: 9 }] }),
    'spec.egress.rules[0].ports[0]',
    true,
  ),
  bad(
    TrafficPolicy,
    'a range backwards',
    egress({ ports: [{ port: 9, endPort: 8 }] }),
    'spec.egress.rules[0].ports[0]',
    true,
  ),
  bad(
    TrafficPolicy,
    'a port beyond the last',
    egress({ ports: [{ port: 65536 }] }),
    'spec.egress.rules[0].ports[0].port',
  ),
  bad(
    TrafficPolicy,
    'too many rules',
    { selector: {}, egress: { rules: Array.from({ length: 51 }, () => ({ action: 'allow' })) } },
    'spec.egress.rules',
  ),
  // kruise 1.9
  bad(SecurityProfile, 'no selector', {}, 'spec.selector'),
  bad(SecurityProfile, 'a rule for no domain', profile({}, { domains: [] }), 'spec.rules[0].match[0].domains'),
  bad(
    SecurityProfile,
    'an unknown method',
    profile({}, { domains: ['*'], methods: ['get'] }),
    'spec.rules[0].match[0].methods[0]',
  ),
  bad(
    SecurityProfile,
    'a status out of range',
    profile({ block: { statusCode: 42 } }),
    'spec.rules[0].actions.block.statusCode',
  ),
  bad(
    SecurityProfile,
    'a header with capitals',
    profile({ headerManipulation: { remove: ['X-Trace'] } }),
    'spec.rules[0].actions.headerManipulation.remove[0]',
  ),
  bad(
    SecurityProfile,
    'a report that waits too long',
    { selector: {}, audit: [{ name: 'a', webhook: { url: 'http://a', timeout: '1m' } }] },
    'spec.audit[0].webhook.timeout',
    true,
  ),
  bad(SecurityProfile, 'an input with a bad name', { selector: {}, inputs: [{ name: 'A b' }] }, 'spec.inputs[0].name'),

  // navix 1.1
  bad(SandboxEnv, 'no template', {}, 'spec.templateRef'),
  bad(SandboxEnv, 'an unknown mode', { templateRef: { name: 't' }, mode: 'Cold' }, 'spec.mode'),
  bad(
    SandboxEnv,
    'growth without an end',
    { templateRef: { name: 't' }, autoscaling: { groups: [{ name: 'g', scaleUpPolicy: { mode: 'Aggressive' } }] } },
    'spec.autoscaling.groups[0]',
    true,
  ),
  bad(
    SandboxEnv,
    'a multiplier of 0',
    { templateRef: { name: 't' }, defaults: { multiplier: 0 } },
    'spec.defaults.multiplier',
  ),
  bad(
    SandboxEnv,
    'a cluster twice',
    { templateRef: { name: 't' }, clusters: [{ clusterID: 'a' }, { clusterID: 'a' }] },
    'spec.clusters[1]',
  ),
  bad(
    SandboxEnv,
    'a member whose pool has no size',
    { templateRef: { name: 't' }, clusters: [{ clusterID: 'a', members: [{ name: 'm', spec: {} }] }] },
    'spec.clusters[0].members[0].spec.replicas',
  ),
  bad(
    SandboxEnv,
    'nine volumes',
    {
      templateRef: { name: 't' },
      overrides: { volumes: Array.from({ length: 9 }, (_, i) => ({ claimName: 'c', mountPath: `/${i}` })) },
    },
    'spec.overrides.volumes',
  ),
  // navix 1.3, 1.5
  bad(SandboxPool, 'no replicas', {}, 'spec.replicas'),
  bad(SandboxPool, 'replicas below 0', { replicas: -1 }, 'spec.replicas'),
  bad(
    SandboxPool,
    'an unknown image policy',
    { replicas: 1, podCreationImagePolicy: 'Any' },
    'spec.podCreationImagePolicy',
  ),
  bad(ClusterTemplate, 'a runtime without a name', { runtimes: [{ port: 1 }] }, 'spec.runtimes[0].name'),
];

/** Odd, but the originals take them too: what is wrong with them is said by a controller. */
export const oddObjects: readonly { readonly title: string; readonly kind: ApiKind; readonly spec: unknown }[] = [
  { title: 'an empty spec', kind: BatchSandbox, spec: {} },
  { title: 'an empty pool and no template', kind: BatchSandbox, spec: { replicas: 2, poolRef: '', template: null } },
  { title: 'a pod without containers', kind: BatchSandbox, spec: { template: { spec: { containers: [] } } } },
  { title: 'a patch that is text', kind: BatchSandbox, spec: { template, shardPatches: ['x'] } },
  {
    title: 'an unknown task policy',
    kind: BatchSandbox,
    spec: { template, taskResourcePolicyWhenCompleted: 'Whatever' },
  },
  { title: 'a task of nothing', kind: BatchSandbox, spec: { template, taskTemplate: {} } },
  { title: 'an empty recycle strategy', kind: Pool, spec: { template, capacitySpec: capacity, recycleStrategy: {} } },
  {
    title: 'a buffer upside down',
    kind: Pool,
    spec: { template, capacitySpec: { bufferMin: 3, bufferMax: 1, poolMin: 0, poolMax: 5 } },
  },
  { title: 'template and reference', kind: Sandbox, spec: { template, templateRef: { name: 'x' } } },
  { title: 'neither template nor reference', kind: SandboxSet, spec: { replicas: 1 } },
  {
    title: 'an unavailability of lots',
    kind: SandboxSet,
    spec: { replicas: 0, updateStrategy: { maxUnavailable: 'lots' } },
  },
  { title: 'an empty spec', kind: SandboxTemplate, spec: {} },
  { title: 'an empty spec', kind: Checkpoint, spec: {} },
];

export function objectOf(kind: ApiKind, name: string, spec: unknown): Record<string, unknown> {
  return { apiVersion: apiVersionOf(kind), kind: kind.kind, metadata: { name }, ...(spec !== undefined && { spec }) };
}

function bad(kind: ApiKind, title: string, spec: unknown, field: string, byRule?: true): Bad {
  return { kind, title, spec, field, ...(byRule && { byRule }) };
}
