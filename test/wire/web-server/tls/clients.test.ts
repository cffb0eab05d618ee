import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Authority, type Issued, makeAuthority } from '../authority.ts';
import { isInstalled } from '../openssl.ts';
import { type Gate, openGate } from './gate.ts';

const TIME_LIMIT_MS = 10_000;
const folder = mkdtempSync(join(tmpdir(), 'muster-clients-'));

let gate: Gate;

beforeAll(async () => {
  const [authority, foreign] = await Promise.all([makeAuthority(), makeAuthority()]);
  const agent = await authority.issue();
  store('ca', authority);
  store('leaf', await authority.issue());
  store('expired', await authority.issue(0.5));
  store('foreign', foreign);
  gate = await openGate({
    certificateChain: agent.certificate + authority.certificate,
    key: agent.key,
    clientCa: authority.certificate,
    level: 'intermediate',
  });
});

afterAll(async () => {
  await gate.close();
  rmSync(folder, { recursive: true });
});

function store(name: string, { certificate, key }: Issued | Authority): void {
  writeFileSync(join(folder, `${name}.crt`), certificate);
  writeFileSync(join(folder, `${name}.key`), key);
}

/** Everything that a program prints. */
function run(program: string, ...words: readonly string[]): Promise<string> {
  return new Promise((resolve) => {
    const child = execFile(program, words, { cwd: folder, timeout: TIME_LIMIT_MS }, (_error, stdout, stderr) =>
      resolve(stdout + stderr),
    );
    child.stdin?.end('GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n');
  });
}

const identity = (name: string) => (name === '' ? [] : ['--cert', `${name}.crt`, '--key', `${name}.key`]);

describe.skipIf(!isInstalled('curl'))(
  'curl, as the monitoring server uses it (skipped if curl is not installed)',
  () => {
    const ask = (name: string, scheme = 'https', ...more: readonly string[]) =>
      run('curl', '-sS', '-k', '-w', '%{http_code}', ...identity(name), ...more, `${scheme}://127.0.0.1:${gate.port}/`);

    it.each(['ca', 'leaf'])('is served with the certificate %s', async (name) => {
      expect(await ask(name)).toBe('served200');
    });

    it('learns that it needs a certificate', async () => {
      expect(await ask('')).toMatch(/alert certificate required/);
    });

    it("refuses the agent's certificate unless told to accept it", async () => {
      await run('curl', '-sS', `https://127.0.0.1:${gate.port}/`);
      await expect.poll(() => gate.ends.at(-1)).toBe('refused_by_client');
    });

    it.each([
      ['foreign', 'alert unknown ca'],
      ['expired', 'alert certificate expired'],
    ])('is refused with a %s certificate, and gets the reason', async (name, alert) => {
      expect(await ask(name)).toMatch(alert);
    });

    it('gets a bare 400 for plain HTTP', async () => {
      expect(await ask('', 'http', '-i')).toBe(
        'HTTP/1.0 400 Bad Request\r\n\r\nClient sent an HTTP request to an HTTPS server.\n400',
      );
    });
  },
);

describe.skipIf(!isInstalled('openssl'))('openssl s_client (skipped if openssl is not installed)', () => {
  const ask = (name: string, ...more: readonly string[]) => {
    const own = name === '' ? [] : ['-cert', `${name}.crt`, '-key', `${name}.key`];
    return run('openssl', 's_client', '-connect', `127.0.0.1:${gate.port}`, '-ign_eof', ...own, ...more);
  };

  it.each(['-tls1_2', '-tls1_3'])('is served with the certificate of the authority (%s)', async (version) => {
    const text = await ask('ca', version, '-alpn', 'h2,http/1.1');
    expect(text).toContain('200 OK');
    expect(text).toContain('ALPN protocol: http/1.1');
    expect(text).toMatch(/0 s:CN = subject[\s\S]*1 s:CN = muster\.agentserver\.oitc/);
  });

  it.each(['-tls1_2', '-tls1_3'])(
    "is offered the real agent's signature algorithms, except SHA-1 (%s)",
    async (version) => {
      expect(await ask('ca', version)).toMatch(
        /Requested Signature Algorithms: RSA-PSS\+SHA256:ECDSA\+SHA256:ed25519:RSA-PSS\+SHA384:RSA-PSS\+SHA512:RSA\+SHA256:RSA\+SHA384:RSA\+SHA512:ECDSA\+SHA384:ECDSA\+SHA512\n/i,
      );
    },
  );

  it.each([
    ['no', '-tls1_2', 40],
    ['no', '-tls1_3', 116],
    ['a foreign', '-tls1_3', 48],
    ['an expired', '-tls1_3', 45],
  ] as const)('with %s certificate gets the alert of the real agent (%s: %i)', async (which, version, alert) => {
    const name = which === 'no' ? '' : which.replace(/^an? /, '');
    expect(await ask(name, version)).toContain(`SSL alert number ${alert}`);
  });

  it.each(['foreign', 'expired'])('is not served with a %s certificate over TLS 1.2', async (name) => {
    expect(await ask(name, '-tls1_2')).not.toContain('200 OK');
  });

  it('is refused with no_application_protocol if it offers only HTTP/2', async () => {
    expect(await ask('ca', '-alpn', 'h2')).toContain('SSL alert number 120');
  });
});
