import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import type { AgentFile, AgentFileTexts } from '../../../src/base/protocol/agent-files.ts';
import { NO_EVIDENCE } from '../../../src/base/protocol/exchange.ts';
import { openAgentFiles } from '../../../src/base/storage/agent-files.ts';
import { openPullState } from '../../../src/base/storage/pull-state.ts';
import { createRecorder } from '../../../src/metrics/recording/recorder.ts';
import { simulatedSettings } from '../../../src/wire/agent/configuration/settings.ts';
import { makeAuthority, openSigner } from '../../../src/wire/poller/authority.ts';
import { createPoller } from '../../../src/wire/poller/poller.ts';
import { createPullClient } from '../../../src/wire/transport/pull-client.ts';
import { createCertificateRequests } from '../../../src/wire/web-server/auto-tls/certificate-requests.ts';
import { makeKey } from '../../../src/wire/web-server/auto-tls/keys.ts';
import { createTlsAcceptor } from '../../../src/wire/web-server/tls/tls-acceptor.ts';
import { createAgentProcesses } from '../../../src/workers/listening/agent-processes.ts';
import { createDisks, packFiles } from '../../../src/workers/listening/disks.ts';
import { createFleet } from '../web-server/fleet.ts';

// The five seconds after an exchange pass in ten milliseconds.
const TIMES_FASTER = 500;
const HOST = 'host-0';

const authority = await makeAuthority({ systemId: 'a', keyType: 'ecdsa-p256', nowMs: Date.now() });
const signer = await openSigner(authority, Date.now);
const key = await makeKey('ecdsa-p256');

/** A process that does nothing after it is killed: its next step never completes. */
type Process = { readonly step: (name: string) => Promise<void>; readonly kill: () => void };

function createProcess(onStep: (name: string, own: Process) => void): Process {
  let isDead = false;
  const own: Process = {
    step: (name) => {
      if (!isDead) onStep(name, own);
      return isDead ? new Promise(() => {}) : Promise.resolve();
    },
    kill: () => {
      isDead = true;
    },
  };
  return own;
}

type Side = { readonly own: Process; readonly kill: () => Promise<void> };
type OnStep = Parameters<typeof createProcess>[0];

/** A folder or a file exists completely or not at all. Of several files that are written together, a crash may leave any. */
async function store(
  files: AgentFileTexts,
  { step }: Process,
  save: (files: AgentFileTexts) => Promise<void>,
): Promise<void> {
  await step(`the agent is to store ${Object.keys(files)}`);
  for (const [name, text] of Object.entries(files)) {
    await save({ [name as AgentFile]: text });
    await step(`the agent has ${name}`);
  }
}

async function startAgent(folder: string, place: Pick<ReturnType<typeof createFleet>, 'addressOf'>, onStep: OnStep) {
  const own = createProcess(onStep);
  const store0 = openAgentFiles(join(folder, 'identities.db'));
  // What a killed process had passed to the disk is still written, and nothing after it.
  let saving = Promise.resolve();
  const save = (files: AgentFileTexts) => {
    saving = store0.save([{ hostName: HOST, files }]);
    return saving;
  };
  const known = [...store0.loadAll([HOST])].map(([, files]) => [0, files] as const);
  const disks = createDisks(packFiles(known), (writes) => {
    for (const { write, files } of writes) {
      void store(files, own, save).then(() => disks.stored({ writes: [write], problem: undefined }));
    }
  });
  const { host: address, port } = place.addressOf(0);
  const settings = simulatedSettings({
    profile: 'debian-12',
    intervalSeconds: 30,
    push: undefined,
    checks: {},
    webServer: { address, port, autoTls: true, tlsLevel: 'lax', basicAuth: undefined, configPush: false },
  });
  const { servers } = createFleet(
    {
      checkdata: () => Buffer.from('{"agent":{}}'),
      csr: createCertificateRequests(async () => key, {
        storedKey: () => disks.filesOf(0)['agent.key'],
        hostName: () => HOST,
        store: disks.store,
      }),
      storeCertificates: (_, { signed, ca }) => disks.store(0, { 'agent.crt': signed, 'server_ca.crt': ca }),
      reload: () => void own.step('the agent is to reload').then(() => processes.reload(0)),
    },
    {},
    createTlsAcceptor(),
  );
  const processes = createAgentProcesses({
    agents: 1,
    disks,
    bounds: { listen: [], proxies: [] },
    firstSettings: () => settings,
    webServers: () => servers,
    wake: () => {},
    engine: () => ({ reload: () => {}, down: () => {} }),
  });
  await processes.open();
  processes.begin();
  return {
    own,
    down: processes.down,
    kill: async () => {
      own.kill();
      await Promise.all([servers.stop(0), saving]);
    },
  };
}

async function startServer(folder: string, place: Pick<ReturnType<typeof createFleet>, 'addressOf'>, onStep: OnStep) {
  const own = createProcess(onStep);
  const state = await openPullState(join(folder, 'state'));
  if (state.authority === undefined) await state.keepAuthority(authority);
  const client = createPullClient({ credentials: authority, timeoutMs: 60_000 });
  const told: string[] = [];
  const startMs = performance.now();
  const address = place.addressOf(0);
  const poller = createPoller(
    {
      agents: [{ address, index: 0, basicAuth: undefined, exchanged: state.exchanged.size > 0 }],
      phases: [{ name: 'main', startMs: 0, durationMs: Number.POSITIVE_INFINITY }],
      security: { kind: 'auto-tls', exchangeAgain: false },
      everyMs: 5000,
      packagesEveryMs: 3_600_000,
      concurrency: 1,
      configuration: undefined,
    },
    {
      clock: () => (performance.now() - startMs) * TIMES_FASTER,
      client: {
        ...client,
        request: (request) => {
          const { path, secure, body } = request;
          const words = `${body === undefined ? 'GET' : 'POST'} ${secure ? 'https' : 'http'} ${path}`;
          const sent = own.step(`the server is to send ${words}`).then(() => client.request(request));
          const ending = sent
            .then((call) => call.ending)
            .then(async (ended) => {
              await own.step(`the server has the answer to ${words}`);
              return ended;
            });
          return { ending, abort: () => void sent.then((call) => call.abort()), evidence: () => NO_EVIDENCE };
        },
      },
      signer,
      recorder: createRecorder(),
      remember: async (_, record) => {
        await own.step(`the server is to remember: ${record}`);
        state.remember([{ address: 'agent', record }]);
        await own.step(`the server remembers: ${record}`);
      },
      changed: (_, { kind }) => told.push(kind),
    },
  );
  const beat = setInterval(poller.advance, 1);
  return {
    own,
    told,
    kill: async () => {
      own.kill();
      clearInterval(beat);
      client.close();
      state.close();
    },
  };
}

const SIDES = ['agent', 'server', 'both'] as const;

/** Runs an exchange, kills and restarts that side at that step, and returns the steps and the result. */
async function interrupted(side: (typeof SIDES)[number], at: string | undefined) {
  const folder = mkdtempSync(join(tmpdir(), 'muster-interrupted-'));
  const place = createFleet();
  const steps = new Set<string>();
  const stopped = Promise.withResolvers<void>();
  let running: Side[] = [];
  const onStep: OnStep = (name) => {
    steps.add(name);
    if (name !== at || running.length === 0) return;
    // Immediate: nothing more may happen in this process.
    if (side !== 'agent') server.own.kill();
    if (side !== 'server') agent.own.kill();
    stopped.resolve();
  };
  let agent = await startAgent(folder, place, onStep);
  let server = await startServer(folder, place, onStep);
  running = [agent, server];
  const isPolled = () => server.told.includes('data') || agent.down.size > 0;
  if (at !== undefined) {
    await stopped.promise;
    running = [];
    if (side !== 'agent') await server.kill();
    if (side !== 'server') await agent.kill();
    if (side !== 'server') agent = await startAgent(folder, place, () => {});
    if (side !== 'agent') server = await startServer(folder, place, () => {});
  }
  await expect.poll(isPolled, { interval: 1, timeout: 20_000 }).toBe(true);
  await Promise.all([agent.kill(), server.kill()]);
  rmSync(folder, { recursive: true });
  return { steps: [...steps], told: server.told, down: [...agent.down.values()] };
}

it.each(SIDES)('an exchange leads to polls over TLS, wherever a crash stops %s', async (side) => {
  const { steps } = await interrupted(side, undefined);
  expect(steps).toEqual(
    expect.arrayContaining([
      'the agent has agent.key',
      'the server remembers: signed',
      'the agent has agent.crt',
      'the agent has server_ca.crt',
      'the agent is to reload',
      'the server is to remember: exchanged',
    ]),
  );
  // To the server, an agent that restarts during a server step looks like one that restarts between two requests.
  for (const step of steps.filter((name) => side !== 'agent' || name.startsWith('the agent'))) {
    const { told, down } = await interrupted(side, step);
    expect([step, told.at(-1), down]).toEqual([step, 'data', []]);
  }
});
