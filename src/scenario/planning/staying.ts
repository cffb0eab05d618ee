import { UserError } from '../../base/kernel/errors.ts';
import { DAY_MS } from '../../base/kernel/units.ts';
import { type FleetEvent, TRAITS } from '../../load/events/event.ts';
import { occurrencesIn } from '../../load/events/occurrences.ts';
import { rateAt } from '../../load/pacers.ts';
import { type Load, type LoadModel, type Phase, timelineEndMs, traceOf } from '../../load/timeline.ts';
import { isNamed } from '../cohorts.ts';
import type { Scenario } from '../scenario.ts';

/**
 * The scenario of a kept fleet: the last phase, and events that last to the end of the run, never end. It has no thresholds, and no cohorts
 * that only they select.
 * @throws UserError if the last phase has no continuous load, or if hosts' clocks differ from real time
 */
export function keptScenario(scenario: Scenario): Scenario {
  const { phases, hostClock } = scenario;
  if (hostClock !== undefined)
    throw new UserError(
      "A kept fleet runs in real time: expected no hostClock in the scenario, found one; remove it, or use 'muster run'.",
    );
  const endMs = timelineEndMs(phases);
  const last = phases.at(-1);
  if (last !== undefined) assertEndless(last, scenario);
  const openEnd = (event: FleetEvent): FleetEvent =>
    event.toMs === Math.max(event.fromMs, endMs) && event.toMs > event.fromMs
      ? { ...event, toMs: Number.POSITIVE_INFINITY }
      : event;
  return {
    ...scenario,
    phases: phases.map((phase) => (phase === last ? { ...phase, durationMs: Number.POSITIVE_INFINITY } : phase)),
    events: scenario.events.map(openEnd),
    cohorts: scenario.cohorts.filter(isNamed),
    thresholds: [],
  };
}

function assertEndless({ name, loads }: Phase, { webServer }: Scenario): void {
  const refuse = (found: string) => {
    const expected = 'a continuous load, such as checkdata: { every: 30s }';
    throw new UserError(
      `The last phase of a kept fleet never ends: expected ${expected} in ${name}, found ${found}; add such a load or a last phase with one.`,
    );
  };
  const goesOn = loads.some(({ operation }) => operation !== 'register');
  if (traceOf({ loads }) !== undefined) refuse('a trace, which ends');
  if (!goesOn && webServer === undefined) refuse(loads.length === 0 ? 'no load' : 'register alone');
}

/**
 * The rest of a scenario after `elapsedMs`, for restarting a fleet. Times count from then, so past events that still have an
 * effect have negative times. Past phases, and events without any remaining effect, are removed.
 */
export function scenarioSince(scenario: Scenario, elapsedMs: number): Scenario {
  if (elapsedMs === 0) return scenario;
  const { phases, events, target, fleet } = scenario;
  return {
    ...scenario,
    target: { ...target, faults: faultsSince(target.faults, elapsedMs), pull: pullSince(target.pull, elapsedMs) },
    fleet: { ...fleet, start: 'standing' },
    phases: phases
      .filter(({ startMs, durationMs }) => startMs + durationMs > elapsedMs)
      .map((phase) => phaseSince(phase, elapsedMs)),
    events: events.filter((event) => hasEffect(event, elapsedMs)).map((event) => eventSince(event, elapsedMs)),
  };
}

function phaseSince(phase: Phase, elapsedMs: number): Phase {
  const overMs = Math.max(0, elapsedMs - phase.startMs);
  return {
    ...phase,
    startMs: Math.max(0, phase.startMs - elapsedMs),
    durationMs: phase.durationMs - overMs,
    loads: phase.loads.map((load): Load => ({ ...load, model: modelSince(load.model, overMs, elapsedMs) })),
  };
}

function modelSince(model: LoadModel, overMs: number, elapsedMs: number): LoadModel {
  switch (model.kind) {
    case 'cadence': {
      // Once all of a load's agents have had their first arrival, they are a standing fleet on the same grids.
      const standing = model.standing || overMs >= model.spreadMs + model.firstMs + model.everyMs;
      return { ...model, standing, originMs: model.originMs - elapsedMs };
    }
    case 'curve': {
      const later = model.curve.filter(({ atMs }) => atMs > overMs);
      const shifted = later.map(({ atMs, perSecond }) => ({ atMs: atMs - overMs, perSecond }));
      return { ...model, curve: [{ atMs: 0, perSecond: rateAt(model.curve, overMs) }, ...shifted] };
    }
    case 'trace':
      return { ...model, fromMs: model.fromMs + overMs * model.speed };
    default:
      return model;
  }
}

/** Traces of past events disappear with the monthly reboots and updates of a host, after 92 days at the latest. */
const TRACES_MS = 92 * DAY_MS;

/** Whether an event still has an effect or is pending. */
function hasEffect(event: FleetEvent, elapsedMs: number): boolean {
  if (TRAITS[event.action.kind].isPermanent) return true;
  const { untilMs = Number.POSITIVE_INFINITY } = event;
  const since = elapsedMs - TRACES_MS;
  return untilMs > since && occurrencesIn(event, { fromMs: since, toMs: Number.POSITIVE_INFINITY }, 1).length > 0;
}

/** The event with times relative to `elapsedMs`. */
export function eventSince(event: FleetEvent, elapsedMs: number): FleetEvent {
  const { untilMs, fromMs, toMs } = event;
  return {
    ...event,
    fromMs: fromMs - elapsedMs,
    toMs: toMs - elapsedMs,
    ...(untilMs !== undefined && { untilMs: untilMs - elapsedMs }),
  };
}

type Faults = Scenario['target']['faults'];

/** A past `forget` is not repeated: the registrations that it deleted stay deleted across a restart. */
function faultsSince(faults: Faults, elapsedMs: number): Faults {
  return faults.flatMap((fault): Faults => {
    const atMs = fault.atMs - elapsedMs;
    if (atMs >= 0) return [{ ...fault, atMs }];
    if (fault.do === 'forget') return [];
    if (fault.forMs === undefined) return [{ ...fault, atMs: 0 }];
    return fault.forMs + atMs > 0 ? [{ ...fault, atMs: 0, forMs: fault.forMs + atMs }] : [];
  });
}

type Pull = Scenario['target']['pull'];

/** A past configuration push is not repeated, because agents keep their configuration. */
function pullSince(pull: Pull, elapsedMs: number): Pull {
  if (pull?.configAtMs === undefined) return pull;
  const configAtMs = pull.configAtMs - elapsedMs;
  return configAtMs >= 0 ? { ...pull, configAtMs } : { ...pull, configAtMs: undefined, configFile: undefined };
}
