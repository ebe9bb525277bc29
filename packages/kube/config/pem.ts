import { createPrivateKey, X509Certificate } from 'node:crypto';
import { badConfig } from './bad-config.ts';
import type { ClientCertificate } from './credentials.ts';

const base64 = /^[A-Za-z0-9+/]*={0,2}$/;

/** Node's decoder skips what is not base64; a typo must not become a puzzling TLS failure later. */
export function decodeBase64(text: string, where: string): string {
  const compact = text.replace(/\s+/g, '');
  if (!base64.test(compact) || compact.length % 4 === 1) {
    throw badConfig(where, 'is not base64', 'Encode the PEM file with `base64 -w0`, or name the file instead');
  }
  return Buffer.from(compact, 'base64').toString('utf8');
}

export function checkCertificates(pem: string, where: string): string {
  const blocks = pem.match(/-----BEGIN CERTIFICATE-----[\s\S]+?-----END CERTIFICATE-----/g);
  if (!blocks) {
    throw badConfig(where, 'holds no PEM certificate', 'It must contain at least one BEGIN CERTIFICATE block');
  }
  for (const block of blocks) {
    try {
      new X509Certificate(block);
    } catch (cause) {
      throw badConfig(where, 'holds a certificate that cannot be parsed', 'Export it again from where it came', cause);
    }
  }
  return pem;
}

export function checkPair(pair: ClientCertificate, certWhere: string, keyWhere: string): ClientCertificate {
  checkCertificates(pair.cert, certWhere);
  let key: ReturnType<typeof createPrivateKey>;
  try {
    key = createPrivateKey(pair.key);
  } catch (cause) {
    throw badConfig(keyWhere, 'holds no usable private key', 'It must be an unencrypted PEM private key', cause);
  }
  if (!new X509Certificate(pair.cert).checkPrivateKey(key)) {
    throw badConfig(
      keyWhere,
      `does not belong to the certificate in ${certWhere}`,
      'Use the key the certificate was made for',
    );
  }
  return pair;
}

/** `, which expired at …` for a certificate past its time. */
export function certificateExpiry(cert: string, now: number): string {
  const end = new X509Certificate(cert).validToDate;
  return end.getTime() < now ? `, which expired at ${end.toISOString()}` : '';
}
