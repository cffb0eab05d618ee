import { createPublicKey } from 'node:crypto';
import { setImmediate as turnOfTheLoop } from 'node:timers/promises';
import { beforeAll, describe, expect, it } from 'vitest';
import type { AgentFileTexts } from '../../../../src/base/protocol/agent-files.ts';
import {
  createCertificateRequests,
  makeCertificateRequest,
} from '../../../../src/wire/web-server/auto-tls/certificate-requests.ts';
import { makeKey } from '../../../../src/wire/web-server/auto-tls/keys.ts';
import { isInstalled, openssl } from '../openssl.ts';

let rsa: string;
let ecdsa: string;

beforeAll(async () => {
  [rsa, ecdsa] = await Promise.all([makeKey('rsa-2048'), makeKey('ecdsa-p256')]);
});

function bytesOf(pem: string): Buffer {
  return Buffer.from(pem.replaceAll(/-----[A-Z ]+-----/g, ''), 'base64');
}

/** Certificate requests with one agent's files in memory. */
function deskOf(newKey: () => Promise<string>, hostName: string, files: AgentFileTexts = {}) {
  const stored = { ...files };
  const request = createCertificateRequests(newKey, {
    storedKey: () => stored['agent.key'],
    hostName: () => hostName,
    store: async (_agent, added) => {
      Object.assign(stored, added);
    },
  });
  return { request: (domain?: string) => request(0, domain), stored };
}

function nameIn(request: string, domain: string): boolean {
  const name = Buffer.concat([Buffer.from([0x82, domain.length]), Buffer.from(domain)]);
  return bytesOf(request).includes(name);
}

describe('a certificate request', () => {
  it("has the real agent's subject, alternative name and signature algorithm, byte for byte", async () => {
    const bytes = bytesOf(await makeCertificateRequest(rsa, 'agent.example')).toString('hex');
    const version = '020100';
    const subject = '30123110300e0603550403130' + '77375626a656374';
    expect(bytes.indexOf(version + subject)).toBeGreaterThan(0);
    // From the answer of agent 3.6.1 to GET /autotls?domain=agent.example.
    const attributes = 'a02b302906092a864886f70d01090e311c301a30180603551d110411300f820d6167656e742e6578616d706c65';
    const sha256WithRsa = '300d06092a864886f70d01010b0500';
    expect(bytes.indexOf(attributes + sha256WithRsa)).toBeGreaterThan(0);
  });

  it('is PEM in lines of 64 characters that end in \\n', async () => {
    const lines = (await makeCertificateRequest(rsa, 'x')).split('\n');
    expect(lines[0]).toBe('-----BEGIN CERTIFICATE REQUEST-----');
    expect(lines.slice(-2)).toEqual(['-----END CERTIFICATE REQUEST-----', '']);
    expect(lines.slice(1, -3).every((line) => /^[A-Za-z0-9+/]{64}$/.test(line))).toBe(true);
  });

  it.skipIf(!isInstalled('openssl'))(
    'is verified by openssl with either key type (skipped if openssl is not installed)',
    async () => {
      for (const key of [rsa, ecdsa]) {
        const request = await makeCertificateRequest(key, 'agent.example');
        const text = openssl(request, 'req', '-verify', '-noout', '-text');
        expect(text).toContain('Subject: CN = subject');
        expect(text).toContain('DNS:agent.example');
        expect(text).toMatch(key === rsa ? 'sha256WithRSAEncryption' : 'ecdsa-with-SHA256');
        const publicKey = openssl(request, 'req', '-noout', '-pubkey');
        expect(publicKey).toBe(createPublicKey(key).export({ type: 'spki', format: 'pem' }));
      }
    },
  );

  it('takes any name in ASCII, even control characters, and no other; and no invalid key', async () => {
    expect(nameIn(await makeCertificateRequest(rsa, 'a\0b\x7f'), 'a\0b\x7f')).toBe(true);
    await expect(makeCertificateRequest(rsa, 'ä b*')).rejects.toThrow('outside ASCII');
    await expect(makeCertificateRequest(rsa.slice(0, 400), 'x')).rejects.toThrow();
  });
});

describe('requesting a certificate from an agent', () => {
  it('names the requested domain, otherwise the host, otherwise `unknown`', async () => {
    const { request } = deskOf(async () => rsa, 'web-de-00001');
    expect(nameIn(await request('agent.example'), 'agent.example')).toBe(true);
    expect(nameIn(await request(), 'web-de-00001')).toBe(true);
    expect(nameIn(await request(''), 'web-de-00001')).toBe(true);
    expect(nameIn(await deskOf(async () => rsa, '').request(), 'unknown')).toBe(true);
  });

  it('makes the key once, even for concurrent requests, and stores it with the request', async () => {
    let made = 0;
    const desk = deskOf(() => {
      made++;
      return makeKey('ecdsa-p256');
    }, 'h-0');
    const requests = await Promise.all([desk.request(), desk.request(), desk.request()]);
    await desk.request();
    expect(made).toBe(1);
    expect(desk.stored['agent.key']).toMatch(/^-----BEGIN PRIVATE KEY-----\n/);
    expect(requests.map((text) => text.split('\n')[0])).toEqual(Array(3).fill('-----BEGIN CERTIFICATE REQUEST-----'));
    expect(desk.stored['agent.csr']).toMatch(/^-----BEGIN CERTIFICATE REQUEST-----\n/);
  });

  it('uses a stored key', async () => {
    const desk = deskOf(() => Promise.reject(new Error('no key is needed')), 'h-0', { 'agent.key': rsa });
    expect(await desk.request()).toContain('REQUEST');
    expect(desk.stored['agent.key']).toBe(rsa);
  });

  it('fails if no key can be made, and retries for the next request', async () => {
    let isBroken = true;
    const desk = deskOf(() => (isBroken ? Promise.reject(new Error('broken')) : Promise.resolve(rsa)), 'h-0');
    await expect(desk.request()).rejects.toThrow('broken');
    isBroken = false;
    expect(await desk.request()).toContain('REQUEST');
  });

  it('answers only after the key, and then the request, are stored durably', async () => {
    const writes: { files: AgentFileTexts; done: () => void }[] = [];
    const request = createCertificateRequests(async () => ecdsa, {
      storedKey: () => undefined,
      hostName: () => 'h-0',
      store: (_agent, files) => new Promise((done) => writes.push({ files, done })),
    });
    let answered = false;
    const answer = request(0, undefined).then((text) => {
      answered = true;
      return text;
    });
    // Within this time, code that does not wait for the key would make the request and pass it on to be stored.
    await makeCertificateRequest(ecdsa, 'h-0');
    await turnOfTheLoop();
    expect([answered, writes.map(({ files }) => Object.keys(files))]).toEqual([false, [['agent.key']]]);
    writes[0]?.done();
    await expect.poll(() => writes.length).toBe(2);
    await turnOfTheLoop();
    expect([answered, Object.keys(writes[1]?.files ?? {})]).toEqual([false, ['agent.csr']]);
    writes[1]?.done();
    expect(await answer).toBe(writes[1]?.files['agent.csr']);
  });

  it('uses no key that cannot be stored, and makes another for the next request', async () => {
    const stored: AgentFileTexts[] = [];
    let isFull = true;
    let made = 0;
    const request = createCertificateRequests(async () => (made++ === 0 ? rsa : ecdsa), {
      storedKey: () => undefined,
      hostName: () => 'h-0',
      store: async (_agent, files) => {
        if (isFull) throw new Error('the disk is full');
        stored.push(files);
      },
    });
    await expect(request(0, undefined)).rejects.toThrow('the disk is full');
    isFull = false;
    await request(0, undefined);
    expect(stored.map((files) => files['agent.key'])).toEqual([ecdsa, undefined]);
  });
});
