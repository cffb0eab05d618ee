import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { runMuster } from '../../src/cli/muster.ts';
import { readBusAddress } from '../../src/cluster/address.ts';
import { openBus } from '../../src/cluster/bus.ts';
import { countingServer } from './counting-server.ts';
import { hasNats } from './nats-server.ts';
import { keptRaw, type SecuredNats, startNatsForCreds, startNatsForUsers } from './secured-nats.ts';

const API_KEY = 'planted-api-key-7f3a9c';
const AGENT_PASSWORD = 'planted-password-of-agent-';
const NATS_PASSWORD = 'open sesame';
const newKey = () => randomBytes(32).toString('base64');

type Begun = { readonly words: () => string; readonly interrupt: () => void; readonly ended: Promise<number> };

/** Runs a command line in this process. */
function begin(args: readonly string[], env: Record<string, string>, cwd = import.meta.dirname): Begun {
  let words = '';
  let interrupt = (): void => {};
  const write = (text: string) => (words += text);
  const ended = runMuster(args, {
    stdin: Readable.from([]),
    stdout: { write },
    stderr: { write },
    env,
    cwd,
    onInterrupt: (listener) => {
      interrupt = listener;
      return () => undefined;
    },
  });
  return { words: () => words, interrupt: () => interrupt(), ended };
}

/** Returns the planted secrets that are visible in the bytes, in any encoding. */
function seenIn(bytes: Buffer, secrets: readonly string[]): readonly string[] {
  const text = bytes.toString('latin1');
  const formsOf = (secret: string): readonly string[] => {
    const plain = Buffer.from(secret);
    // Within longer base64 data, a secret has three different forms, depending on its offset.
    const inBase64 = [0, 1, 2].map((before) =>
      Buffer.concat([Buffer.alloc(before), plain])
        .toString('base64')
        .slice(4, -4),
    );
    const wide = Buffer.from(secret, 'utf16le').toString('latin1');
    const hex = plain.toString('hex');
    return [secret, ...inBase64, ...inBase64.map(urlSafe), hex, hex.toUpperCase(), wide, encodeURIComponent(secret)];
  };
  return secrets.filter((secret) => formsOf(secret).some((form) => text.includes(form)));
}

function urlSafe(base64: string): string {
  return base64.replaceAll('+', '-').replaceAll('/', '_');
}

describe.skipIf(!hasNats)('a cluster over TLS, with nats-server', () => {
  const folder = mkdtempSync(join(tmpdir(), 'muster-secured-'));
  const key = newKey();
  let nats: Awaited<ReturnType<typeof startNatsForUsers>>;
  let server: Awaited<ReturnType<typeof countingServer>>;

  const asUser = () => ({
    MUSTER_NATS_USER: 'muster',
    MUSTER_NATS_PASSWORD: NATS_PASSWORD,
    MUSTER_NATS_CA: nats.ca,
    MUSTER_CLUSTER_KEY: key,
  });
  const asNkey = () => ({ MUSTER_NATS_NKEY: nats.nkey, MUSTER_NATS_CA: nats.ca, MUSTER_CLUSTER_KEY: key });

  let runs = 0;
  function run(env: Record<string, string>, ...more: readonly string[]): Begun {
    writeFileSync(
      join(folder, 'sealed.yaml'),
      `target: { url: "${server.url}", apiKey: "${API_KEY}" }
fleet: { agents: 8, seed: ${++runs}, payload: lean, identities: hosts.db }
phases:
  - { name: enroll, duration: 1s, register: { over: 300ms } }
  - { name: steady, duration: 10m, checkdata: { every: 500ms } }
`,
    );
    const flags = ['--cluster', nats.url, '--machines', '2', '--quiet', ...more];
    return begin(['run', 'sealed.yaml', ...flags], env, folder);
  }

  async function machine(name: string, env: Record<string, string>): Promise<Begun> {
    const joined = begin(['join', nats.url, '--name', name, '--workers', '1'], env);
    await expect.poll(joined.words).toContain(`${name} has joined`);
    return joined;
  }

  /** All data that the servers store during a run of two machines. */
  async function keptOfRun(envs: readonly Record<string, string>[]) {
    const [first = {}] = envs;
    server.forget();
    const machines = await Promise.all([0, 1].map((n) => machine(`m${n}`, envs[n] ?? first)));
    const running = run(first);
    await expect.poll(() => server.pushes().length).toBe(8);
    const kept = await keptRaw(nats, { user: 'muster', password: NATS_PASSWORD });
    running.interrupt();
    expect(await running.ended, running.words()).toBe(105);
    for (const { interrupt, ended } of machines) {
      interrupt();
      expect(await ended).toBe(0);
    }
    return kept;
  }

  beforeAll(async () => {
    [nats, server] = await Promise.all([startNatsForUsers(NATS_PASSWORD), countingServer(AGENT_PASSWORD)]);
  });

  afterAll(async () => {
    await nats.close();
    server.stop();
    rmSync(folder, { recursive: true });
  });

  it('runs with machines that authenticate with password and nkey, and stores no secret in readable form in NATS', async () => {
    const { names, bytes } = await keptOfRun([asUser(), asNkey()]);
    const secrets = [API_KEY, AGENT_PASSWORD, key, NATS_PASSWORD];
    const own = (kind: string): RegExp => new RegExp(`^${kind.replace('muster', 'muster-[0-9a-f]{8}')}`, 'i');
    for (const kind of ['KV_muster-identities-', 'KV_muster-machines', 'KV_muster-runs', 'OBJ_muster-', 'muster_'])
      expect(
        names.find((name) => own(kind).test(name)),
        kind,
      ).toBeDefined();
    expect(seenIn(bytes, secrets)).toEqual([]);
    // Without the key they are visible, which shows that the search works.
    const { MUSTER_CLUSTER_KEY: _, ...open } = asUser();
    const unsealed = await keptOfRun([open]);
    expect(seenIn(unsealed.bytes, secrets)).toEqual([API_KEY, AGENT_PASSWORD]);
  });

  it('refuses machines with another authority, password or seed, or without TLS, in one sentence', async () => {
    const refused = async (env: Record<string, string>, url = nats.url) => {
      const join = begin(['join', url], { ...env, MUSTER_NATS_WAIT: '10m' });
      expect(await join.ended).toBe(104);
      expect(join.words().trim().split('\n')).toHaveLength(1);
      return join.words();
    };
    expect(await refused({ ...asUser(), MUSTER_NATS_CA: nats.otherCa })).toContain(
      'expected a trusted certificate, found another one (unable to verify the first certificate); set MUSTER_NATS_CA to its CA certificate.',
    );
    expect(await refused(asUser(), nats.url.replace('127.0.0.1', 'localhost'))).toContain(
      'expected a certificate for this address, found a certificate for another one',
    );
    expect(await refused({ ...asUser(), MUSTER_NATS_PASSWORD: 'another' })).toContain(
      'expected a NATS server that accepts this machine, found a refusal (Authorization Violation); check',
    );
    expect(await refused({ ...asUser(), MUSTER_NATS_NKEY: nats.ca })).toContain(
      'expected an NKey seed or a credentials file, found something else',
    );
    const stranger = run({ ...asUser(), MUSTER_NATS_PASSWORD: 'another' });
    expect(await stranger.ended).toBe(104);
    expect(stranger.words()).toContain('found a refusal (Authorization Violation)');
    const plain = begin(['join', nats.url.replace('tls:', 'nats:')], asUser());
    expect(await plain.ended).toBe(104);
    expect(plain.words()).toContain(
      'expected a NATS server without TLS, found a server that requires TLS; use a tls:// address',
    );
  });

  it.each([
    ['another key', { MUSTER_CLUSTER_KEY: newKey() }],
    ['no key', { MUSTER_CLUSTER_KEY: '' }],
  ])('finds no machines with %s: both sides say so while it waits, and it at the end', async (_, other) => {
    const first = await machine('first', asUser());
    const strange = run({ ...asUser(), ...other }, '--wait', '6s');
    await expect.poll(first.words).toContain('a coordinator on this NATS waits for machines with another cluster key:');
    await expect
      .poll(strange.words)
      .toMatch(/still waiting for machines: \d+ machines? joined with another cluster key/);
    expect(strange.words()).not.toContain('found 0 within');
    expect(await strange.ended).toBe(104);
    expect(strange.words()).toMatch(
      /expected 2 joined machines, found 0 within 6 s; \d+ machines? joined with another cluster key or an older version;/,
    );
    first.interrupt();
    await first.ended;
  });
});

it.skipIf(!hasNats)('a credentials file admits a machine over TLS, with nats-server', async () => {
  const nats: SecuredNats & { readonly creds: string } = await startNatsForCreds();
  const { address, sealing } = await readBusAddress(nats.url, {
    MUSTER_NATS_CREDS: nats.creds,
    MUSTER_NATS_CA: nats.ca,
    MUSTER_CLUSTER_KEY: newKey(),
  });
  const bus = await openBus(address, 'test', sealing);
  const bucket = await bus.bucket('muster-test', { replicas: 1, ttlMs: undefined });
  await bucket.put('agent', 'a password');
  expect((await bucket.get('agent'))?.value).toBe('a password');
  await bus.close();
  await nats.close();
});
