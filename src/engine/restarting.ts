import type { Core } from './core.ts';
import { hasResults, startDelayMs } from './first-result.ts';
import { abandon } from './giving-up.ts';
import type { Life, ReloadSettings } from './life.ts';
import { payloadsOf } from './lives.ts';
import type { Return } from './outages.ts';

/** The agent begins anew with these settings: it runs its checks, and all its cadences count from there. */
export function reload(core: Core, agent: number, settings: ReloadSettings): void {
  const { listening } = core.ports;
  if (listening === undefined) throw new Error('only agents that listen can be reloaded');
  const nowMs = core.ports.clock();
  const startMs = nowMs + startDelayMs(settings.listens);
  const payloads = listening.reloaded(core.ports.epochMs() + startMs, settings.configuration);
  const runMs = hasResults(settings) ? payloads.checkRunMs(core.table.fleetIndex(agent)) : Number.POSITIVE_INFINITY;
  const life: Life = { startMs, resultMs: startMs + runMs, settings, payloads, ended: false };
  core.lives.set(agent, life);
  endLife(core, agent);
  if (settings.push !== undefined) core.transport.setApiKey(agent, settings.push.apiKey);
  // An agent whose host is away begins when that is back, and again counts from there.
  core.outages.restarted(agent);
  core.outages.watch(agent, nowMs);
  restartCadences(core, agent, life);
}

/** The agent's process ends for good, unless it is reloaded. */
export function down(core: Core, agent: number): void {
  const life = core.lives.get(agent);
  const nowMs = core.ports.clock();
  const payloads = payloadsOf(core, agent);
  core.lives.set(agent, { startMs: nowMs, resultMs: nowMs, settings: life?.settings, payloads, ended: true });
  endLife(core, agent);
}

export function downAgents({ lives }: Core): number {
  let count = 0;
  for (const { ended } of lives.values()) if (ended) count++;
  return count;
}

/** The agent's host goes down. */
export function hostDown(core: Core, agent: number): void {
  endLife(core, agent);
  if (!core.lives.get(agent)?.ended) core.ports.listening?.hostDown(agent);
}

/** It has booted, and the agent's process has started. */
export function hostUp(core: Core, agent: number): void {
  if (!core.lives.get(agent)?.ended) core.ports.listening?.hostUp(agent);
}

/** The first check run after that is over. */
export function hostBack(core: Core, agent: number, { agentStartMs, resultMs }: Return): void {
  const { lives, outages, ports } = core;
  const life = lives.get(agent);
  const isKnown = life !== undefined || core.pulled;
  const begun: Life = {
    startMs: agentStartMs,
    resultMs: hasResults(life?.settings) ? resultMs : Number.POSITIVE_INFINITY,
    settings: life?.settings,
    payloads: payloadsOf(core, agent),
    ended: life?.ended ?? false,
  };
  if (isKnown) lives.set(agent, begun);
  if (ports.listening !== undefined) outages.watch(agent, resultMs);
  restartCadences(core, agent, begun);
}

function endLife(core: Core, agent: number): void {
  const { table } = core;
  abandon(core, agent);
  table.setLastRun(agent, Number.NaN, Number.NaN);
  // Not where agents have collections of their own.
  if (!Number.isNaN(table.collectedMs(agent))) table.setCollected(agent, Number.POSITIVE_INFINITY);
}

function restartCadences({ schedule }: Core, agent: number, { startMs, resultMs, settings }: Life): void {
  const everyMs = { checkdata: settings?.checkEveryMs, packages: settings?.packagesEveryMs };
  schedule.restart(agent, { agentStartMs: startMs, resultMs, everyMs });
}
