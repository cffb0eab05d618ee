import { hostTimeOf } from '../load/host-clock.ts';
import { startDelayMs } from '../wire/agent/lifecycle.ts';
import { dropWaiting, LIFE } from './agent-life.ts';
import type { EngineState } from './engine-state.ts';
import type { HostChange, HostReturn } from './host-outages.ts';
import { hasResults, type Reconfiguration, type ReloadSettings } from './reconfigurations.ts';

/** The agent's process restarts or ends, which ends its current operation and connection. */
function restart(engine: EngineState, agent: number): void {
  const { table, transport } = engine;
  dropWaiting(engine, agent, 'agent_busy');
  LIFE.restarted[table.busy.of(agent).activity](engine, agent);
  transport.disconnect(agent);
  table.setLastRun(agent, Number.NaN, Number.NaN);
  // `NaN`: agents of this run have no collections.
  if (!Number.isNaN(table.collectedMs(agent))) table.setCollected(agent, Number.POSITIVE_INFINITY);
}

/** Applies settings. The process continues, but restarts its checks, and all its cadences count from now. */
export function reload(engine: EngineState, agent: number, settings: ReloadSettings): void {
  const nowMs = engine.ports.clock();
  startRunner(engine, agent, { atMs: nowMs, processMs: engine.reconfigurations.of(agent)?.processMs, settings });
}

/** Ends the agent's process and starts another one with the same settings. */
export function restartProcess(engine: EngineState, agent: number, atMs: number): void {
  engine.ports.listening?.hostDown(agent);
  startRunner(engine, agent, { atMs, processMs: atMs, settings: engine.reconfigurations.of(agent)?.settings });
  listens(engine, agent);
}

/** Installs a version before the run: the agent starts with it, and its arrivals stay as planned. */
export function installFromStart(engine: EngineState, agent: number): void {
  const { reconfigurations } = engine;
  const before: Partial<Reconfiguration> = reconfigurations.of(agent) ?? {};
  const { processMs, startMs = Number.NEGATIVE_INFINITY, resultMs = startMs, settings, ended = false } = before;
  const start = { startMs, processMs, settings };
  reconfigurations.set(agent, { ...start, ...installed(engine, agent, start), resultMs, ended });
}

/** Opens the port of an agent whose process runs, unless the agent is offline. */
export function listens({ ports, activeEffects }: EngineState, agent: number): void {
  if (!activeEffects.isOffline(agent)) ports.listening?.hostUp(agent);
}

type RunnerStart = {
  readonly atMs: number;
  /** When the process started during the run; `undefined` if it started with its host. */
  readonly processMs: number | undefined;
  readonly settings: ReloadSettings | undefined;
};

function startRunner(engine: EngineState, agent: number, { atMs, processMs, settings }: RunnerStart): void {
  const { ports, table, outages } = engine;
  const startMs = atMs + startDelayMs(settings?.listens ?? ports.listening !== undefined);
  const start = { startMs, processMs, settings };
  const software = installed(engine, agent, start);
  const runMs = software.payloads.checkRunMs(table.fleetIndex(agent));
  const resultMs = hasResults(settings, runMs) ? startMs + runMs : Number.POSITIVE_INFINITY;
  const reconfiguration = { ...start, ...software, resultMs, ended: false };
  engine.reconfigurations.set(agent, reconfiguration);
  restart(engine, agent);
  configureTransport(engine, agent);
  // If the agent's host is down, the agent starts when the host is up, and its times count from then.
  outages.restarted(agent);
  outages.watch(agent, atMs);
  restartCadences(engine, agent, reconfiguration);
}

/** Applies what the agent's own configuration sets for its requests. The API key of an event takes precedence. */
export function configureTransport({ transport, reconfigurations, activeEffects }: EngineState, agent: number): void {
  const push = reconfigurations.of(agent)?.settings?.push;
  const { apiKey = push?.apiKey ?? '' } = activeEffects.present(agent, 'retarget') ?? {};
  if (push !== undefined) transport.reconfigure(agent, { ...push, apiKey });
}

// A real process is 31 to 54 ms old when its first check run starts.
const BEFORE_RUN_MS = 40;

/** The version of an agent that started during the run, and the writer of its documents. */
function installed(
  { ports, activeEffects }: EngineState,
  agent: number,
  { startMs, processMs, settings }: Pick<Reconfiguration, 'startMs' | 'processMs' | 'settings'>,
): Pick<Reconfiguration, 'version' | 'payloads'> {
  const version = activeEffects.present(agent, 'upgrade')?.version;
  const processStartMs = processMs === undefined ? undefined : Math.floor(hostTimeOf(ports, processMs)) - BEFORE_RUN_MS;
  const process = { startMs: processStartMs, version };
  return { version, payloads: ports.reloaded(hostTimeOf(ports, startMs), settings?.configuration, process) };
}

/** Ends the agent's process until the agent is reloaded or started. */
export function endProcess(engine: EngineState, agent: number, atMs = engine.ports.clock()): void {
  const { reconfigurations } = engine;
  const { settings, version, processMs } = reconfigurations.of(agent) ?? {};
  const payloads = reconfigurations.payloadsOf(agent);
  const times = { startMs: atMs, resultMs: atMs, processMs };
  reconfigurations.set(agent, { ...times, settings, version, payloads, ended: true });
  restart(engine, agent);
}

/** The agent's host went down, booted and started the agent, or the first check run after that ended. */
export function changeHost(engine: EngineState, agent: number, change: HostChange): void {
  const { listening } = engine.ports;
  const hasEnded = engine.reconfigurations.of(agent)?.ended ?? false;
  switch (change.kind) {
    case 'down':
      restart(engine, agent);
      if (!hasEnded) listening?.hostDown(agent);
      break;
    case 'up':
      if (!hasEnded) listens(engine, agent);
      break;
    case 'back':
      comeBack(engine, agent, change.back);
      break;
    case 'superseded':
      break;
  }
}

function comeBack(engine: EngineState, agent: number, { agentStartMs, resultMs }: HostReturn): void {
  const { reconfigurations, outages, ports, table } = engine;
  const before = reconfigurations.of(agent);
  const { settings, ended = false } = before ?? {};
  const start = { startMs: agentStartMs, processMs: undefined, settings };
  // Another version may have been installed before the host went down.
  const version = engine.activeEffects.present(agent, 'upgrade')?.version;
  const software =
    before?.version === version
      ? { version, payloads: reconfigurations.payloadsOf(agent) }
      : installed(engine, agent, start);
  const isShown = hasResults(settings, software.payloads.checkRunMs(table.fleetIndex(agent)));
  const reconfiguration = {
    ...start,
    ...software,
    resultMs: isShown ? resultMs : Number.POSITIVE_INFINITY,
    ended,
  };
  if (before !== undefined || version !== undefined || engine.pulled) reconfigurations.set(agent, reconfiguration);
  if (ports.listening !== undefined) outages.watch(agent, resultMs);
  restartCadences(engine, agent, reconfiguration);
}

type CadenceStart = Pick<Reconfiguration, 'startMs' | 'resultMs' | 'settings'>;

function restartCadences({ schedule }: EngineState, agent: number, from: CadenceStart): void {
  const { startMs, resultMs, settings } = from;
  const everyMs = { checkdata: settings?.checkEveryMs, packages: settings?.packagesEveryMs };
  const looksForUpdates = settings?.configuration?.packages?.updateCheck ?? true;
  schedule.restart(agent, { agentStartMs: startMs, resultMs, everyMs, looksForUpdates });
}

/** The agent's check run ends now, and its cadences count from now. An agent without a result keeps its cadences. */
export function synchronize(engine: EngineState, agent: number, atMs: number): void {
  const { outages, reconfigurations } = engine;
  const before = reconfigurations.of(agent);
  outages.watch(agent, atMs);
  // Before its first check run ends, an agent has nothing to send.
  if (outages.isDown(agent, atMs) || before?.ended || atMs < (before?.resultMs ?? 0)) return;
  restartCadences(engine, agent, { startMs: atMs, resultMs: atMs, settings: before?.settings });
}
