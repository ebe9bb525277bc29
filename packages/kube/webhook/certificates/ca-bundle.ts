import type { Client, Patch } from '../../client/contract.ts';
import type { Kind } from '../../kind.ts';
import {
  CustomResourceDefinition,
  MutatingWebhookConfiguration,
  ValidatingWebhookConfiguration,
} from '../../kinds/index.ts';

/** The names of the objects whose caBundle follows the authority. */
export interface CaBundleTargets {
  readonly mutating?: readonly string[];
  readonly validating?: readonly string[];
  /** CRDs whose conversion is done by this webhook. */
  readonly conversions?: readonly string[];
}

/** Makes every webhook of the configurations trust the bundle. Whether something had to be written. */
export async function publishCaBundle(
  client: Client,
  targets: CaBundleTargets,
  pem: string,
  signal?: AbortSignal,
): Promise<boolean> {
  let changed = false;
  const caBundle = Buffer.from(pem).toString('base64');
  const configurations: [Kind<WebhookConfiguration>, string][] = [
    ...(targets.mutating ?? []).map((name): [Kind<WebhookConfiguration>, string] => [
      MutatingWebhookConfiguration,
      name,
    ]),
    ...(targets.validating ?? []).map((name): [Kind<WebhookConfiguration>, string] => [
      ValidatingWebhookConfiguration,
      name,
    ]),
  ];
  for (const [kind, name] of configurations) {
    const patch = configurationPatch(await client.get(kind, { name }, { signal }), caBundle);
    if (!patch) continue;
    await client.patch(kind, { name }, patch, { signal });
    changed = true;
  }
  for (const name of targets.conversions ?? []) {
    const { spec } = await client.get(CustomResourceDefinition, { name }, { signal });
    const current = spec?.conversion?.webhook?.clientConfig?.caBundle;
    if (spec?.conversion?.strategy !== 'Webhook' || current === caBundle) continue;
    const merge = { spec: { conversion: { webhook: { clientConfig: { caBundle } } } } };
    await client.patch(CustomResourceDefinition, { name }, { merge }, { signal });
    changed = true;
  }
  return changed;
}

type WebhookConfiguration = MutatingWebhookConfiguration | ValidatingWebhookConfiguration;

/** Strategic, because `webhooks` merges by name: no other field is touched, whatever changes meanwhile. */
function configurationPatch({ webhooks = [] }: WebhookConfiguration, caBundle: string): Patch | undefined {
  const stale = webhooks.filter((webhook) => webhook.clientConfig.caBundle !== caBundle);
  if (stale.length === 0) return undefined;
  return { strategic: { webhooks: stale.map(({ name }) => ({ name, clientConfig: { caBundle } })) } };
}
