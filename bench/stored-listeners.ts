import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { type ConnectionOptions, connect } from 'node:tls';
import type { KeyType } from '../src/base/protocol/pull.ts';
import { openAgentFiles } from '../src/base/storage/agent-files.ts';
import { identityOf } from '../src/wire/agent/identity.ts';
import { makeAuthority, openSigner } from '../src/wire/poller/authority.ts';
import { makeCertificateRequest } from '../src/wire/web-server/auto-tls/certificate-requests.ts';
import { makeKey } from '../src/wire/web-server/auto-tls/keys.ts';
import type { Benchmark, Figures } from './harness/benchmark.ts';
import { costOf, startFleet, unlessDown } from './processes/fleet-process.ts';
import { PINNING } from './processes/pinning.ts';

const POOL = 4;
const PORT = 3333;
const LANES = 16;
const SEED = 1;

/** Agents that exchanged certificates in an earlier run: how soon they listen again, and the cost of TLS. */
export const storedListeners: Benchmark = {
  name: 'stored-listeners',
  question: 'What does Auto-TLS cost agents that have their certificates from an earlier run?',
  needs: [],
  minutes: { quick: 1, full: 2 },
  figures: { cpuUs: 'CPU µs per agent', bytes: 'B per agent', perSecond: 'handshakes/s' },
  async *cases({ quick, note }) {
    note(PINNING);
    const agents = quick ? 50 : 300;
    const folder = mkdtempSync(join(tmpdir(), 'muster-bench-'));
    try {
      for (const type of ['ecdsa-p256', 'rsa-4096'] as const) {
        const identities = join(folder, type);
        const client = await exchange(type, { agents, identities });
        const fleet = listening(agents, { identities, type });
        yield {
          name: `${agents} agents, ${type}`,
          variants: [
            { name: 'start, beyond new agents', sample: () => startBeyond(fleet, listening(agents, undefined)) },
            { name: 'first handshake', sample: () => sampleGreeting(fleet, client, 'first') },
            { name: 'later handshake', sample: () => sampleGreeting(fleet, client, 'later') },
          ],
        };
      }
    } finally {
      rmSync(folder, { recursive: true });
    }
  },
};

/** Writes what an exchange of certificates leaves on the agents' disks. Resolves to the credentials of a client that may poll them. */
async function exchange(
  type: KeyType,
  { agents, identities }: { agents: number; identities: string },
): Promise<ConnectionOptions> {
  const nowMs = Date.now();
  const authority = await makeAuthority({ systemId: 'bench', keyType: 'ecdsa-p256', nowMs });
  const signer = await openSigner(authority, () => nowMs);
  const keys = await Promise.all(Array.from({ length: POOL }, () => makeKey(type)));
  const requests = await Promise.all(keys.map((key) => makeCertificateRequest(key, 'agent')));
  const entries = Array.from({ length: agents }, async (_, agent) => ({
    hostName: identityOf(SEED, agent).hostName,
    files: {
      'agent.key': keys[agent % POOL] ?? '',
      'agent.crt': await signer.sign(requests[agent % POOL] ?? ''),
      'server_ca.crt': authority.certificate,
    },
  }));
  const store = openAgentFiles(identities);
  await store.save(await Promise.all(entries));
  await store.saveKeys(type, new Map(keys.entries()));
  return { cert: authority.certificate, key: authority.key };
}

type Stored = { readonly type: KeyType; readonly identities: string };

/** The scenario of listening agents: with stored certificates, or new ones without TLS. */
function listening(agents: number, stored: Stored | undefined) {
  const listen = `127.31.0.0/16:${PORT}`;
  const keys = stored && { autoTls: true, keys: { type: stored.type, pool: POOL } };
  return {
    name: 'bench',
    fleet: { agents, seed: SEED, payload: 'lean', identities: stored?.identities ?? 'ephemeral' },
    webServer: { listen, ...keys },
    phases: [{ name: 'polled', duration: '5m' }],
  };
}

type Listening = ReturnType<typeof listening>;

async function startBeyond(stored: Listening, plain: Listening): Promise<Figures> {
  const fresh = await startFleet(plain);
  await fresh.stop();
  const known = await startFleet(stored);
  await known.stop();
  return { cpuUs: (known.atStart.cpuMicros - fresh.atStart.cpuMicros) / stored.fleet.agents };
}

async function sampleGreeting(scenario: Listening, client: ConnectionOptions, which: 'first' | 'later') {
  const { agents } = scenario.fleet;
  const fleet = await startFleet(scenario);
  try {
    await pause(500);
    const greet = async () => {
      await greetAll(client, agents);
      return agents;
    };
    if (which === 'later') await greet();
    const { bytes, ...cost } = await costOf(fleet, greet);
    return which === 'first' ? { ...cost, bytes } : cost;
  } finally {
    await fleet.stop();
  }
}

/** A full handshake with each agent, without session resumption. */
async function greetAll(client: ConnectionOptions, agents: number): Promise<void> {
  let next = 0;
  const lane = async () => {
    for (let agent = next++; agent < agents; agent = next++) {
      await greet(client, `127.31.${(agent + 1) >>> 8}.${(agent + 1) & 0xff}`).catch(unlessDown);
    }
  };
  await Promise.all(Array.from({ length: LANES }, lane));
}

async function greet(client: ConnectionOptions, host: string): Promise<void> {
  const socket = connect({ ...client, host, port: PORT, rejectUnauthorized: false });
  await once(socket, 'secureConnect');
  // Only an answer shows that the agent has accepted the client.
  socket.write(`GET /none HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`);
  await once(socket, 'data');
  socket.destroy();
}
