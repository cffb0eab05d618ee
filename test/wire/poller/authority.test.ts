import { execFileSync } from 'node:child_process';
import { createHash, X509Certificate } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { DAY_MS } from '../../../src/base/kernel/units.ts';
import { makeAuthority, openSigner, RequestError } from '../../../src/wire/poller/authority.ts';
import { certificateRequest } from './certificate-request.ts';

const NOW_MS = Date.UTC(2026, 10, 22, 1, 2, 3, 456);
const authority = await makeAuthority({ systemId: 'abc123', keyType: 'rsa-2048', nowMs: NOW_MS });
const signer = await openSigner(authority, () => NOW_MS + 1000);
const folder = mkdtempSync(join(tmpdir(), 'muster-authority-'));
const openssl = hasOpenssl();

afterAll(() => rmSync(folder, { recursive: true }));

function hasOpenssl(): boolean {
  try {
    execFileSync('openssl', ['version'], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}

function describeCertificate(pem: string): string {
  const args = ['x509', '-noout', '-text', '-certopt', 'no_pubkey,no_sigdump'];
  return execFileSync('openssl', args, { input: pem, encoding: 'utf8' });
}

describe('the authority', () => {
  it('is named after the system, is valid for a century, and has the Unix time in seconds as its serial number', () => {
    const certificate = new X509Certificate(authority.certificate);
    expect(certificate.subject).toContain('CN=abc123.agentserver.oitc');
    expect(certificate.issuer).toBe(certificate.subject);
    expect(certificate.ca).toBe(true);
    expect(certificate.serialNumber).toBe(
      Math.floor(NOW_MS / 1000)
        .toString(16)
        .toUpperCase(),
    );
    expect(certificate.validToDate.getTime() - certificate.validFromDate.getTime()).toBe(36_500 * DAY_MS);
  });

  it('is in PEM with plain line feeds, including one at the end', async () => {
    const signed = await signer.sign((await certificateRequest()).csr);
    for (const pem of [authority.certificate, authority.key, signed]) {
      expect(pem).toMatch(/^-----BEGIN [A-Z ]+-----\n([A-Za-z0-9+/=]{1,64}\n)+-----END [A-Z ]+-----\n$/);
    }
  });

  it.skipIf(!openssl)(
    'matches the real one in openssl: SHA-512, key identifiers, critical CA, no key usage (skipped if openssl is not installed)',
    () => {
      const text = describeCertificate(authority.certificate);
      expect(text).toContain('Signature Algorithm: sha512WithRSAEncryption');
      expect(text).toMatch(/X509v3 Basic Constraints: critical\s+CA:TRUE\n/);
      expect(text).toContain('X509v3 Subject Key Identifier');
      expect(text).toContain('X509v3 Authority Key Identifier');
      expect(text).not.toContain('Key Usage');
    },
  );
});

describe('signing', () => {
  it('keeps the subject, drops the requested names, and is valid for ten years', async () => {
    const certificate = new X509Certificate(await signer.sign((await certificateRequest()).csr));
    expect(certificate.subject).toBe('CN=subject');
    expect(certificate.subjectAltName).toBeUndefined();
    expect(certificate.ca).toBe(false);
    expect(certificate.validToDate.getTime() - certificate.validFromDate.getTime()).toBe(3650 * DAY_MS);
    expect(certificate.verify(new X509Certificate(authority.certificate).publicKey)).toBe(true);
  });

  it('certifies the key of the request', async () => {
    const { csr, publicKey } = await certificateRequest();
    const certificate = new X509Certificate(await signer.sign(csr));
    const digest = (der: Buffer) => createHash('sha256').update(der).digest('hex');
    expect(digest(certificate.publicKey.export({ type: 'spki', format: 'der' }))).toBe(digest(publicKey));
  });

  it.each(['', 'no PEM', '-----BEGIN CERTIFICATE REQUEST-----\nAAAA\n-----END CERTIFICATE REQUEST-----\n'])(
    'refuses %j, which is not a certificate request',
    async (csr) => {
      await expect(signer.sign(csr)).rejects.toThrow(RequestError);
    },
  );

  it('refuses a request that is not signed by its own key', async () => {
    const { csr } = await certificateRequest({ forged: true });
    await expect(signer.sign(csr)).rejects.toThrow('does not match its key');
  });

  it.skipIf(!openssl).each(['rsa-2048', 'ecdsa-p256'] as const)(
    'is verified by openssl with a CA of type %s (skipped if openssl is not installed)',
    async (keyType) => {
      const own = await makeAuthority({ systemId: 'abc', keyType, nowMs: Date.now() });
      const signed = await (await openSigner(own, Date.now)).sign((await certificateRequest()).csr);
      const [ca, leaf] = [join(folder, `${keyType}-ca.pem`), join(folder, `${keyType}.pem`)];
      writeFileSync(ca, own.certificate);
      writeFileSync(leaf, signed);
      expect(execFileSync('openssl', ['verify', '-CAfile', ca, leaf], { encoding: 'utf8' })).toContain('OK');
      const text = describeCertificate(signed);
      expect(text).toMatch(/X509v3 Key Usage: \n\s+Digital Signature, Non Repudiation, Key Encipherment\n/);
      expect(text).toMatch(/X509v3 Basic Constraints: \n\s+CA:FALSE\n/);
      expect(text).toContain(keyType === 'rsa-2048' ? 'sha512WithRSAEncryption' : 'ecdsa-with-SHA512');
    },
  );
});
