import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { runMuster } from '../../src/cli/muster.ts';
import { type MonitoringServer, startMonitoringServer } from '../../src/server/start.ts';
import { KEY } from '../provisioning/fleet.ts';
import { send } from '../server/push-client.ts';
import { muster } from './muster.ts';

const AGENTS = 3;
const env = { MUSTER_API_KEY: KEY };

let cwd: string;
let server: MonitoringServer;

beforeEach(async () => {
  cwd = mkdtempSync(join(tmpdir(), 'muster-'));
  server = await startMonitoringServer({ dialect: 'shipped', apiKey: KEY, hostAssignment: { kind: 'manual' } });
});

afterEach(async () => {
  await server.stop();
  rmSync(cwd, { recursive: true });
});

function writeScenario(provision: string | undefined, { url = server.url, every = '500ms' } = {}): void {
  const setting = provision === undefined ? '' : `, provision: ${provision}`;
  const fleet = `{ agents: ${AGENTS}, seed: 11, payload: lean, start: fresh${setting} }`;
  const phases = `[{ name: steady, duration: 100s, checkdata: { every: ${every} } }]`;
  writeFileSync(
    join(cwd, 'staging.yaml'),
    `target: { url: "${url}", apiKey: "\${MUSTER_API_KEY:-}" }\nfleet: ${fleet}\nphases: ${phases}\n`,
  );
}

type Watched = { readonly text: () => string; readonly ctl: (...args: string[]) => ReturnType<typeof muster> };

/** Runs the command until `meanwhile` ends, and then interrupts it. */
async function watched(args: readonly string[], meanwhile: (watched: Watched) => Promise<void>) {
  let text = '';
  let stdout = '';
  let interrupt = (): void => {};
  const code = runMuster(args, {
    stdin: (async function* () {})(),
    stdout: { write: (written) => (stdout += written) },
    stderr: { write: (written) => (text += written) },
    env,
    cwd,
    onInterrupt: (listener) => {
      interrupt = listener;
      return () => {};
    },
  });
  try {
    await meanwhile({ text: () => text, ctl: (...rest) => muster(['ctl', ...rest], { cwd, env }) });
  } finally {
    interrupt();
    await code;
  }
  return { code: await code, stdout, stderr: text };
}

async function hosts(): Promise<readonly Readonly<Record<string, unknown>>[]> {
  const headers = { Authorization: `X-OITC-API ${KEY}` };
  const { text } = await send(server.url, { method: 'GET', path: '/hosts/notMonitored.json', headers });
  return JSON.parse(text).all_hosts.map(({ Host }: { Host: object }) => Host);
}

const WAIT = { timeout: 60_000, interval: 200 };

async function countIn(ctl: Watched['ctl'], health: string): Promise<number> {
  const { stdout } = await ctl('agents', '--health', health, '--json');
  return JSON.parse(stdout || '{"agents":[]}').agents.length;
}

describe('fleet.provision', () => {
  it('makes a kept fleet accepted by itself, and ctl provision adds nothing to it', { timeout: 120_000 }, async () => {
    // Agents start within this time, so that some register after the first round.
    writeScenario('{ tags: [load-test], services: true }', { every: '3s' });
    const fleet = ['fleet', 'staging.yaml', '--quiet', '--workers', '1'];
    const { code, stderr } = await watched(fleet, async ({ text, ctl }) => {
      await expect.poll(async () => (await hosts()).length, WAIT).toBe(AGENTS);
      await expect.poll(() => countIn(ctl, 'reporting'), WAIT).toBe(AGENTS);
      await expect.poll(text, WAIT).toMatch(/provisioned on .*: \d hosts? added.* [1-9]\d* services created/);
      // The fleet may be using the ledger, or an agent's services may be left.
      const again = async (...args: string[]) => (await ctl('provision', ...args)).stderr;
      const nothing = '0 hosts added, 3 found, 0 configured, 0 assigned, 0 services created';
      await expect.poll(() => again(), WAIT).toContain(nothing);
      await expect.poll(() => again('--dry-run'), WAIT).toContain(nothing);
    });
    expect(await hosts()).toHaveLength(AGENTS);
    expect([code, stderr]).toEqual([0, expect.not.stringContaining(KEY)]);
  });

  it('makes the agents of a run accepted that were refused before', { timeout: 120_000 }, async () => {
    writeScenario('true');
    const { stdout, stderr } = await watched(
      ['run', 'staging.yaml', '--quiet', '--json', '--workers', '1', '--control'],
      async ({ ctl }) => {
        await expect.poll(() => countIn(ctl, 'reporting'), WAIT).toBe(AGENTS);
      },
    );
    const { overall } = JSON.parse(stdout);
    const { outcomes } = overall.find(({ operation }: { operation: string }) => operation === 'checkdata');
    expect(outcomes).toMatchObject({ ok: expect.any(Number), http_400: expect.any(Number) });
    expect(stderr).toMatch(/provisioned on .* [1-3] assigned/);
  });

  it('is refused where no process sees the whole fleet once', async () => {
    writeScenario('true');
    const shard = await muster(['run', 'staging.yaml', '--shard', '1/2'], { cwd, env });
    expect(shard).toMatchObject({ code: 104, stderr: expect.stringContaining('found --shard') });
    const capacity = await muster(['capacity', 'staging.yaml'], { cwd, env });
    expect(capacity).toMatchObject({ code: 104, stderr: expect.stringContaining('found muster capacity') });
    writeScenario('true', { url: 'embedded' });
    const embedded = await muster(['validate', 'staging.yaml'], { cwd, env });
    expect(embedded.stdout + embedded.stderr).toContain('fleet.provision only with the target.url of a server');
  });
});

describe('ctl provision', () => {
  it('provisions a fleet that does not do it, in the place that flags name', { timeout: 120_000 }, async () => {
    writeScenario(undefined);
    await watched(['fleet', 'staging.yaml', '--quiet', '--workers', '1'], async ({ ctl }) => {
      await expect.poll(() => countIn(ctl, 'refused'), WAIT).toBe(AGENTS);
      const dry = await ctl('provision', '--dry-run', '--container', '7', '--tag', 'load-test');
      expect(dry.stdout).toContain('"container_id":7');
      expect(dry.stdout).toContain('"tags":"muster,load-test"');
      expect(await hosts()).toEqual([]);
      expect((await ctl('provision')).stderr).toContain('3 hosts added, 0 found, 3 configured, 3 assigned');
      await expect.poll(() => countIn(ctl, 'reporting'), WAIT).toBe(AGENTS);
      const keyless = await muster(['ctl', 'provision'], { cwd });
      expect(keyless).toMatchObject({ code: 104, stderr: expect.stringContaining('MUSTER_API_KEY') });
    });
    expect(await hosts()).toHaveLength(AGENTS);
  });
});
