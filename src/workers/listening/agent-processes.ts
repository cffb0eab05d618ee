import { isDeepStrictEqual } from 'node:util';
import { isAllowedHost } from '../../base/kernel/address.ts';
import { MINUTE_MS } from '../../base/kernel/units.ts';
import type { AgentFileTexts } from '../../base/protocol/agent-files.ts';
import type { Engine } from '../../engine/engine.ts';
import type { ReloadSettings } from '../../engine/reconfigurations.ts';
import { shown } from '../../wire/agent/configuration/ini.ts';
import { settingsFrom, storedDocuments } from '../../wire/agent/configuration/read-settings.ts';
import type { AgentSettings } from '../../wire/agent/configuration/settings.ts';
import { proxyOf } from '../../wire/agent/proxy.ts';
import { leadsTheSameWay } from '../../wire/agent/redirects.ts';
import type { WebServerSetup } from '../../wire/web-server/ports.ts';
import { knownTlsMode, tlsModeOf } from '../../wire/web-server/tls/tls-mode.ts';
import type { WebServers } from '../../wire/web-server/web-servers.ts';
import type { Disks } from './disks.ts';

/** The agents of a shard as processes on their hosts. Each reads its files when it starts, and ends if it cannot use them. */
export type AgentProcesses = ReturnType<typeof createAgentProcesses>;

export type AgentProcessesInput = {
  readonly agents: number;
  readonly disks: Disks;
  /** An agent's settings before any configuration is pushed. */
  readonly firstSettings: (agent: number) => AgentSettings;
  readonly bounds: Bounds;
  readonly webServers: () => WebServers;
  readonly engine: () => Pick<Engine, 'reload' | 'down'>;
  /** Call when the next due time may have changed. */
  readonly wake: () => void;
};

/** Hosts other than loopback that a configuration may name. */
export type Bounds = {
  readonly listen: readonly string[];
  /** Proxies through which they may send. */
  readonly proxies: readonly string[];
};

type Start =
  | { readonly kind: 'runs'; readonly settings: AgentSettings; readonly setup: WebServerSetup | undefined }
  | { readonly kind: 'ends'; readonly reason: string };

type Running = Extract<Start, { readonly kind: 'runs' }>;

export function createAgentProcesses(input: AgentProcessesInput) {
  const { agents, disks, firstSettings, bounds, webServers, engine, wake } = input;
  /** Settings of agents that differ from their initial ones. */
  const settings = new Map<number, AgentSettings>();
  const down = new Map<number, string>();
  const settingsOf = (agent: number) => settings.get(agent) ?? firstSettings(agent);
  const start = processStarter(disks, firstSettings, bounds);
  /** Agents whose hosts are down: an earlier request to one of them may complete only now. */
  const away = new Set<number>();
  // Ports are open before the run starts. The engine has no time yet, and receives all changes at the start.
  let hasBegun = false;
  const listen = (agent: number, { setup }: Running) => webServers().apply(agent, away.has(agent) ? undefined : setup);
  const end = (agent: number, reason: string) => {
    down.set(agent, reason);
    webServers().apply(agent, undefined);
    if (!hasBegun) return;
    engine().down(agent);
    wake();
  };
  /** Starts the process, which ends if it cannot use its files. */
  const startProcess = (agent: number, onRunning: (agent: number, process: Running) => void) => {
    const process = start(agent);
    if (process.kind === 'ends') end(agent, process.reason);
    else onRunning(agent, process);
  };
  const applySettings = (agent: number, { settings: own }: Running) => {
    down.delete(agent);
    settings.set(agent, own);
    if (!hasBegun) return;
    engine().reload(agent, reloadSettings(own, firstSettings(agent)));
    wake();
  };
  return {
    /** Opens the ports of all agents that listen. @throws UserError if a port cannot be opened. */
    open: (): Promise<void> => webServers().open(setups(agents, start)),
    /** Call at the start of the run. Agents with pushed configurations, from earlier runs or since the ports opened, start with them. */
    begin: () => {
      hasBegun = true;
      for (const [agent, reason] of down) end(agent, reason);
      for (const agent of disks.agents())
        if (!down.has(agent) && storedDocuments(disks.filesOf(agent)) !== undefined) startProcess(agent, applySettings);
    },
    /** Restarts an agent with its changed files. */
    reload: (agent: number): void =>
      startProcess(agent, (_, process) => {
        listen(agent, process);
        applySettings(agent, process);
      }),
    /** Ends the agent's process for a reason, which is one sentence. */
    end,
    hostDown: (agent: number) => {
      away.add(agent);
      webServers().close(agent);
    },
    hostUp: (agent: number) => {
      away.delete(agent);
      startProcess(agent, listen);
    },
    /** Settings of the running process, not those in its files. */
    settingsOf,
    firstSettingsOf: firstSettings,
    /** Why agents are down, by number. */
    down: down as ReadonlyMap<number, string>,
  };
}

function* setups(agents: number, start: (agent: number) => Start): Iterable<readonly [number, WebServerSetup]> {
  for (let agent = 0; agent < agents; agent++) {
    const process = start(agent);
    if (process.kind === 'runs' && process.setup !== undefined) yield [agent, process.setup];
  }
}

/** Starts an agent's process with its stored files. The control plane has checked those of earlier runs, so only later ones need a check. */
function processStarter(
  disks: Disks,
  firstSettings: (agent: number) => AgentSettings,
  bounds: Bounds,
): (agent: number) => Start {
  const known = new WeakSet(disks.agents().map(disks.filesOf));
  // Storing creates a new object of files; until then, an agent starts as before.
  const starts = new WeakMap<AgentFileTexts, Start>();
  return (agent) => {
    const files = disks.filesOf(agent);
    const before = starts.get(files);
    if (before !== undefined) return before;
    const first = firstSettings(agent);
    const start = withinBounds(startOf(files, first, known.has(files) ? knownTlsMode : tlsModeOf), first, bounds);
    if (storedDocuments(files) !== undefined) starts.set(files, start);
    return start;
  };
}

function startOf(files: AgentFileTexts, first: AgentSettings, modeOf: typeof tlsModeOf): Start {
  const read = settingsFrom(files, first);
  if (read.kind === 'death') return { kind: 'ends', reason: read.reason };
  const { settings } = read;
  if (!settings.webServer) return { kind: 'runs', settings, setup: undefined };
  const mode = modeOf(settings, files, () => undefined);
  if (mode.kind === 'death') return { kind: 'ends', reason: mode.reason };
  const { address: host, port, basicAuth, configPush, autoTls } = settings;
  const setup: WebServerSetup = {
    address: { host, port },
    basicAuth: basicAuth && `${basicAuth.user}:${basicAuth.password}`,
    configPush,
    autoTls,
    tls: mode.kind === 'tls' ? mode.setup : undefined,
  };
  return { kind: 'runs', settings, setup };
}

/**
 * A real agent listens on any address and uses any proxy. Here a configuration must not open ports to other machines, or load them, without
 * the user's permission.
 */
function withinBounds(start: Start, first: AgentSettings, { listen: allowListen, proxies }: Bounds): Start {
  if (start.kind === 'ends') return start;
  const proxy = pushOf(start.settings, first)?.proxy ?? '';
  const proxyHost = proxyOf(proxy).host;
  if (proxyHost !== '' && !isAllowedHost(proxyHost, proxies)) {
    const reason =
      `Its configuration sets the proxy ${shown(proxyHost)}, which is not on this machine: ` +
      `if you are permitted to load it, add ${shown(proxyHost)} to target.allow or pass it to --allow.`;
    return { kind: 'ends', reason };
  }
  if (start.setup === undefined) return start;
  const { host } = start.setup.address;
  // Empty means all addresses of this machine.
  const address = host === '' ? '0.0.0.0' : host;
  if (isAllowedHost(address, allowListen)) return start;
  return {
    kind: 'ends',
    reason:
      `Its configuration makes it listen on ${shown(address)}, which other machines can reach: ` +
      `if that is intended, add ${shown(address)} to webServer.allowListen or pass it to --allow-listen.`,
  };
}

/** An agent's settings for the engine. Settings that equal the initial ones remain the fleet's. */
function reloadSettings(settings: AgentSettings, first: AgentSettings): ReloadSettings {
  const { intervalSeconds, disabledChecks, customChecks, exporters, packages } = settings;
  const { intervalMinutes, updateCheck } = packages;
  return {
    configuration: {
      checkIntervalSeconds: intervalSeconds,
      disabledChecks,
      customChecks: isDeepStrictEqual(customChecks, first.customChecks) ? undefined : customChecks,
      exporters: isDeepStrictEqual(exporters, first.exporters) ? undefined : scrapedOf(exporters),
      packages: packages.enabled ? { intervalMinutes, updateCheck } : undefined,
    },
    push: pushOf(settings, first),
    checkEveryMs: intervalSeconds === first.intervalSeconds ? undefined : intervalSeconds * 1000,
    packagesEveryMs: intervalMinutes === first.packages.intervalMinutes ? undefined : intervalMinutes * MINUTE_MS,
    listens: settings.webServer,
  };
}

/** Check data contain only exporters with results. */
function scrapedOf(exporters: AgentSettings['exporters']): readonly string[] {
  return exporters.flatMap(({ name, timeoutSeconds, intervalSeconds }) =>
    timeoutSeconds > intervalSeconds ? [] : [name],
  );
}

/** An agent that is configured for another server than the run's stays silent, because no load may go there. */
function pushOf({ push }: AgentSettings, first: AgentSettings): ReloadSettings['push'] {
  if (push === undefined || first.push === undefined || !leadsTheSameWay(push.url, first.push.url)) return undefined;
  const { timeoutSeconds, apiKey, proxy } = push;
  return {
    timeoutMs: Math.max(0, timeoutSeconds) * 1000,
    apiKey,
    proxy: proxy === first.push.proxy ? undefined : proxy,
  };
}
