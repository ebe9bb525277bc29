import { once } from 'node:events';
import { createServer } from 'node:net';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { realApiServer } from '../../../test/control-plane/suite.ts';
import { type Clock, systemClock } from '../clock.ts';
import { ConfigMap, MutatingWebhookConfiguration, Secret, ValidatingWebhookConfiguration } from '../kinds/index.ts';
import { describeReal, type RealServer } from '../testing/real-client.ts';
import { Denial, mutating, validating } from './admission.ts';
import { factsOf, splitBundle } from './certificates/authority.ts';
import { SecretCertificates } from './certificates/secret-certificates.ts';
import { WebhookServer } from './server.ts';

const day = 24 * 60 * 60_000;

const webhooks = [
  mutating(ConfigMap, ({ object }) => {
    if (!object) return undefined;
    return { object: { ...object, data: { ...object.data, seen: 'yes' } }, warnings: ['data.seen was set'] };
  }),
  validating(ConfigMap, ({ object }) => {
    if (object?.data?.['bad']) throw new Denial('data.bad must not be set; remove it');
  }),
];

describeReal(realApiServer(), 'webhooks', (server) => {
  let cleanup: (() => Promise<unknown>)[] = [];
  beforeEach(() => {
    cleanup = [];
  });
  afterEach(async () => {
    for (const step of cleanup.reverse()) await step();
  });

  /** Registers both webhooks for the ConfigMaps of this suite's namespace, and serves them. */
  async function register({ client, namespace }: RealServer, clock: Clock = systemClock, replicas = 1) {
    const name = `${namespace}.test.io`;
    const secret = { namespace, name: `webhook-certificates-${clock.now()}` };
    const errors: unknown[] = [];
    const publishTo = { mutating: [name], validating: [name] };
    const make = (port: number) => {
      const certificates = new SecretCertificates({
        client,
        secret,
        names: ['127.0.0.1'],
        publishTo,
        clock,
        settleMs: 5 * 60_000,
        servingLifetimeMs: 365 * day,
        onError: (error) => errors.push(error),
      });
      const webhook = new WebhookServer({
        webhooks,
        certificates,
        port,
        host: '127.0.0.1',
        onError: (error) => errors.push(error),
      });
      cleanup.push(() => webhook.close());
      return { certificates, webhook };
    };
    // The configuration must name the port, and the certificates must be published in it: a port is picked first.
    const port = await freePort();
    const configuration = (path: string) => ({
      metadata: { name },
      webhooks: [
        {
          name,
          clientConfig: { url: `https://127.0.0.1:${port}${path}` },
          rules: [{ apiGroups: [''], apiVersions: ['v1'], operations: ['CREATE' as const], resources: ['configmaps'] }],
          namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': namespace } },
          sideEffects: 'None' as const,
          admissionReviewVersions: ['v1'],
        },
      ],
    });
    await client.create(MutatingWebhookConfiguration, configuration(webhooks[0]?.path ?? ''));
    cleanup.push(() => client.delete(MutatingWebhookConfiguration, { name }));
    await client.create(ValidatingWebhookConfiguration, configuration(webhooks[1]?.path ?? ''));
    cleanup.push(() => client.delete(ValidatingWebhookConfiguration, { name }));
    const first = make(port);
    await first.webhook.start();
    const others = Array.from({ length: replicas - 1 }, () => make(0));
    await Promise.all(others.map(({ webhook }) => webhook.start()));
    await untilCalled(client, namespace);
    return { ...first, others, secret, errors, name };
  }

  /** The API server learns of a configuration by a watch: asked until it calls the webhook. */
  async function untilCalled(client: RealServer['client'], namespace: string): Promise<void> {
    for (let i = 0; i < 200; i += 1) {
      const made = await client
        .create(ConfigMap, { metadata: { namespace, name: 'probe' } }, { dryRun: true })
        .catch(() => undefined);
      if (made?.data?.['seen'] === 'yes') return;
    }
    throw new Error('the API server never called the webhook');
  }

  test('a mutation, a denial with its message, a warning', async () => {
    const { client, namespace, warnings } = server();
    const { errors } = await register(server());
    const made = await client.create(ConfigMap, { metadata: { namespace, name: 'good' }, data: { mine: '1' } });
    expect(made.data).toEqual({ mine: '1', seen: 'yes' });
    expect(warnings).toContain('data.seen was set');
    const refused = client.create(ConfigMap, { metadata: { namespace, name: 'bad' }, data: { bad: '1' } });
    await expect(refused).rejects.toThrow('data.bad must not be set; remove it');
    expect(errors).toEqual([]);
  });

  test('replicas that start at once share one certificate', async () => {
    const { client } = server();
    const { secret, others } = await register(server(), systemClock, 4);
    const { data } = await client.get(Secret, secret);
    const certificate = Buffer.from(data?.['tls.crt'] ?? '', 'base64').toString();
    for (const { certificates } of others) expect((await certificates.start()).certificate).toBe(certificate);
  });

  test('authority and certificate are rotated under traffic, and no request fails', async () => {
    const { client, namespace } = server();
    // Made 250 days ago, due to be replaced a day ago: everything in this story is valid at the API server's own time.
    let offset = -250 * day;
    const clock: Clock = { ...systemClock, now: () => Date.now() + offset };
    const { certificates, secret, errors, name } = await register(server(), clock);
    const bundle = async () => {
      const { webhooks: [webhook] = [] } = await client.get(MutatingWebhookConfiguration, { name });
      return splitBundle(Buffer.from(webhook?.clientConfig.caBundle ?? '', 'base64').toString());
    };
    const serving = async () =>
      Buffer.from((await client.get(Secret, secret)).data?.['tls.crt'] ?? '', 'base64').toString();

    const traffic = { stop: false, answered: 0, failed: [] as unknown[] };
    const send = async () => {
      while (!traffic.stop) {
        try {
          const made = await client.create(
            ConfigMap,
            { metadata: { namespace, generateName: 'traffic-' } },
            { dryRun: true },
          );
          expect(made.data?.['seen']).toBe('yes');
          traffic.answered += 1;
        } catch (error) {
          traffic.failed.push(error);
        }
      }
    };
    const senders = [send(), send()];
    const more = async (count: number) => {
      const goal = traffic.answered + count;
      while (traffic.answered < goal && traffic.failed.length === 0) await client.get(Secret, secret);
    };

    await more(20);
    const [oldAuthority = ''] = await bundle();
    const before = await serving();

    offset = -day;
    await certificates.check();
    expect(await bundle()).toHaveLength(2);
    expect(await bundle()).toContain(oldAuthority);
    expect(await serving()).toBe(before);
    await more(20);

    offset = -day + 6 * 60_000;
    await certificates.check();
    const [newAuthority = ''] = await bundle();
    const after = await serving();
    expect(after).not.toBe(before);
    expect(factsOf(after).issuedBy(newAuthority)).toBe(true);
    expect(newAuthority).not.toBe(oldAuthority);
    await more(20);

    // Another bundle is another connection for the API server, so that the new certificate is really looked at.
    offset = 120 * day;
    await certificates.check();
    expect(await bundle()).toEqual([newAuthority]);
    expect(await serving()).toBe(after);
    await more(20);

    traffic.stop = true;
    await Promise.all(senders);
    expect(traffic.failed).toEqual([]);
    expect(errors).toEqual([]);
  });

  test('a bundle that somebody wipes is put back', async () => {
    const { client } = server();
    const { certificates, name } = await register(server());
    await client.patch(
      ValidatingWebhookConfiguration,
      { name },
      { strategic: { webhooks: [{ name, clientConfig: { caBundle: null } }] } },
    );
    await certificates.check();
    const { webhooks: [webhook] = [] } = await client.get(ValidatingWebhookConfiguration, { name });
    expect(webhook?.clientConfig.caBundle).toBeTruthy();
    expect(webhook?.rules).toHaveLength(1);
  });

  test('a configuration that is missing makes the start fail, and says which', async () => {
    const { client, namespace } = server();
    const secret = { namespace, name: 'lonely' };
    const certificates = new SecretCertificates({
      client,
      secret,
      names: ['x'],
      publishTo: { mutating: ['no-such-webhook'] },
    });
    await expect(certificates.start()).rejects.toThrow('no-such-webhook');
    await certificates.close();
  });
});

async function freePort(): Promise<number> {
  const probe = createServer().listen(0, '127.0.0.1');
  await once(probe, 'listening');
  const address = probe.address();
  probe.close();
  await once(probe, 'close');
  if (typeof address !== 'object' || address === null) throw new Error('no port');
  return address.port;
}
