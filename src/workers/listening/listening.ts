import type { Clock } from '../../base/kernel/clock.ts';
import { MIB } from '../../base/kernel/units.ts';
import { SERVED_OPERATIONS, type ServedOperation } from '../../base/protocol/operations.ts';
import { watchHoldUps } from '../../base/runtime/event-loop.ts';
import type { WebServerStatus } from '../../engine/agent-status.ts';
import type { Engine } from '../../engine/engine.ts';
import { exporterScrape } from '../../hosts/checks/exporter-scrape.ts';
import { systemChooser } from '../../hosts/groups.ts';
import { fleetIndex, shareOf } from '../../load/shard.ts';
import type { Phase } from '../../load/timeline.ts';
import { createLastOutcomes } from '../../metrics/recording/last-outcomes.ts';
import { createListenerRecorder } from '../../metrics/recording/listener-counts.ts';
import type { Recorder, SharedSeries } from '../../metrics/recording/recorder.ts';
import { agentSettingsOf } from '../../scenario/agents.ts';
import type { Scenario } from '../../scenario/scenario.ts';
import { filesOf, storedDocuments } from '../../wire/agent/configuration/read-settings.ts';
import type { AgentSettings } from '../../wire/agent/configuration/settings.ts';
import { writeDocuments } from '../../wire/agent/configuration/write-documents.ts';
import { identityOf } from '../../wire/agent/identity.ts';
import { createCertificateRequests } from '../../wire/web-server/auto-tls/certificate-requests.ts';
import { type KeySource, keysOnDemand, pooledKeys, uniqueKeys } from '../../wire/web-server/auto-tls/keys.ts';
import type { ClientPorts, WebServerPorts, WebServerSetup } from '../../wire/web-server/ports.ts';
import { createTlsAcceptor } from '../../wire/web-server/tls/tls-acceptor.ts';
import { createWebServers, type WebServers } from '../../wire/web-server/web-servers.ts';
import type { DownAgent, ListeningTask, ShardFiles, ShardTask } from '../messages.ts';
import { type AgentProcesses, createAgentProcesses } from './agent-processes.ts';
import { createDisks, type Disks } from './disks.ts';

export type ListeningContext = {
  readonly clock: Clock;
  readonly recorder: Recorder;
  readonly engine: () => Engine;
  readonly wake: () => void;
  readonly send: (writes: readonly ShardFiles[]) => void;
};

// Long enough to answer all pending requests.
const DRAIN_MS = 2000;
// Limits for the agents' files, in characters: keys and certificates take 8 KB per agent, and clients may push megabytes to each.
const FILES_PER_PROCESS = 64 * MIB;
const FILES_PER_AGENT = 16 * 1024;
// Generating keys occupies threads that other work needs.
const KEYS_AT_ONCE = 2;

export type Listening = ReturnType<typeof createListening>;

export function createListening(task: ShardTask, listening: ListeningTask, context: ListeningContext) {
  const { scenario, shard, target } = task;
  const { seed, agents } = scenario.fleet;
  const indexOf = (agent: number) => fleetIndex(shard, agent);
  const hostNameOf = (agent: number) => identityOf(seed, indexOf(agent)).hostName;
  const room = FILES_PER_PROCESS / shard.count + FILES_PER_AGENT * shareOf(shard, agents);
  const disks = createDisks(listening.files, listening.durable ? context.send : undefined, room);
  const urls = target.bases.map(({ url }) => url);
  const settingsOfIndex = agentSettingsOf(scenario, urls);
  const processes: AgentProcesses = createAgentProcesses({
    agents: shareOf(shard, agents),
    disks,
    firstSettings: (agent) => settingsOfIndex(indexOf(agent)),
    bounds: { listen: scenario.webServer?.allowListen ?? [], proxies: scenario.target.allow },
    webServers: () => webServers,
    ...context,
  });
  const watch = watchHoldUps();
  const clients = createListenerRecorder(watch.heldUpMs, scenario.validity.schedulingDelayMs);
  const last = createLastOutcomes(shareOf(shard, agents), SERVED_OPERATIONS);
  const configuredMs = new Map<number, number>();
  const ports = portsOf(task, { listening, disks, processes, hostNameOf, clients, last, configuredMs, ...context });
  const nameOf = (agent: number) => `agent ${indexOf(agent)} (${hostNameOf(agent)})`;
  const options = { ...webServerOptionsOf(scenario), nameOf, fileDescriptors: listening.fileDescriptors };
  const webServers: WebServers = createWebServers(options, ports, createTlsAcceptor());
  let atEnd: number | undefined;
  return {
    ...processes,
    /** Resolves when all agents listen. Rejects with a `UserError` if a port cannot be opened. */
    open: (): Promise<void> => {
      // Agents return their configuration on request. A value that their files cannot hold is reported now instead of then.
      ports.documents(0);
      return processes.open();
    },
    stored: disks.stored,
    isStoring: disks.isStoring,
    /** Number of agents that listen, or did when they were stopped. */
    listening: (): number => atEnd ?? webServers.listening(),
    down: (): readonly DownAgent[] =>
      [...processes.down].map(([agent, reason]) => ({ agent: indexOf(agent), hostName: hostNameOf(agent), reason })),
    /** Counts of client connections since the last call. */
    takeCounts: clients.take,
    status: (agent: number): WebServerStatus => {
      const isConfigured = storedDocuments(disks.filesOf(agent)) !== undefined;
      return {
        ...webServerOf(processes.settingsOf(agent), webServers.openSetup(agent)),
        configured: isConfigured ? { atMs: configuredMs.get(agent) } : undefined,
        last: last.of(agent),
      };
    },
    /** The last request that the agent answered; `undefined` if there was none. */
    lastServed: last.of,
    stop: async (): Promise<void> => {
      atEnd = webServers.listening();
      await webServers.stop(DRAIN_MS);
      watch.stop();
    },
  };
}

function webServerOptionsOf({ webServer }: Scenario) {
  const { dialect = 'documented', trustWebPages = false } = webServer ?? {};
  return { dialect, trustWebPages } as const;
}

/** @param open the setup that the agent listens with; `undefined` if it does not listen. */
function webServerOf(
  { webServer, address: host, port, autoTls, basicAuth, configPush }: AgentSettings,
  open: WebServerSetup | undefined,
): Omit<WebServerStatus, 'configured' | 'last'> {
  return {
    address: webServer ? { host, port } : undefined,
    isListening: open !== undefined,
    tls: open && tlsOf(open),
    autoTls,
    basicAuth: basicAuth !== undefined,
    configPush,
  };
}

function tlsOf({ tls }: WebServerSetup): NonNullable<WebServerStatus['tls']> {
  if (tls === undefined) return 'none';
  return tls.clientCa === undefined ? 'server' : 'mutual';
}

type Parts = ListeningContext & {
  readonly listening: ListeningTask;
  readonly disks: Disks;
  readonly processes: AgentProcesses;
  readonly hostNameOf: (agent: number) => string;
  readonly clients: ClientPorts;
  readonly last: ReturnType<typeof createLastOutcomes<ServedOperation>>;
  /** When configurations were stored, by agent. */
  readonly configuredMs: Map<number, number>;
};

function portsOf({ scenario, shard }: ShardTask, parts: Parts): WebServerPorts {
  const { listening, disks, processes, hostNameOf, clients, engine, clock, configuredMs } = parts;
  const systemOf = systemChooser(scenario.fleet);
  const shown = documentWriter(engine);
  const exportersOf = (agent: number) => processes.settingsOf(agent).exporters;
  return {
    checkdata: (agent) => shown(agent, engine().writeCheckdata),
    packages: (agent) => shown(agent, engine().writePackages),
    documents: (agent) =>
      storedDocuments(disks.filesOf(agent)) ??
      writeDocuments(processes.firstSettingsOf(agent), systemOf(fleetIndex(shard, agent))),
    exporters: (agent) => exportersOf(agent).map(({ name }) => name),
    scrape: (agent, exporter) => {
      const { intervalSeconds = 0, timeoutSeconds = 1 } =
        exportersOf(agent).find(({ name }) => name === exporter) ?? {};
      if (timeoutSeconds > intervalSeconds || engine().lastRun(agent) === undefined) return undefined;
      return exporterScrape(exporter, shown(agent, engine().writeCheckdata).toString());
    },
    csr: createCertificateRequests(
      keySource(listening, (agent) => fleetIndex(shard, agent)),
      {
        storedKey: (agent) => disks.filesOf(agent)['agent.key'],
        hostName: hostNameOf,
        store: disks.store,
      },
    ),
    storeDocuments: async (agent, documents) => {
      await disks.store(agent, filesOf(documents));
      const nowMs = clock();
      if (Number.isFinite(nowMs)) configuredMs.set(agent, nowMs);
    },
    storeCertificates: (agent, { signed, ca }) => disks.store(agent, { 'agent.crt': signed, 'server_ca.crt': ca }),
    reload: processes.reload,
    served: createServedRecorder(scenario.phases, parts),
    clients,
    failed: processes.end,
  };
}

function keySource({ keys }: ListeningTask, indexOf: (agent: number) => number): KeySource {
  if (keys.kind === 'pool') return pooledKeys(keys.pems, indexOf);
  const made = uniqueKeys(keys.type, KEYS_AT_ONCE);
  return keys.kind === 'unique' ? made : keysOnDemand(keys.size, indexOf, made);
}

type Write = (agent: number, out: Buffer, offset: number) => number;

/** All documents share one buffer, which is valid until the next document. */
function documentWriter(engine: () => Engine): (agent: number, write: Write) => Buffer {
  let out = Buffer.allocUnsafeSlow(0);
  return (agent, write) => {
    const room = engine().documentBytes(agent);
    if (out.length < room) out = Buffer.allocUnsafeSlow(room);
    return out.subarray(0, write(agent, out, 0));
  };
}

/** Counts the requests that agents serve, each in the phase in which its answer ended. */
function createServedRecorder(
  phases: readonly Phase[],
  { recorder, clock, last }: Pick<Parts, 'recorder' | 'clock' | 'last'>,
): WebServerPorts['served'] {
  const series = phases.map(() => new Map<ServedOperation, SharedSeries>());
  return (agent, operation, outcome, serviceMs, traffic) => {
    const nowMs = clock();
    const index = countingPhase(phases, nowMs);
    const own = series[index]?.get(operation) ?? recorder.series(phases[index]?.name ?? '', operation);
    series[index]?.set(operation, own);
    own.of(agent).served(outcome, { serviceMs, ...traffic });
    last.ended(agent, { operation, outcome, endedMs: Math.max(0, nowMs), serviceMs });
  };
}

/** Times before the first or after the last phase count in that phase. */
function countingPhase(phases: readonly Phase[], nowMs: number): number {
  const next = phases.findIndex(({ startMs }) => startMs > nowMs);
  return next < 0 ? phases.length - 1 : Math.max(0, next - 1);
}
