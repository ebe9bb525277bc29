import 'reflect-metadata';
import type { webcrypto } from 'node:crypto';
import { isIP } from 'node:net';
import * as x509 from '@peculiar/x509';
import type { ClientCertificate } from '../config/credentials.ts';

const algorithm = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' };
const day = 86_400_000;

export interface TestAuthority {
  readonly pem: string;
  /** For a server under these names, or for a client of this name. */
  issue(names: readonly string[], options?: { expired?: boolean }): Promise<ClientCertificate>;
}

export async function createAuthority(): Promise<TestAuthority> {
  const keys = await newKeys();
  const root = await x509.X509CertificateGenerator.createSelfSigned({
    name: 'CN=unit-test-ca',
    keys,
    signingAlgorithm: algorithm,
    notBefore: new Date(Date.now() - 3 * day),
    notAfter: new Date(Date.now() + day),
    extensions: [new x509.BasicConstraintsExtension(true, undefined, true)],
  });
  return {
    pem: root.toString('pem'),
    async issue(names, { expired = false } = {}) {
      const own = await newKeys();
      const certificate = await x509.X509CertificateGenerator.create({
        subject: `CN=${names[0]}`,
        issuer: root.subjectName,
        publicKey: own.publicKey,
        signingKey: keys.privateKey,
        signingAlgorithm: algorithm,
        notBefore: new Date(Date.now() - 2 * day),
        notAfter: new Date(Date.now() + (expired ? -day : day)),
        extensions: [
          new x509.SubjectAlternativeNameExtension(
            names.map((value) => ({ type: isIP(value) ? ('ip' as const) : ('dns' as const), value })),
          ),
        ],
      });
      const key = await crypto.subtle.exportKey('pkcs8', own.privateKey);
      return { cert: certificate.toString('pem'), key: x509.PemConverter.encode(key, 'PRIVATE KEY') };
    },
  };
}

function newKeys(): Promise<webcrypto.CryptoKeyPair> {
  return crypto.subtle.generateKey(algorithm, true, ['sign', 'verify']) as Promise<webcrypto.CryptoKeyPair>;
}
