/** What is special about each built-in kind, by `group/plural`. A kind that is not here has the generic behaviour and two columns. */
import type { Strategy, TableSpec } from '../registry/resource.ts';
import { configMapStrategy } from './config/config-map.ts';
import { secretStrategy } from './config/secret.ts';
import { endpointSliceStrategy, endpointsStrategy } from './core/endpoints.ts';
import { leaseStrategy } from './core/lease.ts';
import { limitRangeStrategy, resourceQuotaStrategy } from './core/limits.ts';
import { namespaceStrategy } from './core/namespace.ts';
import { nodeStrategy } from './core/node.ts';
import { coreEventStrategy } from './events/event.ts';
import { ingressStrategy, networkPolicyStrategy } from './networking/networking.ts';
import { podStrategy } from './pods/strategy.ts';
import { podTable } from './pods/table.ts';
import { disruptionBudgetStrategy, priorityClassStrategy, runtimeClassStrategy } from './policy/policy.ts';
import { clusterRoleBindingStrategy, clusterRoleStrategy, roleBindingStrategy, roleStrategy } from './rbac/rbac.ts';
import { claimStrategy, storageClassStrategy, volumeStrategy } from './storage/volumes.ts';
import * as core from './tables/core.ts';
import * as policy from './tables/policy.ts';
import * as storage from './tables/storage.ts';
import * as workloads from './tables/workloads.ts';
import { mutatingStrategy, validatingStrategy } from './webhooks/webhooks.ts';
import { autoscalerStrategy } from './workloads/autoscaler.ts';
import { cronJobStrategy } from './workloads/cron-job.ts';
import { daemonSetStrategy } from './workloads/daemon-set.ts';
import { deploymentStrategy } from './workloads/deployment.ts';
import { jobStrategy } from './workloads/job.ts';
import { controllerRevisionStrategy, podTemplateStrategy } from './workloads/plain.ts';
import { replicaSetStrategy, replicationControllerStrategy } from './workloads/replica-sets.ts';
import { statefulSetStrategy } from './workloads/stateful-set.ts';

export interface KindRules {
  readonly strategy?: Strategy;
  readonly table?: TableSpec;
  /** Counts the changes of what is wanted. */
  readonly counted?: boolean;
}

const counted = true;
const REGISTRATION = 'admissionregistration.k8s.io';
const RBAC = 'rbac.authorization.k8s.io';

export const kindRules: Readonly<Record<string, KindRules>> = {
  '/pods': { strategy: podStrategy, table: podTable, counted },
  '/podtemplates': { strategy: podTemplateStrategy, table: workloads.podTemplateTable, counted },
  '/replicationcontrollers': {
    strategy: replicationControllerStrategy,
    table: workloads.replicationControllerTable,
    counted,
  },
  '/services': { table: core.serviceTable },
  '/serviceaccounts': { table: core.serviceAccountTable },
  '/secrets': { strategy: secretStrategy, table: core.secretTable },
  '/configmaps': { strategy: configMapStrategy, table: core.configMapTable },
  '/namespaces': { strategy: namespaceStrategy, table: core.namespaceTable },
  '/nodes': { strategy: nodeStrategy, table: core.nodeTable },
  '/endpoints': { strategy: endpointsStrategy, table: core.endpointsTable },
  '/events': { strategy: coreEventStrategy, table: core.eventTable },
  '/limitranges': { strategy: limitRangeStrategy },
  '/resourcequotas': { strategy: resourceQuotaStrategy, table: core.resourceQuotaTable },
  '/persistentvolumes': { strategy: volumeStrategy, table: storage.volumeTable },
  '/persistentvolumeclaims': { strategy: claimStrategy, table: storage.claimTable },
  '/componentstatuses': { table: core.componentStatusTable },
  'apps/deployments': { strategy: deploymentStrategy, table: workloads.deploymentTable, counted },
  'apps/replicasets': { strategy: replicaSetStrategy, table: workloads.replicaSetTable, counted },
  'apps/statefulsets': { strategy: statefulSetStrategy, table: workloads.statefulSetTable, counted },
  'apps/daemonsets': { strategy: daemonSetStrategy, table: workloads.daemonSetTable, counted },
  'apps/controllerrevisions': { strategy: controllerRevisionStrategy, table: workloads.controllerRevisionTable },
  'batch/jobs': { strategy: jobStrategy, table: workloads.jobTable, counted },
  'batch/cronjobs': { strategy: cronJobStrategy, table: workloads.cronJobTable, counted },
  'autoscaling/horizontalpodautoscalers': { strategy: autoscalerStrategy, table: workloads.autoscalerTable },
  'policy/poddisruptionbudgets': { strategy: disruptionBudgetStrategy, table: policy.disruptionBudgetTable, counted },
  'coordination.k8s.io/leases': { strategy: leaseStrategy, table: core.leaseTable },
  'discovery.k8s.io/endpointslices': { strategy: endpointSliceStrategy, table: core.endpointSliceTable, counted },
  'events.k8s.io/events': { strategy: coreEventStrategy, table: core.eventTable },
  'scheduling.k8s.io/priorityclasses': { strategy: priorityClassStrategy, table: policy.priorityClassTable, counted },
  'node.k8s.io/runtimeclasses': { strategy: runtimeClassStrategy, table: policy.runtimeClassTable },
  'networking.k8s.io/networkpolicies': { strategy: networkPolicyStrategy, table: policy.networkPolicyTable, counted },
  'networking.k8s.io/ingresses': { strategy: ingressStrategy, table: policy.ingressTable, counted },
  'networking.k8s.io/ingressclasses': { table: policy.ingressClassTable, counted },
  'networking.k8s.io/ipaddresses': { table: policy.ipAddressTable },
  'networking.k8s.io/servicecidrs': { table: policy.serviceCidrTable },
  [`${RBAC}/roles`]: { strategy: roleStrategy },
  [`${RBAC}/clusterroles`]: { strategy: clusterRoleStrategy },
  [`${RBAC}/rolebindings`]: { strategy: roleBindingStrategy, table: policy.bindingTable },
  [`${RBAC}/clusterrolebindings`]: { strategy: clusterRoleBindingStrategy, table: policy.bindingTable },
  'storage.k8s.io/storageclasses': { strategy: storageClassStrategy, table: storage.storageClassTable },
  'storage.k8s.io/csidrivers': { table: storage.csiDriverTable },
  'storage.k8s.io/csinodes': { table: storage.csiNodeTable },
  'storage.k8s.io/volumeattachments': { table: storage.volumeAttachmentTable },
  'storage.k8s.io/volumeattributesclasses': { table: storage.volumeAttributesClassTable },
  [`${REGISTRATION}/validatingwebhookconfigurations`]: {
    strategy: validatingStrategy,
    table: policy.webhookTable,
    counted,
  },
  [`${REGISTRATION}/mutatingwebhookconfigurations`]: {
    strategy: mutatingStrategy,
    table: policy.webhookTable,
    counted,
  },
  [`${REGISTRATION}/validatingadmissionpolicies`]: { table: policy.validatingPolicyTable, counted },
  [`${REGISTRATION}/mutatingadmissionpolicies`]: { table: policy.mutatingPolicyTable, counted },
  [`${REGISTRATION}/validatingadmissionpolicybindings`]: { table: policy.policyBindingTable, counted },
  [`${REGISTRATION}/mutatingadmissionpolicybindings`]: { table: policy.policyBindingTable, counted },
  'apiextensions.k8s.io/customresourcedefinitions': { counted },
  'apiregistration.k8s.io/apiservices': { table: policy.apiServiceTable },
};
