import { X509Certificate } from 'node:crypto';
import {
  chmodSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { createServer, request } from 'node:https';
import { type AddressInfo, isIP } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TLSSocket } from 'node:tls';
import { describe, expect, onTestFinished, test } from 'vitest';
import type { AuthError } from '../errors.ts';
import { OWN_HOSTS, openMemoryPki, openPki, type Pki } from './pki.ts';

const T0 = Date.now();
const DAY = 24 * 60 * 60_000;

function folder(): string {
  const path = mkdtempSync(join(tmpdir(), 'sandbank-pki-'));
  onTestFinished(() => rmSync(path, { recursive: true, force: true }));
  return join(path, 'pki');
}

const open = (path: string, now = T0, hosts: readonly string[] = ['192.0.2.7']) =>
  openPki({ folder: path, hosts, now: () => now });

describe('keys in a folder', () => {
  test('are made once, for the owner alone', async () => {
    const path = folder();
    const first = await open(path);
    expect(statSync(path).mode & 0o777).toBe(0o700);
    const files = readdirSync(path).sort();
    expect(files).toEqual(['admin.pem', 'ca.pem', 'service-account.pem', 'serving.pem']);
    for (const file of files) expect(statSync(join(path, file)).mode & 0o777).toBe(0o600);
    const second = await open(path);
    expect(facts(second)).toEqual(facts(first));
  });

  test('serve every name and address, and a new one gets a new certificate under the same authority', async () => {
    const path = folder();
    const first = await open(path);
    const names = new X509Certificate(first.serving.certificate);
    for (const name of [...OWN_HOSTS, '192.0.2.7'])
      expect(isIP(name) ? names.checkIP(name) : names.checkHost(name), name).toBeDefined();
    const second = await open(path, T0, ['192.0.2.7', 'box.example']);
    expect(second.serving).not.toEqual(first.serving);
    expect(new X509Certificate(second.serving.certificate).checkHost('box.example')).toBeDefined();
    expect([second.ca, second.admin, second.serviceAccountKey]).toEqual([
      first.ca,
      first.admin,
      first.serviceAccountKey,
    ]);
    const third = await open(path, T0, ['0.0.0.0', 'box.example']);
    expect(third.serving).toEqual(second.serving);
  });

  test('are renewed before they end; the authority stays the same one', async () => {
    const path = folder();
    let now = T0;
    const pki = await openPki({ folder: path, hosts: [], now: () => now });
    const before = facts(pki);
    now = T0 + 200 * DAY;
    expect(await pki.renew()).toBe(false);
    now = T0 + 300 * DAY;
    expect(await pki.renew()).toBe(true);
    expect(pki.ca).toBe(before.ca);
    expect(pki.serving).not.toEqual(before.serving);
    expect(facts(await open(path, now, []))).toEqual(facts(pki));
    now = T0 + 3000 * DAY;
    await pki.renew();
    const [old, renewed] = [new X509Certificate(before.ca), new X509Certificate(pki.ca)];
    expect(renewed.validToDate.getTime()).toBeGreaterThan(old.validToDate.getTime());
    // Whoever trusts the old certificate of the authority trusts what it signs now.
    const serving = new X509Certificate(pki.serving.certificate);
    expect(serving.checkIssued(old) && serving.verify(old.publicKey)).toBe(true);
    expect(pki.serviceAccountKey).toBe(before.serviceAccountKey);
  });

  const damages: [string, string, (file: string) => void, RegExp][] = [
    ['ca.pem', 'cut off', (file) => truncateSync(file, 300), /it holds no certificate.*kubeconfigs made before/],
    ['ca.pem', 'empty', (file) => truncateSync(file, 0), /it holds no certificate/],
    ['serving.pem', 'garbage', (file) => writeFileSync(file, 'hello'), /a new one is made/],
    [
      'service-account.pem',
      'cut off',
      (file) => truncateSync(file, 40),
      /it holds no private key.*tokens issued before are refused/,
    ],
  ];
  test.each(damages)('%s that is %s gives one error that says what to do', async (name, _, damage, message) => {
    const path = folder();
    await open(path);
    damage(join(path, name));
    const error = await open(path).then(
      () => undefined,
      (reason: AuthError) => reason,
    );
    expect(error).toMatchObject({ name: 'AuthError', code: 'pki-damaged' });
    expect(error?.message).toContain(join(path, name));
    expect(error?.message).toMatch(message);
    expect(error?.message).not.toContain('PRIVATE KEY');
    rmSync(join(path, name));
    await open(path);
  });

  test('a certificate with the key of another is damaged', async () => {
    const path = folder();
    await open(path);
    const [serving, admin] = ['serving.pem', 'admin.pem'].map((file) => readFileSync(join(path, file), 'utf8'));
    writeFileSync(
      join(path, 'serving.pem'),
      `${serving?.split('-----BEGIN PRIVATE')[0]}-----BEGIN PRIVATE${admin?.split('-----BEGIN PRIVATE')[1]}`,
    );
    await expect(open(path)).rejects.toThrow(/the key does not belong to the certificate/);
  });

  test('what a dying writer left is swept, and modes are tightened', async () => {
    const path = folder();
    await open(path);
    writeFileSync(join(path, '.ca.pem.unfinished-0a1b2c3d'), '-----BEGIN');
    chmodSync(join(path, 'ca.pem'), 0o644);
    chmodSync(path, 0o755);
    await open(path);
    expect(readdirSync(path)).not.toContain('.ca.pem.unfinished-0a1b2c3d');
    expect(statSync(join(path, 'ca.pem')).mode & 0o777).toBe(0o600);
    expect(statSync(path).mode & 0o777).toBe(0o700);
  });

  test('a folder that is a file is refused', async () => {
    const path = folder();
    writeFileSync(path, '');
    await expect(open(path)).rejects.toMatchObject({ code: 'pki-io' });
  });
});

test('TLS accepts the certificates, and takes only those that are for clients', async () => {
  const pki = await openMemoryPki({ hosts: [], now: () => T0 });
  const server = createServer(
    { key: pki.serving.key, cert: pki.serving.certificate, ca: pki.ca, requestCert: true, rejectUnauthorized: false },
    (incoming, answer) => {
      const socket = incoming.socket as TLSSocket;
      const { subject } = socket.getPeerCertificate();
      answer.end(JSON.stringify([socket.authorized, subject?.CN, subject?.O]));
    },
  );
  onTestFinished(() => void server.close());
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const ask = (identity: { key: string; certificate: string } | undefined) =>
    new Promise<unknown>((resolve, reject) => {
      const { port } = server.address() as AddressInfo;
      const credentials = identity ? { key: identity.key, cert: identity.certificate } : {};
      request({ host: '127.0.0.1', port, ca: pki.ca, agent: false, ...credentials }, (answer) => {
        let text = '';
        answer.on('data', (chunk) => (text += chunk)).on('end', () => resolve(JSON.parse(text)));
      })
        .on('error', reject)
        .end();
    });
  expect(await ask(pki.admin)).toEqual([true, 'kubernetes-admin', 'system:masters']);
  const jane = await pki.issueClient({ name: 'jane', groups: ['dev', 'ops'] });
  expect(await ask(jane)).toEqual([true, 'jane', ['dev', 'ops']]);
  expect(await ask(pki.serving)).toEqual([false, 'kube-apiserver', null]);
  expect(await ask(undefined)).toEqual([false, null, null]);
  const other = await openMemoryPki({ hosts: [], now: () => T0 });
  expect(await ask(other.admin)).toEqual([false, 'kubernetes-admin', 'system:masters']);
});

const facts = ({ ca, serving, admin, serviceAccountKey }: Pki) => ({ ca, serving, admin, serviceAccountKey });
