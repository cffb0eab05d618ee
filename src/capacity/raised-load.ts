import { UserError } from '../base/kernel/errors.ts';
import type { MachineLimits } from '../base/system/limits.ts';
import { WHOLE_FLEET } from '../load/shard.ts';
import { type Load, type Phase, traceOf } from '../load/timeline.ts';
import { isPullMode } from '../scenario/agents.ts';
import { MAX_AGENTS } from '../scenario/hosts.ts';
import { listenersIn } from '../scenario/listen-range.ts';
import { fleetSizeOf } from '../scenario/planning/fleet-size.ts';
import { needsOf, placeOf } from '../scenario/planning/needs.ts';
import type { Scenario } from '../scenario/scenario.ts';

/** What a capacity search raises. */
export type RaisedKind = 'agents' | 'rate';

/** The load of a scenario that a capacity search raises, and the phase in which it is measured. */
export type RaisedLoad = {
  readonly kind: RaisedKind;
  /** In the scenario: agents, or operations per second of all loads with a rate in the phase. */
  readonly scenarioLoad: number;
  readonly phase: Phase;
};

/**
 * Selects what to raise. The measured phase is the last counted one with a load other than registrations, or, in pull mode, the last
 * counted one. With an interval the number of agents is raised, with a rate the rate.
 * @throws UserError if there is nothing to raise.
 */
export function raisedLoadOf(scenario: Scenario, forced: RaisedKind | undefined): RaisedLoad {
  const { phases, fleet } = scenario;
  const isPulled = isPullMode(scenario);
  const phase = phases.findLast(({ excluded, loads }) => !excluded && (isPulled || loads.some(isRepeated)));
  if (phase === undefined) {
    throw new UserError(
      'A capacity search measures the last counted phase with authorize, checkdata or packages; the scenario has none.',
    );
  }
  const kind = forced ?? usualKind(phase, isPulled);
  if (kind === 'agents') return { kind, scenarioLoad: fleet.agents, phase };
  const scenarioLoad = phase.loads.filter(isRepeated).reduce((sum, { model }) => sum + rateOf(model), 0);
  if (scenarioLoad > 0) return { kind, scenarioLoad, phase };
  throw new UserError(
    `The phase ${phase.name} has no load with a rate to raise; use --raise agents to raise the number of agents.`,
  );
}

/** Registrations occur once per agent, so they follow the number of agents. */
export function isRepeated({ operation }: Load): boolean {
  return operation !== 'register';
}

/** The first positive value of a rate; 0 for a load without a rate. */
export function rateOf(model: Load['model']): number {
  if (model.kind === 'rate') return model.ratePerSecond;
  return model.kind === 'curve' ? (model.curve.find(({ perSecond }) => perSecond > 0)?.perSecond ?? 0) : 0;
}

function usualKind({ name, loads }: Phase, isPulled: boolean): RaisedKind {
  if (isPulled || loads.some(({ model }) => model.kind === 'cadence')) return 'agents';
  if (loads.some((load) => isRepeated(load) && rateOf(load.model) > 0)) return 'rate';
  const found = traceOf({ loads }) === undefined ? 'closed load (concurrency), whose throughput' : 'trace, whose load';
  throw new UserError(
    `The phase ${name} has a ${found} muster run measures; a capacity search needs every or rate in this phase.`,
  );
}

/** The number of agents that fit on this machine and on the addresses of the web servers; 0 if not even one fits. */
export function mostAgents(scenario: Scenario, limits: MachineLimits): number {
  let [fits, beyond] = [0, MAX_AGENTS + 1];
  while (beyond - fits > 1) {
    const middle = Math.floor((fits + beyond) / 2);
    if (hasRoomFor(middle, scenario, limits)) fits = middle;
    else beyond = middle;
  }
  return fits;
}

function hasRoomFor(agents: number, scenario: Scenario, limits: MachineLimits): boolean {
  const { fleet, webServer, target } = scenario;
  if (webServer !== undefined && agents > listenersIn(webServer.listen)) return false;
  const size = fleetSizeOf({ ...scenario, fleet: { ...fleet, agents } }, WHOLE_FLEET);
  return needsOf(size, placeOf(target), limits).every(({ isEnough }) => isEnough);
}
