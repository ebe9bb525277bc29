import { createPrivateKey, X509Certificate } from 'node:crypto';
import { isIP } from 'node:net';

/** A certificate and the key that belongs to it, both as PEM. They share a file, so one is never newer than the other. */
export interface Identity {
  readonly certificate: string;
  readonly key: string;
}

export const identityText = ({ certificate, key }: Identity) => `${certificate.trim()}\n${key.trim()}\n`;

/** Throws when a part is missing or broken, or when the two do not belong together. */
export function parseIdentity(text: string): Identity {
  const certificate = block(text, 'CERTIFICATE');
  const key = block(text, 'PRIVATE KEY');
  if (!new X509Certificate(certificate).checkPrivateKey(createPrivateKey(key))) {
    throw new Error('the key does not belong to the certificate');
  }
  return { certificate, key };
}

/** Throws when it is not a key for ES256. */
export function parseSigningKey(text: string): string {
  const key = block(text, 'PRIVATE KEY');
  if (createPrivateKey(key).asymmetricKeyDetails?.namedCurve !== 'prime256v1') throw new Error('it is not a P-256 key');
  return key;
}

function block(text: string, label: string): string {
  const found = new RegExp(`-----BEGIN ${label}-----[^-]+-----END ${label}-----`).exec(text);
  if (!found) throw new Error(`it holds no ${label.toLowerCase()}`);
  return `${found[0]}\n`;
}

/** A third of its life is left as time to notice. */
export function isNearExpiry({ certificate }: Identity, now: number): boolean {
  const { validFromDate, validToDate } = new X509Certificate(certificate);
  const [from, to] = [validFromDate.getTime(), validToDate.getTime()];
  return now > to - (to - from) / 3;
}

export function isIssuedBy({ certificate }: Identity, authority: Identity): boolean {
  const [own, issuer] = [new X509Certificate(certificate), new X509Certificate(authority.certificate)];
  return own.checkIssued(issuer) && own.verify(issuer.publicKey);
}

/** Whether a client may call the server by this name or address. */
export function isFor({ certificate }: Identity, name: string): boolean {
  const parsed = new X509Certificate(certificate);
  return (isIP(name) === 0 ? parsed.checkHost(name) : parsed.checkIP(name)) !== undefined;
}
