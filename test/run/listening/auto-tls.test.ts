import { X509Certificate } from 'node:crypto';
import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'vitest';
import type { Address } from '../../../src/base/kernel/address.ts';
import { identityOf } from '../../../src/wire/agent/identity.ts';
import { makeAuthority, openSigner } from '../../../src/wire/poller/authority.ts';
import { ask, type Documents, pushDocuments, readDocuments, refusal } from './client.ts';
import { freeRange, startFleet, sums, temporaryFolder } from './running-fleet.ts';

const HOSTS = [0, 1, 2, 3].map((agent) => identityOf(1, agent).hostName);

const authority = makeAuthority({ systemId: 'a', keyType: 'ecdsa-p256', nowMs: Date.now() });
const stranger = makeAuthority({ systemId: 'b', keyType: 'ecdsa-p256', nowMs: Date.now() });

function scenario(identities: string, phases: string, more = ''): string {
  return `
target: { url: embedded, ${more} }
fleet: { agents: 4, seed: 1, payload: lean, profiles: { debian-12: 1 }, identities: ${identities} }
webServer: { listen: LISTEN, configPush: true, autoTls: true, interval: 3s, keys: { type: ecdsa-p256, pool: 2 } }
phases: [{ name: asked, duration: ${phases} }]`;
}

/** The TLS credentials of a monitoring server's client. */
async function clientOf(of: typeof authority) {
  const { certificate: cert, key } = await of;
  return { tls: { cert, key } };
}

async function requestOf(at: Address): Promise<string> {
  return JSON.parse((await ask(at, '/autotls')).body).csr;
}

async function hand(at: Address, signed: string, ca: string) {
  return ask(at, '/autotls', { body: JSON.stringify({ signed, ca }) });
}

/** A complete exchange. */
async function exchange(at: Address, request?: string): Promise<void> {
  const signer = await openSigner(await authority, Date.now);
  await hand(at, await signer.sign(request ?? (await requestOf(at))), signer.ca);
}

describe.concurrent('agents with Auto-TLS', () => {
  it('switch from plain HTTP to mutual TLS on one port, refuse other clients, and stop if they cannot switch', async ({
    expect,
    onTestFinished,
  }) => {
    const fleet = await startFleet(scenario('ephemeral', '1m'));
    onTestFinished(fleet.close);
    const [secured, neighbor, mismatched] = [fleet.at(0), fleet.at(1), fleet.at(2)];
    const client = await clientOf(authority);
    await exchange(secured);
    await expect.poll(() => refusal(secured, client)).toBeUndefined();
    expect((await ask(secured, '/')).body).toBe('Client sent an HTTP request to an HTTPS server.\n');
    expect(await refusal(secured, { tls: {} })).toBe('ERR_SSL_TLSV13_ALERT_CERTIFICATE_REQUIRED');
    expect(await refusal(secured, await clientOf(stranger))).toBe('ERR_SSL_TLSV1_ALERT_UNKNOWN_CA');
    expect(await refusal(neighbor)).toBeUndefined();

    // The configuration is read over TLS, and so is the TLS level that it sets.
    const [main, ...others] = await readDocuments(secured, client);
    const modern: Documents = [main.replace(/^tls-security-level *=.*$/m, 'tls-security-level = modern'), ...others];
    await pushDocuments(secured, modern, client);
    await expect.poll(() => refusal(secured, { tls: { ...client.tls, maxVersion: 'TLSv1.2' } })).toBe('EPROTO');
    expect(await refusal(secured, client)).toBeUndefined();

    // Agents 0 and 2 share a key of the pool, agents 1 and 2 do not.
    await requestOf(mismatched);
    await exchange(mismatched, await requestOf(neighbor));
    await expect.poll(() => refusal(mismatched)).toBe('ECONNREFUSED');
    expect(await refusal(neighbor)).toBeUndefined();
    const { summary } = await fleet.stop();
    const reason = expect.stringContaining('agent.crt: it does not belong to the key in agent.key');
    expect(summary.webServers).toMatchObject({ listening: 3, downCount: 1, down: [{ host: HOSTS[2], reason }] });
    expect(sums(summary, 'serve-autotls')).toMatchObject({ started: 5, succeeded: 5, failed: 0 });
    expect(summary.webServers?.listeners.refused).toMatchObject({
      plain_http: 1,
      certificate_required: 1,
      unknown_ca: 1,
      handshake_failed: expect.any(Number),
    });
  });

  it('keep their state over a restart, also with the embedded server; without agent.crt, one uses plain HTTP again', async ({
    expect,
    onTestFinished,
  }) => {
    const folder = temporaryFolder();
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
    const identities = join(folder, 'fleet.sqlite');
    const listen = freeRange();
    const polled = 'pull: { every: 500ms, packages: 1h }';
    const start = (more: string, duration: string) => startFleet(scenario(identities, duration, more), { listen });

    const first = await start(polled, '1m');
    onTestFinished(first.close);
    const fileOf = (agent: number, name: string) => join(`${identities}.agents`, HOSTS[agent] ?? '', name);
    await expect.poll(() => first.succeeded('exchange')).toBe(4);
    expect([0, 1, 2, 3].every((agent) => holds(fileOf(agent, 'agent.crt')))).toBe(true);
    const one = await first.stop();
    expect(sums(one.summary, 'exchange')).toMatchObject({ succeeded: 4, failed: 0, dropped: 0 });
    const before = readFileSync(fileOf(1, 'agent.crt'), 'utf8');

    // Without polls, only the agents' files count.
    rmSync(fileOf(0, 'agent.crt'));
    const second = await start('', '1m');
    onTestFinished(second.close);
    expect(await refusal(second.at(0))).toBeUndefined();
    const ca = readFileSync(join(`${identities}.pull`, 'server_ca.pem'), 'utf8');
    const key = readFileSync(join(`${identities}.pull`, 'server_ca.key'), 'utf8');
    expect(await refusal(second.at(1), { tls: { cert: ca, key } })).toBeUndefined();
    expect(await refusal(second.at(1), { tls: {} })).toBe('ERR_SSL_TLSV13_ALERT_CERTIFICATE_REQUIRED');
    await second.stop();

    // The server reuses known certificates, and issues a new one to the agent that has lost its own.
    const third = await start(polled, '1m');
    onTestFinished(third.close);
    await expect.poll(() => third.succeeded('exchange')).toBe(4);
    expect(holds(fileOf(0, 'agent.crt'))).toBe(true);
    const { summary } = await third.stop();
    const sum = sums(summary, 'exchange');
    expect(sum).toMatchObject({ succeeded: 4, failed: 1 });
    expect(readFileSync(fileOf(1, 'agent.crt'), 'utf8')).toBe(before);
  });
});

function holds(file: string): boolean {
  try {
    return new X509Certificate(readFileSync(file, 'utf8')).subject !== '';
  } catch {
    return false;
  }
}
