import { timelineEndMs } from '../load/timeline.ts';
import type { Threshold } from '../metrics/judging/thresholds.ts';
import type { Pull, Scenario } from '../scenario/scenario.ts';
import type { RaisedLoad } from './raised-load.ts';
import { type StepTimeline, stepTimeline } from './step-phases.ts';

/** What all steps of a search have in common. */
export type StepPlan = {
  readonly scenario: Scenario;
  readonly raised: RaisedLoad;
  /** How long the load is on before it is measured, and for how long it is measured. */
  readonly settleMs: number;
  readonly sampleMs: number;
  readonly thresholds: readonly Threshold[];
};

/**
 * The scenario of one step at a load. Steps count from 1, and each has a seed of its own: a server that remembers the
 * agents of one step would refuse to register them in the next. A fleet that keeps its identities keeps its seed.
 */
export function stepScenario(plan: StepPlan, number: number, load: number): Scenario {
  const { scenario, raised, thresholds, settleMs, sampleMs } = plan;
  const { fleet, target, incidents } = scenario;
  const agents = raised.kind === 'agents' ? load : fleet.agents;
  const timeline = stepTimeline(scenario.phases, {
    ...{ measured: raised.phase, settleMs, sampleMs },
    ...{ ownAgents: fleet.agents, agents },
    rateGrowth: raised.kind === 'rate' ? load / raised.own : 1,
  });
  const seed = fleet.identities.kind === 'file' ? fleet.seed : fleet.seed + number - 1;
  return {
    ...scenario,
    name: `${scenario.name}-capacity`,
    fleet: { ...fleet, agents, seed },
    phases: timeline.phases,
    thresholds,
    target: {
      ...target,
      faults: movedFaults(scenario, timeline),
      pull: target.pull && movedPull(target.pull, timeline),
    },
    incidents: movedIncidents({ incidents, phases: scenario.phases }, timeline),
  };
}

// What comes after the end of a step is no part of it.
function movedFaults({ target }: Scenario, { moved, phases }: StepTimeline): Scenario['target']['faults'] {
  return target.faults
    .map((fault) => ({ ...fault, atMs: moved(fault.atMs) }))
    .filter(({ atMs }) => atMs < timelineEndMs(phases));
}

/** An incident that lasts to the end of the scenario lasts to the end of the step. */
function movedIncidents(
  { incidents, phases }: Pick<Scenario, 'incidents' | 'phases'>,
  timeline: StepTimeline,
): Scenario['incidents'] {
  const endMs = timelineEndMs(timeline.phases);
  const endOf = (toMs: number) => (toMs >= timelineEndMs(phases) ? endMs : timeline.moved(toMs));
  return incidents
    .map((incident) => ({ ...incident, fromMs: timeline.moved(incident.fromMs), toMs: endOf(incident.toMs) }))
    .filter(({ fromMs }) => fromMs < endMs);
}

function movedPull(pull: Pull, { moved, phases }: StepTimeline): Pull {
  if (pull.configAtMs === undefined) return pull;
  const configAtMs = moved(pull.configAtMs);
  return configAtMs < timelineEndMs(phases)
    ? { ...pull, configAtMs }
    : { ...pull, configAtMs: undefined, configFile: undefined };
}
