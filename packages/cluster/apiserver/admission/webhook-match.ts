/** Which webhooks a request concerns: rules, selectors, scope. Pure. */
import { type LabelSelectorObject, labelSelector } from '@sandbank/kube';
import type { JsonObject } from '../schema/structural.ts';
import { metadataOf } from '../verbs/stored-object.ts';
import type { AdmissionRequest } from './admission.ts';

export interface Rule {
  readonly operations?: readonly string[];
  readonly apiGroups?: readonly string[];
  readonly apiVersions?: readonly string[];
  readonly resources?: readonly string[];
  readonly scope?: string;
}

export interface Webhook {
  readonly name: string;
  readonly clientConfig: {
    readonly url?: string;
    readonly caBundle?: string;
    readonly service?: {
      readonly namespace: string;
      readonly name: string;
      readonly path?: string;
      readonly port?: number;
    };
  };
  readonly rules?: readonly Rule[];
  readonly failurePolicy?: string;
  readonly timeoutSeconds?: number;
  readonly sideEffects?: string;
  readonly namespaceSelector?: LabelSelectorObject;
  readonly objectSelector?: LabelSelectorObject;
  readonly matchConditions?: readonly { readonly name: string; readonly expression: string }[];
  readonly admissionReviewVersions?: readonly string[];
}

/** Webhooks never judge the objects that configure webhooks: a bad one could not be removed any more. */
const EXEMPT = new Set([
  'validatingwebhookconfigurations',
  'mutatingwebhookconfigurations',
  'validatingadmissionpolicies',
  'validatingadmissionpolicybindings',
  'mutatingadmissionpolicies',
  'mutatingadmissionpolicybindings',
]);

export function concerns(
  webhook: Webhook,
  request: AdmissionRequest,
  namespaceLabels: Record<string, string> | undefined,
): boolean {
  const { resource } = request;
  if (resource.group === 'admissionregistration.k8s.io' && EXEMPT.has(resource.plural)) return false;
  if (!(webhook.rules ?? []).some((rule) => ruleFits(rule, request))) return false;
  if (namespaceLabels !== undefined && !labelSelector(webhook.namespaceSelector ?? {}).matches(namespaceLabels))
    return false;
  const selector = labelSelector(webhook.objectSelector ?? {});
  return [request.object, request.oldObject].some(
    (object) => object !== undefined && selector.matches(labelsOf(object)),
  );
}

const labelsOf = (object: JsonObject) => (metadataOf(object)['labels'] ?? {}) as Record<string, string>;

function ruleFits(rule: Rule, { operation, resource, subresource, namespace }: AdmissionRequest): boolean {
  const fits = (list: readonly string[] | undefined, value: string) =>
    list?.includes('*') === true || list?.includes(value) === true;
  const scope = rule.scope ?? '*';
  const isNamespaced = namespace !== undefined && !(resource.group === '' && resource.plural === 'namespaces');
  if (scope !== '*' && (scope === 'Namespaced') !== isNamespaced) return false;
  return (
    fits(rule.operations, operation) &&
    fits(rule.apiGroups, resource.group) &&
    fits(rule.apiVersions, resource.version) &&
    resourceFits(rule, resource.plural, subresource)
  );
}

/** `pods`, `pods/status`, `pods/*`, `*` (all kinds, no subresources), `*\/status`, `*\/*`. */
function resourceFits(rule: Rule, plural: string, subresource: string | undefined): boolean {
  return (rule.resources ?? []).some((pattern) => {
    const [kind = '', sub] = pattern.split('/', 2);
    if (kind !== '*' && kind !== plural) return false;
    if (sub === undefined) return subresource === undefined;
    return sub === '*' || sub === subresource;
  });
}
