import 'reflect-metadata';
import { createPrivateKey, type webcrypto, X509Certificate } from 'node:crypto';
import { isIP } from 'node:net';
import * as x509 from '@peculiar/x509';
import type { KeyPair } from './source.ts';

/** P-256: an RSA key would cost more time than the rest of a start. */
const algorithm = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' } as const;

/** Certificates are valid from a little before they were made, for clocks that disagree. */
export const backdateMs = 5 * 60_000;

export interface Validity {
  readonly now: number;
  readonly lifetimeMs: number;
}

export async function makeAuthority(commonName: string, validity: Validity): Promise<KeyPair> {
  const keys = await generate();
  const certificate = await x509.X509CertificateGenerator.createSelfSigned({
    // The time makes the name unique, so that two authorities in one bundle are never taken for one another.
    name: [{ CN: [`${commonName} ${new Date(validity.now).toISOString()}`] }],
    keys,
    signingAlgorithm: algorithm,
    ...dates(validity),
    extensions: [
      new x509.BasicConstraintsExtension(true, 0, true),
      new x509.KeyUsagesExtension(x509.KeyUsageFlags.keyCertSign | x509.KeyUsageFlags.cRLSign, true),
      await x509.SubjectKeyIdentifierExtension.create(keys.publicKey),
    ],
  });
  return { certificate: certificatePem(certificate), key: await keyPem(keys.privateKey) };
}

/** A serving certificate for DNS names and addresses. */
export async function issueServing(authority: KeyPair, names: readonly string[], validity: Validity): Promise<KeyPair> {
  const keys = await generate();
  const issuer = new x509.X509Certificate(authority.certificate);
  const san = names.map((value) => ({ type: isIP(value) ? ('ip' as const) : ('dns' as const), value }));
  const certificate = await x509.X509CertificateGenerator.create({
    subject: [{ CN: [(names[0] ?? 'webhook').slice(0, 64)] }],
    issuer: issuer.subjectName,
    publicKey: keys.publicKey,
    signingKey: await importKey(authority.key),
    signingAlgorithm: algorithm,
    ...dates(validity),
    extensions: [
      new x509.BasicConstraintsExtension(false, undefined, true),
      new x509.KeyUsagesExtension(x509.KeyUsageFlags.digitalSignature, true),
      new x509.ExtendedKeyUsageExtension([x509.ExtendedKeyUsage.serverAuth]),
      new x509.SubjectAlternativeNameExtension(san),
      await x509.AuthorityKeyIdentifierExtension.create(issuer.publicKey),
    ],
  });
  return { certificate: certificatePem(certificate), key: await keyPem(keys.privateKey) };
}

export interface CertificateFacts {
  readonly notBefore: number;
  readonly notAfter: number;
  readonly names: readonly string[];
  issuedBy(authority: string): boolean;
}

/** Throws when the PEM is broken. */
export function factsOf(pem: string): CertificateFacts {
  const certificate = new X509Certificate(pem);
  return {
    notBefore: certificate.validFromDate.getTime(),
    notAfter: certificate.validToDate.getTime(),
    names: (certificate.subjectAltName ?? '').split(', ').map((entry) => entry.replace(/^(?:DNS|IP Address):/, '')),
    issuedBy: (authority) => {
      const issuer = new X509Certificate(authority);
      return certificate.checkIssued(issuer) && certificate.verify(issuer.publicKey);
    },
  };
}

/** Throws when the key does not belong to the certificate, or either is broken. */
export function checkPair({ certificate, key }: KeyPair): void {
  if (!new X509Certificate(certificate).checkPrivateKey(createPrivateKey(key))) {
    throw new Error('the key does not belong to the certificate');
  }
}

/** The single certificates of a PEM bundle, in its order. */
export function splitBundle(pem: string): string[] {
  return (pem.match(/-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g) ?? []).map((one) => `${one}\n`);
}

function dates({ now, lifetimeMs }: Validity): { notBefore: Date; notAfter: Date } {
  return { notBefore: new Date(now - backdateMs), notAfter: new Date(now + lifetimeMs) };
}

function generate(): Promise<webcrypto.CryptoKeyPair> {
  return crypto.subtle.generateKey(algorithm, true, ['sign', 'verify']);
}

async function keyPem(key: webcrypto.CryptoKey): Promise<string> {
  return `${x509.PemConverter.encode(await crypto.subtle.exportKey('pkcs8', key), 'PRIVATE KEY')}\n`;
}

function importKey(pem: string): Promise<webcrypto.CryptoKey> {
  const der = createPrivateKey(pem).export({ type: 'pkcs8', format: 'der' });
  return crypto.subtle.importKey('pkcs8', der, algorithm, false, ['sign']);
}

const certificatePem = (certificate: x509.X509Certificate) => `${certificate.toString('pem')}\n`;
