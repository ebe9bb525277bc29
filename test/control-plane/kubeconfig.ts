import { writeFileSync } from 'node:fs';
import type { KeyPair } from './certificates.ts';

type Identity = { readonly token: string } | { readonly clientCertificate: KeyPair };

export type KubeconfigSpec = {
  readonly url: string;
  readonly ca: string;
  readonly user: string;
  readonly identity: Identity;
  readonly namespace?: string;
};

/** Writes a kubeconfig that stands alone. JSON is YAML, so every client reads it. */
export function writeKubeconfig(path: string, spec: KubeconfigSpec): string {
  const { identity, namespace } = spec;
  const user =
    'token' in identity
      ? { token: identity.token }
      : {
          'client-certificate-data': base64(identity.clientCertificate.certificate),
          'client-key-data': base64(identity.clientCertificate.key),
        };
  const config = {
    apiVersion: 'v1',
    kind: 'Config',
    'current-context': 'test',
    clusters: [{ name: 'test', cluster: { server: spec.url, 'certificate-authority-data': base64(spec.ca) } }],
    users: [{ name: spec.user, user }],
    contexts: [
      {
        name: 'test',
        context: { cluster: 'test', user: spec.user, ...(namespace === undefined ? {} : { namespace }) },
      },
    ],
  };
  writeFileSync(path, `${JSON.stringify(config, undefined, 2)}\n`, { mode: 0o600 });
  return path;
}

function base64(text: string): string {
  return Buffer.from(text).toString('base64');
}
