import { once } from 'node:events';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { type ConnectionOptions, connect } from 'node:tls';
import { identityOf } from '../src/agent/identity.ts';
import { makeAuthority } from '../src/poller/authority/authority.ts';
import { openSigner } from '../src/poller/authority/signer.ts';
import { openAgentFiles } from '../src/storage/agent-files.ts';
import { makeCertificateRequest } from '../src/web-server/auto-tls/certificate-request.ts';
import { type KeyType, makeKey } from '../src/web-server/auto-tls/keys.ts';
import { startFleet, unlessDown } from './fleet-process.ts';

const AGENTS = 300;
const POOL = 4;
const PORT = 3333;
const LANES = 16;
const ROUNDS = 3;
const SEED = 1;

/** Agents that exchanged certificates in an earlier run: how soon they listen again, and what TLS costs them. */
export async function benchStoredListeners(folder: string): Promise<void> {
  for (const type of ['ecdsa-p256', 'rsa-4096'] as const) {
    const identities = join(folder, type);
    const client = await exchange(type, identities);
    const { newMicros, storedMicros, all } = await restarted(type, identities);
    print(
      `  ${AGENTS} stored agents with ${type}: ` +
        `${((storedMicros - newMicros) / AGENTS).toFixed(0)} µs CPU more for each until it listens than for a new one`,
    );
    await pause(500);
    const before = await all.used();
    await greetAll(client);
    const between = await all.used();
    await greetAll(client);
    const after = await all.used();
    await all.stop();
    print(
      `    first handshake with each ${((between.cpuMicros - before.cpuMicros) / AGENTS).toFixed(0)} µs CPU and ` +
        `${((between.rssBytes - before.rssBytes) / AGENTS / 1000).toFixed(0)} KB; then ` +
        `${((AGENTS * 1000) / (after.ageMs - between.ageMs)).toFixed(0)} handshakes/s, ` +
        `${((after.cpuMicros - between.cpuMicros) / AGENTS).toFixed(0)} µs CPU each`,
    );
  }
}

/** Leaves on the agents' disks what an exchange of certificates leaves there; resolves to who may ask them. */
async function exchange(type: KeyType, identities: string): Promise<ConnectionOptions> {
  const nowMs = Date.now();
  const authority = await makeAuthority({ systemId: 'bench', keyType: 'ecdsa-p256', nowMs });
  const signer = await openSigner(authority, () => nowMs);
  const keys = await Promise.all(Array.from({ length: POOL }, () => makeKey(type)));
  const requests = await Promise.all(keys.map((key) => makeCertificateRequest(key, 'agent')));
  const entries = Array.from({ length: AGENTS }, async (_, agent) => ({
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

async function restarted(type: KeyType, identities: string) {
  const scenario = (of: string) => ({
    name: 'bench',
    fleet: { agents: AGENTS, seed: SEED, payload: 'lean', identities: of },
    webServer: { listen: `127.31.0.0/16:${PORT}`, autoTls: true, keys: { type, pool: POOL } },
    phases: [{ name: 'polled', duration: '5m' }],
  });
  const plain = { ...scenario('ephemeral'), webServer: { listen: `127.31.0.0/16:${PORT}` } };
  const news: number[] = [];
  const stored: number[] = [];
  for (let round = 1; ; round++) {
    const fresh = await startFleet(plain);
    await fresh.stop();
    const all = await startFleet(scenario(identities));
    news.push(fresh.atStart.cpuMicros);
    stored.push(all.atStart.cpuMicros);
    // A busy machine makes all of them dearer: the cheapest start counts.
    if (round === ROUNDS) return { newMicros: Math.min(...news), storedMicros: Math.min(...stored), all };
    await all.stop();
  }
}

/** A whole handshake with each agent: no session is taken up again. */
async function greetAll(client: ConnectionOptions): Promise<void> {
  let next = 0;
  const lane = async () => {
    for (let agent = next++; agent < AGENTS; agent = next++) {
      await greet(client, `127.31.${(agent + 1) >>> 8}.${(agent + 1) & 0xff}`).catch(unlessDown);
    }
  };
  await Promise.all(Array.from({ length: LANES }, lane));
}

async function greet(client: ConnectionOptions, host: string): Promise<void> {
  const socket = connect({ ...client, host, port: PORT, rejectUnauthorized: false });
  await once(socket, 'secureConnect');
  // Only an answer shows that the agent has let the client in.
  socket.write(`GET /none HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`);
  await once(socket, 'data');
  socket.destroy();
}

function print(line: string): void {
  process.stdout.write(`${line}\n`);
}
