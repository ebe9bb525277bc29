import 'reflect-metadata';
import { generateKeyPairSync, type webcrypto } from 'node:crypto';
import { isIP } from 'node:net';
import * as x509 from '@peculiar/x509';

/** A certificate with its key, both PEM. */
export type KeyPair = { readonly certificate: string; readonly key: string };

const ALGORITHM = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' } as const;
const DAY = 24 * 60 * 60 * 1000;

/** The certificate authority of one control plane: every certificate in it, server's or client's, comes from here. */
export class Authority {
  readonly #keys: webcrypto.CryptoKeyPair;
  readonly #certificate: x509.X509Certificate;

  static async create(): Promise<Authority> {
    const keys = await generate();
    const certificate = await x509.X509CertificateGenerator.createSelfSigned({
      name: 'CN=sandbank-test-ca',
      keys,
      signingAlgorithm: ALGORITHM,
      ...validity(),
      extensions: [
        new x509.BasicConstraintsExtension(true, undefined, true),
        new x509.KeyUsagesExtension(x509.KeyUsageFlags.keyCertSign | x509.KeyUsageFlags.cRLSign, true),
      ],
    });
    return new Authority(keys, certificate);
  }

  private constructor(keys: webcrypto.CryptoKeyPair, certificate: x509.X509Certificate) {
    this.#keys = keys;
    this.#certificate = certificate;
  }

  get pem(): string {
    return `${this.#certificate.toString('pem')}\n`;
  }

  /** For a server: the names and addresses under which it is reached. */
  server(commonName: string, names: readonly string[]): Promise<KeyPair> {
    const san = names.map((value) => ({ type: isIP(value) ? ('ip' as const) : ('dns' as const), value }));
    return this.#issue(
      [{ CN: [commonName] }],
      [
        new x509.ExtendedKeyUsageExtension([x509.ExtendedKeyUsage.serverAuth]),
        new x509.SubjectAlternativeNameExtension(san),
      ],
    );
  }

  /** For a client: Kubernetes reads the user from the common name and the groups from the organizations. */
  client(user: string, groups: readonly string[] = []): Promise<KeyPair> {
    return this.#issue(
      [...groups.map((group) => ({ O: [group] })), { CN: [user] }],
      [new x509.ExtendedKeyUsageExtension([x509.ExtendedKeyUsage.clientAuth])],
    );
  }

  async #issue(subject: x509.JsonName, extensions: x509.Extension[]): Promise<KeyPair> {
    const keys = await generate();
    const certificate = await x509.X509CertificateGenerator.create({
      subject,
      issuer: this.#certificate.subjectName,
      publicKey: keys.publicKey,
      signingKey: this.#keys.privateKey,
      signingAlgorithm: ALGORITHM,
      ...validity(),
      extensions: [
        new x509.BasicConstraintsExtension(false),
        new x509.KeyUsagesExtension(x509.KeyUsageFlags.digitalSignature, true),
        ...extensions,
      ],
    });
    return { certificate: `${certificate.toString('pem')}\n`, key: await exportKey(keys.privateKey) };
  }
}

/** The two halves of the key with which the API server signs the tokens of service accounts, PEM. */
export function signingKey(): { readonly privateKey: string; readonly publicKey: string } {
  return generateKeyPairSync('ec', {
    namedCurve: 'P-256',
    privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
    publicKeyEncoding: { type: 'spki', format: 'pem' },
  });
}

function generate(): Promise<webcrypto.CryptoKeyPair> {
  return crypto.subtle.generateKey(ALGORITHM, true, ['sign', 'verify']);
}

async function exportKey(key: webcrypto.CryptoKey): Promise<string> {
  return `${x509.PemConverter.encode(await crypto.subtle.exportKey('pkcs8', key), 'PRIVATE KEY')}\n`;
}

/** From an hour ago, for clocks that disagree. */
function validity(): { notBefore: Date; notAfter: Date } {
  return { notBefore: new Date(Date.now() - DAY / 24), notAfter: new Date(Date.now() + 30 * DAY) };
}
