/**
 * The built-in kinds. Each name is at once the type of an object and the key by which client, cache and controller
 * are asked for it:
 *
 *     import { Pod } from '@sandbank/kube/kinds';
 *     const pod: Pod = await client.get(Pod, { namespace: 'default', name: 'web' });
 *
 * Everything in `generated/` comes from `openapi-snapshot.json`, the facts that a real API server tells about itself:
 * `npm run snapshot` renews it, `npm run generate` makes the files again. Only stable versions are here.
 *
 * Where two groups use one name, the one that is meant nearly always keeps it, and the other is renamed below.
 */

export type { ServiceReference, WebhookClientConfig } from './generated/admissionregistration-v1.ts';
export * from './generated/admissionregistration-v1.ts';
export type {
  ServiceReference as ConversionServiceReference,
  WebhookClientConfig as ConversionWebhookClientConfig,
} from './generated/apiextensions-v1.ts';
export * from './generated/apiextensions-v1.ts';
export type { ServiceReference as ApiServiceReference } from './generated/apiregistration-v1.ts';
export * from './generated/apiregistration-v1.ts';
export * from './generated/apps-v1.ts';
export type { TokenRequest } from './generated/authentication-v1.ts';
export * from './generated/authentication-v1.ts';
export * from './generated/authorization-v1.ts';
export * from './generated/autoscaling-v1.ts';
export {
  HorizontalPodAutoscaler as HorizontalPodAutoscalerV1,
  type HorizontalPodAutoscalerSpec as HorizontalPodAutoscalerV1Spec,
  type HorizontalPodAutoscalerStatus as HorizontalPodAutoscalerV1Status,
} from './generated/autoscaling-v1.ts';
export * from './generated/autoscaling-v2.ts';
export {
  type CrossVersionObjectReference,
  HorizontalPodAutoscaler,
  type HorizontalPodAutoscalerSpec,
  type HorizontalPodAutoscalerStatus,
} from './generated/autoscaling-v2.ts';
export * from './generated/batch-v1.ts';
export * from './generated/coordination-v1.ts';
export type { EndpointPort as CoreEndpointPort } from './generated/core-v1.ts';
export * from './generated/core-v1.ts';
export { Event as CoreEvent, type EventSeries as CoreEventSeries } from './generated/core-v1.ts';
export type { EndpointPort } from './generated/discovery-v1.ts';
export * from './generated/discovery-v1.ts';
export * from './generated/events-v1.ts';
// Events: the new group, which is what the recorder writes. The old one is a view of the same objects.
export { Event, type EventSeries } from './generated/events-v1.ts';
export * from './generated/meta-v1.ts';
export * from './generated/networking-v1.ts';
export * from './generated/node-v1.ts';
export * from './generated/policy-v1.ts';
export * from './generated/rbac-v1.ts';
export * from './generated/scheduling-v1.ts';
export type { TokenRequest as CsiTokenRequest } from './generated/storage-v1.ts';
export * from './generated/storage-v1.ts';
