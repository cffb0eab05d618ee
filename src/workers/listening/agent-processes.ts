import { isDeepStrictEqual } from 'node:util';
import { shown } from '../../agent/configuration/ini.ts';
import { settingsFrom, storedDocuments } from '../../agent/configuration/read-settings.ts';
import type { AgentSettings } from '../../agent/configuration/settings.ts';
import { proxyOf } from '../../agent/proxy.ts';
import type { Engine } from '../../engine/engine.ts';
import type { ReloadSettings } from '../../engine/reconfigurations.ts';
import { isAllowedHost } from '../../kernel/address.ts';
import { MINUTE_MS } from '../../kernel/units.ts';
import type { AgentFileTexts } from '../../protocol/agent-files.ts';
import type { WebServerSetup } from '../../web-server/ports.ts';
import { knownTlsMode, tlsModeOf } from '../../web-server/tls/tls-mode.ts';
import type { WebServers } from '../../web-server/web-servers.ts';
import type { Disks } from './disks.ts';

/** The agents of a shard as processes on their hosts: each reads its files when it starts, and may end over them. */
export type AgentProcesses = {
  /** Listens for every agent that does; throws `UserError` if one cannot. */
  readonly open: () => Promise<void>;
  /** The run has started: agents that were given configurations, in earlier runs or just now, begin with them. */
  readonly begin: () => void;
  /** Files of the agent have changed, and it starts anew with them. */
  readonly reload: (agent: number) => void;
  /** The agent's process ends, for a reason in one sentence. */
  readonly end: (agent: number, reason: string) => void;
  readonly hostDown: (agent: number) => void;
  readonly hostUp: (agent: number) => void;
  /** What the agent runs with; not what it would read now. */
  readonly settingsOf: (agent: number) => AgentSettings;
  readonly firstSettingsOf: (agent: number) => AgentSettings;
  /** Why agents are down, by number. */
  readonly down: ReadonlyMap<number, string>;
};

export type AgentProcessesInput = {
  readonly agents: number;
  readonly disks: Disks;
  /** What an agent is configured with before anybody pushes a configuration to it. */
  readonly firstSettings: (agent: number) => AgentSettings;
  readonly bounds: Bounds;
  readonly webServers: () => WebServers;
  readonly engine: () => Pick<Engine, 'reload' | 'down'>;
  /** What is due next may have changed. */
  readonly wake: () => void;
};

/** Hosts beyond loopback that a configuration may name. */
export type Bounds = {
  /** Where agents may listen. */
  readonly listen: readonly string[];
  /** Through which proxies they may send. */
  readonly proxies: readonly string[];
};

type Start =
  | { readonly kind: 'runs'; readonly settings: AgentSettings; readonly setup: WebServerSetup | undefined }
  | { readonly kind: 'ends'; readonly reason: string };

export function createAgentProcesses(input: AgentProcessesInput): AgentProcesses {
  const { agents, disks, firstSettings, bounds, webServers, engine, wake } = input;
  /** Of agents whose settings are not their first ones. */
  const settings = new Map<number, AgentSettings>();
  const down = new Map<number, string>();
  const settingsOf = (agent: number) => settings.get(agent) ?? firstSettings(agent);
  const start = starter(disks, firstSettings, bounds);
  /** Hosts that are down: what was asked of an agent before may be over only now. */
  const away = new Set<number>();
  // Ports are open before the run starts: the engine knows no instant then, and learns of everything at the start.
  let hasBegun = false;
  const listen = (agent: number, setup: WebServerSetup | undefined) =>
    webServers().apply(agent, away.has(agent) ? undefined : setup);
  const end = (agent: number, reason: string) => {
    down.set(agent, reason);
    webServers().apply(agent, undefined);
    if (!hasBegun) return;
    engine().down(agent);
    wake();
  };
  const runWith = (agent: number, began: Extract<Start, { kind: 'runs' }>) => {
    down.delete(agent);
    settings.set(agent, began.settings);
    if (!hasBegun) return;
    engine().reload(agent, reloadSettings(began.settings, firstSettings(agent)));
    wake();
  };
  return {
    open: () => webServers().open(setups(agents, start)),
    begin: () => {
      hasBegun = true;
      for (const [agent, reason] of down) end(agent, reason);
      for (const agent of disks.agents()) {
        if (down.has(agent) || storedDocuments(disks.filesOf(agent)) === undefined) continue;
        const began = start(agent);
        if (began.kind === 'ends') end(agent, began.reason);
        else runWith(agent, began);
      }
    },
    reload: (agent) => {
      const began = start(agent);
      if (began.kind === 'ends') return end(agent, began.reason);
      listen(agent, began.setup);
      runWith(agent, began);
    },
    end,
    hostDown: (agent) => {
      away.add(agent);
      webServers().close(agent);
    },
    hostUp: (agent) => {
      away.delete(agent);
      const began = start(agent);
      if (began.kind === 'ends') end(agent, began.reason);
      else listen(agent, began.setup);
    },
    settingsOf,
    firstSettingsOf: firstSettings,
    down,
  };
}

/** Those of agents that listen at the start. */
function* setups(agents: number, start: (agent: number) => Start): Iterable<readonly [number, WebServerSetup]> {
  for (let agent = 0; agent < agents; agent++) {
    const began = start(agent);
    if (began.kind === 'runs' && began.setup !== undefined) yield [agent, began.setup];
  }
}

/**
 * Starts an agent's process with its stored files. The control plane has checked the files of earlier
 * runs for TLS; only files stored from now on need a check.
 */
function starter(
  disks: Disks,
  firstSettings: (agent: number) => AgentSettings,
  bounds: Bounds,
): (agent: number) => Start {
  const known = new WeakSet(disks.agents().map(disks.filesOf));
  // What is stored makes new files of an agent's; until then it starts as it did before.
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
    ...{ configPush, autoTls, tls: mode.kind === 'tls' ? mode.setup : undefined },
  };
  return { kind: 'runs', settings, setup };
}

/**
 * The real agent listens wherever it is told, and sends through any proxy; here nobody may open one to the world, or load another
 * machine with one, whom the user has not allowed it.
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
  // Left empty, it is every address of this machine.
  const address = host === '' ? '0.0.0.0' : host;
  if (isAllowedHost(address, allowListen)) return start;
  return {
    kind: 'ends',
    reason:
      `Its configuration makes it listen on ${shown(address)}, which other machines can reach: ` +
      `if that is intended, add ${shown(address)} to webServer.allowListen or pass it to --allow-listen.`,
  };
}

/** What an agent's settings mean to the engine, beside those it had first: what they do not change stays the fleet's. */
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

/** Check data name those of which there is a result. */
function scrapedOf(exporters: AgentSettings['exporters']): readonly string[] {
  return exporters.flatMap(({ name, timeoutSeconds, intervalSeconds }) =>
    timeoutSeconds > intervalSeconds ? [] : [name],
  );
}

/** An agent that is configured for another server than the run's is silent: no load may go there. */
function pushOf({ push }: AgentSettings, first: AgentSettings): ReloadSettings['push'] {
  if (push === undefined || push.url !== first.push?.url) return undefined;
  const { timeoutSeconds, apiKey, proxy } = push;
  return {
    timeoutMs: Math.max(0, timeoutSeconds) * 1000,
    apiKey,
    proxy: proxy === first.push.proxy ? undefined : proxy,
  };
}
