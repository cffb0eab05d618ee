import { wholeMicroseconds } from '../kernel/units.ts';
import { type Load, type LoadModel, type Phase, timelineEndMs } from '../load/timeline.ts';
import { isRepeated, type RaisedLoad, rateOf } from './raised-load.ts';

/** How the timeline of a scenario is made that of a step. */
export type StepTimes = {
  readonly measured: RaisedLoad['phase'];
  readonly settleMs: number;
  readonly sampleMs: number;
  /** Agents of the scenario, and of the step. */
  readonly ownAgents: number;
  readonly agents: number;
  /** By how much the rates of the measured phase are multiplied. */
  readonly rateGrowth: number;
};

export type StepTimeline = {
  readonly phases: readonly Phase[];
  /** Where an instant of the scenario comes to lie: at the same place of its phase. */
  readonly moved: (instantMs: number) => number;
};

/** The phases before the measured one, not counted, then its load until it has settled, then the sample. */
export function stepTimeline(phases: readonly Phase[], times: StepTimes): StepTimeline {
  const { measured, settleMs, sampleMs } = times;
  const kept = phases.slice(0, phases.indexOf(measured) + 1);
  const placed: Phase[] = [];
  for (const phase of kept.slice(0, -1)) {
    placed.push({ ...phase, excluded: true, startMs: timelineEndMs(placed), durationMs: durationOf(phase, times) });
  }
  const startsMs = [...placed.map(({ startMs }) => startMs), timelineEndMs(placed)];
  const moved = (instantMs: number): number => {
    const index = Math.max(
      0,
      kept.findLastIndex(({ startMs }) => startMs <= instantMs),
    );
    return wholeMicroseconds((startsMs[index] ?? 0) + instantMs - (kept[index]?.startMs ?? 0));
  };
  const fitted = ({ operation, model }: Load): Load => ({ operation, model: modelOf(model, times.agents, moved) });
  const before = placed.map((phase) => ({ ...phase, loads: phase.loads.map(fitted) }));
  const loads = measured.loads.map((load) => fitted(raised(load, times.rateGrowth)));
  const settle = {
    name: nameOfSettling(kept),
    startMs: timelineEndMs(before),
    durationMs: settleMs,
    excluded: true,
    loads,
  };
  const settling = settleMs > 0 ? [...before, settle] : before;
  const sample = {
    ...measured,
    startMs: timelineEndMs(settling),
    durationMs: sampleMs,
    loads: loads.filter(isRepeated),
  };
  return { phases: [...settling, sample], moved };
}

/** The rate of registrations stays, so a larger fleet takes longer to register. */
function durationOf({ durationMs, loads }: Phase, { agents, ownAgents }: StepTimes): number {
  return loads.every(isRepeated) ? durationMs : Math.ceil(wholeMicroseconds((durationMs * agents) / ownAgents));
}

/** A rate that changes has no one load that holds: it stays where it starts. */
function raised(load: Load, rateGrowth: number): Load {
  const ratePerSecond = rateOf(load.model) * rateGrowth;
  if (!isRepeated(load) || ratePerSecond === 0) return load;
  return { ...load, model: { kind: 'rate', ratePerSecond, limit: undefined } };
}

/** A cadence begins where its phase does; a registration asks every agent once. */
function modelOf(model: LoadModel, agents: number, moved: StepTimeline['moved']): LoadModel {
  if (model.kind === 'cadence') return { ...model, originMs: moved(model.originMs) };
  return model.limit === undefined ? model : { ...model, limit: agents };
}

function nameOfSettling(phases: readonly Phase[]): string {
  const names = phases.map(({ name }) => name);
  let name = 'settle';
  while (names.includes(name)) name += '-again';
  return name;
}
