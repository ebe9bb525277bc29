/**
 * Making certificates. Loaded only when one must be made: the library takes longer to load than keys take to generate, and
 * most starts find everything on disk.
 */
import 'reflect-metadata';
import { createPrivateKey, createPublicKey, generateKeyPair, randomBytes, webcrypto } from 'node:crypto';
import { isIP } from 'node:net';
import { promisify } from 'node:util';
import * as x509 from '@peculiar/x509';
import type { Identity } from './identity.ts';

const algorithm = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' } as const;
/** Certificates are valid from a little before they were made, for clocks that disagree. */
const BACKDATE_MS = 5 * 60_000;
const generate = promisify(generateKeyPair);

export interface Validity {
  readonly now: number;
  readonly lifetimeMs: number;
}

/** P-256: an RSA key would cost more time than the rest of a start. */
export async function newPrivateKey(): Promise<string> {
  const { privateKey } = await generate('ec', { namedCurve: 'P-256' });
  return privateKey.export({ type: 'pkcs8', format: 'pem' }) as string;
}

/**
 * A certificate authority that signs itself. With one from before it is the same authority for longer: same key, same name,
 * so certificates and kubeconfigs made under the old one go on working.
 */
export async function makeAuthority(validity: Validity, before?: Identity): Promise<Identity> {
  const key = before?.key ?? (await newPrivateKey());
  const keys = await importPair(key);
  // The time makes the name unique, so that two authorities in one bundle are never taken for one another.
  const name = before
    ? new x509.X509Certificate(before.certificate).subject
    : `CN=sandbank ${new Date(validity.now).toISOString()}`;
  const certificate = await x509.X509CertificateGenerator.createSelfSigned({
    name,
    keys,
    serialNumber: serial(),
    signingAlgorithm: algorithm,
    ...dates(validity),
    extensions: [
      new x509.BasicConstraintsExtension(true, 0, true),
      new x509.KeyUsagesExtension(x509.KeyUsageFlags.keyCertSign | x509.KeyUsageFlags.cRLSign, true),
      await x509.SubjectKeyIdentifierExtension.create(keys.publicKey),
    ],
  });
  return { certificate: pem(certificate), key };
}

export function issueServing(authority: Identity, names: readonly string[], validity: Validity): Promise<Identity> {
  const san = names.map((value) => ({ type: isIP(value) ? ('ip' as const) : ('dns' as const), value }));
  return issue(authority, [{ CN: ['kube-apiserver'] }], validity, [
    new x509.ExtendedKeyUsageExtension([x509.ExtendedKeyUsage.serverAuth]),
    new x509.SubjectAlternativeNameExtension(san),
  ]);
}

/** The name becomes the user, the organizations the groups. */
export function issueClient(
  authority: Identity,
  who: { readonly name: string; readonly groups: readonly string[] },
  validity: Validity,
): Promise<Identity> {
  const subject = [...who.groups.map((group) => ({ O: [group] })), { CN: [who.name] }];
  return issue(authority, subject, validity, [new x509.ExtendedKeyUsageExtension([x509.ExtendedKeyUsage.clientAuth])]);
}

async function issue(
  authority: Identity,
  subject: x509.JsonName,
  validity: Validity,
  extensions: readonly x509.Extension[],
): Promise<Identity> {
  const issuer = new x509.X509Certificate(authority.certificate);
  const key = await newPrivateKey();
  const [own, signing] = await Promise.all([importPair(key), importPair(authority.key)]);
  const certificate = await x509.X509CertificateGenerator.create({
    subject,
    issuer: issuer.subject,
    serialNumber: serial(),
    publicKey: own.publicKey,
    signingKey: signing.privateKey,
    signingAlgorithm: algorithm,
    ...dates(validity),
    extensions: [
      new x509.BasicConstraintsExtension(false, undefined, true),
      new x509.KeyUsagesExtension(x509.KeyUsageFlags.digitalSignature, true),
      ...extensions,
      await x509.AuthorityKeyIdentifierExtension.create(signing.publicKey),
    ],
  });
  return { certificate: pem(certificate), key };
}

/** Positive and never the same twice. */
const serial = () => `40${randomBytes(15).toString('hex')}`;

const dates = ({ now, lifetimeMs }: Validity) => ({
  notBefore: new Date(now - BACKDATE_MS),
  notAfter: new Date(now + lifetimeMs),
});

const pem = (certificate: x509.X509Certificate) => `${certificate.toString('pem')}\n`;

async function importPair(key: string): Promise<webcrypto.CryptoKeyPair> {
  const { subtle } = webcrypto;
  const secret = createPrivateKey(key).export({ type: 'pkcs8', format: 'der' });
  const open = createPublicKey(key).export({ type: 'spki', format: 'der' });
  const [privateKey, publicKey] = await Promise.all([
    subtle.importKey('pkcs8', secret, algorithm, false, ['sign']),
    subtle.importKey('spki', open, algorithm, true, ['verify']),
  ]);
  return { privateKey, publicKey };
}
