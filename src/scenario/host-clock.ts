import { z } from 'zod';
import { formatDuration, wholeMicroseconds } from '../ground/kernel/units.ts';
import { type Finding, onValue, type Path } from '../ground/notation/finding.ts';
import type { Instant } from '../ground/notation/instant.ts';
import { wholeNumberFrom } from '../ground/notation/quantities.ts';
import { section } from '../ground/notation/section.ts';
import { OPERATIONS } from '../ground/protocol/operations.ts';
import { clockFactor, type HostClock, TIME_OF_DAY } from '../load/host-clock.ts';
import { type LoadModel, type Phase, timelineEndMs } from '../load/timeline.ts';
import type { EntryFile } from './events.ts';
import type { PhaseFile } from './phases.ts';
import type { PullFile } from './pull.ts';
import type { PartialList } from './reading/read-part.ts';
import type { Scenario, ScenarioEvent } from './scenario.ts';
import type { TargetFile } from './target.ts';

const START = 'a time of the day such as 06:00, or an instant such as 2026-11-24T00:00:00Z';
const INSTANT = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{1,3})?Z$/;

/** `Date.parse` takes February 30 for March 2, and 24:00 for the next day. */
function isInstant(text: string): boolean {
  const unixMs = INSTANT.test(text) ? Date.parse(text) : Number.NaN;
  return !Number.isNaN(unixMs) && new Date(unixMs).toISOString().slice(0, 13) === text.slice(0, 13);
}

// A day in three minutes.
const HIGHEST_FACTOR = 480;

export const hostClock = section({
  factor: wholeNumberFrom(1, HIGHEST_FACTOR)
    .default(1)
    .meta({
      description:
        "Speed of the hosts' clocks relative to real time, up to 480; 144 plays a day in ten minutes. Durations of phases, points of curves, `over`, and the times of events and faults use these clocks. Traffic stays in real time: rates, `every`, `first`, timeouts, latencies and conditions.",
      examples: [144, 24],
    }),
  start: z
    .string(START)
    .refine((text) => TIME_OF_DAY.test(text) || isInstant(text), START)
    .optional()
    .meta({
      description:
        'What the clocks show at the start of the run, in UTC: a time of day, or an instant. Left out: real time.',
      examples: ['00:00', '2026-11-24T06:00:00Z'],
    }),
})
  .optional()
  .meta({
    description: 'Clocks of the hosts, to play a day in ten minutes. Left out: real time.',
    examples: [{ factor: 144, start: '00:00' }],
  });

export type HostClockFile = z.output<typeof hostClock>;

export function hostClockOf(file: HostClockFile): HostClock | undefined {
  return file && { factor: file.factor, start: file.start };
}

type TimedFile = {
  readonly phases: readonly PhaseFile[];
  readonly events: readonly EntryFile[];
  readonly target: TargetFile;
};

/** The readable parts of a file with the hosts' times. */
export type PartialTimes = {
  readonly hostClock?: Partial<NonNullable<HostClockFile>> | undefined;
  readonly phases?: PartialList<PhaseFile>;
  readonly events?: PartialList<EntryFile>;
  readonly target?: {
    readonly faults?: PartialList<TargetFile['faults'][number]>;
    readonly pull?: Partial<PullFile>;
  };
};

/** Times that would be rounded, so that a curve would lose points, and a short time would become zero. */
export function hostTimeFindings(file: PartialTimes): readonly Finding[] {
  if ((file.hostClock?.factor ?? 1) === 1) return [];
  return hostTimes(file).flatMap(({ path, milliseconds = 0 }) => {
    const rounded = wholeMicroseconds(milliseconds);
    if (Number.isInteger(rounded)) return [];
    return [onValue(path, "whole milliseconds, the resolution of the hosts' clocks", formatDuration(rounded))];
  });
}

type HostTime = { readonly path: Path; readonly milliseconds: number | undefined };

function hostTimes({
  phases = [],
  events = [],
  target: { faults = [], pull } = {},
}: PartialTimes): readonly HostTime[] {
  return [
    ...phases.flatMap((phase, index) =>
      below(
        ['phases', index],
        [
          { path: ['duration'], milliseconds: phase?.duration },
          ...OPERATIONS.flatMap((operation) => below([operation], timesOfLoad(phase?.[operation]))),
        ],
      ),
    ),
    ...events.flatMap((entry, index) => below(['events', index], timesOfEntry(entry ?? {}))),
    ...faults.flatMap((fault, index) => below(['target', 'faults', index], timesOfEntry(fault ?? {}))),
    { path: ['target', 'pull', 'configAt'], milliseconds: pull?.configAt?.offsetMs },
  ];
}

function below(path: Path, times: readonly HostTime[]): readonly HostTime[] {
  return times.map((time) => ({ ...time, path: [...path, ...time.path] }));
}

function timesOfLoad(load: LoadFile | undefined): readonly HostTime[] {
  if (load?.kind === 'over') return [{ path: ['over'], milliseconds: load.overMs }];
  if (load?.kind !== 'points') return [];
  return load.points.map(({ atMs }) => ({ path: ['rate'], milliseconds: atMs }));
}

type Timed = {
  readonly at?: Instant;
  readonly for?: number | undefined;
  readonly over?: number;
  readonly repeat?: { readonly every: number };
};

function timesOfEntry({ at, for: lasts, over, repeat }: Timed): readonly HostTime[] {
  return [
    { path: ['at'], milliseconds: at?.offsetMs },
    { path: ['for'], milliseconds: lasts },
    { path: ['over'], milliseconds: over },
    { path: ['repeat', 'every'], milliseconds: repeat?.every },
  ];
}

/** Converts the hosts' times in a parsed file to run times. */
export function inRunTime<File extends TimedFile>(file: File, clock: HostClock | undefined): File {
  if (clock === undefined || clock.factor === 1) return file;
  const { factor } = clock;
  const at = (instant: Instant): Instant => ({ ...instant, offsetMs: instant.offsetMs / factor });
  const { pull, faults } = file.target;
  return {
    ...file,
    phases: file.phases.map((phase) => phaseInRunTime(phase, factor)),
    events: file.events.map((entry) => entryInRunTime(entry, at, factor)),
    target: {
      ...file.target,
      faults: faults.map((fault) => ({
        ...fault,
        at: at(fault.at),
        ...('for' in fault && fault.for !== undefined && { for: fault.for / factor }),
      })),
      ...(pull?.configAt && { pull: { ...pull, configAt: at(pull.configAt) } }),
    },
  };
}

function phaseInRunTime(phase: PhaseFile, factor: number): PhaseFile {
  const { duration, register, authorize, checkdata, packages } = phase;
  return {
    ...phase,
    ...(duration !== undefined && { duration: duration / factor }),
    ...(register && { register: loadInRunTime(register, factor) }),
    ...(authorize && { authorize: loadInRunTime(authorize, factor) }),
    ...(checkdata && { checkdata: loadInRunTime(checkdata, factor) }),
    ...(packages && { packages: loadInRunTime(packages, factor) }),
  };
}

type LoadFile = NonNullable<PhaseFile['register']> | NonNullable<PhaseFile['checkdata']>;

function loadInRunTime<Model extends LoadFile>(load: Model, factor: number): Model {
  if (load.kind === 'over') return { ...load, overMs: load.overMs / factor };
  if (load.kind !== 'points') return load;
  return { ...load, points: load.points.map((point) => ({ ...point, atMs: point.atMs / factor })) };
}

function entryInRunTime(entry: EntryFile, at: (instant: Instant) => Instant, factor: number): EntryFile {
  if (entry.do === 'end') return { ...entry, at: at(entry.at) };
  const { over, repeat } = entry;
  return {
    ...{ ...entry, at: at(entry.at) },
    ...('for' in entry && entry.for !== undefined && { for: entry.for / factor }),
    ...(over !== undefined && { over: over / factor }),
    ...(repeat !== undefined && { repeat: { ...repeat, every: repeat.every / factor } }),
  };
}

/** Converts the run times of a scenario to the hosts' times, to format it as a file. */
export function inHostTime(scenario: Scenario): Scenario {
  const factor = clockFactor(scenario.hostClock);
  return factor === 1 ? scenario : withTimes(scenario, (milliseconds) => Math.round(milliseconds * factor));
}

/** Rounds times to whole milliseconds on the hosts' clocks, so that a formatted scenario has the times that were written. */
export function onHostClock(scenario: Scenario): Scenario {
  const factor = clockFactor(scenario.hostClock);
  return factor === 1 ? scenario : withTimes(scenario, (milliseconds) => Math.round(milliseconds * factor) / factor);
}

function withTimes(scenario: Scenario, moved: Move): Scenario {
  const { events, target } = scenario;
  const phases = scenario.phases.map((phase) => phaseMoved(phase, moved));
  const [endMs, movedEndMs] = [timelineEndMs(scenario.phases), timelineEndMs(phases)];
  // Events that last to the end of the run must still do so.
  const moveOrEnd = (milliseconds: number): number => {
    const movedMs = moved(milliseconds);
    return movedMs === moved(endMs) ? movedEndMs : movedMs;
  };
  return {
    ...{ ...scenario, phases },
    events: events.map((event) => eventMoved(event, moveOrEnd)),
    target: {
      ...target,
      faults: target.faults.map((fault) => ({
        ...{ ...fault, atMs: moved(fault.atMs) },
        ...('forMs' in fault && fault.forMs !== undefined && { forMs: moved(fault.forMs) }),
      })),
      ...(target.pull?.configAtMs !== undefined && {
        pull: { ...target.pull, configAtMs: moved(target.pull.configAtMs) },
      }),
    },
  };
}

type Move = (milliseconds: number) => number;

function phaseMoved(phase: Phase, moved: Move): Phase {
  return {
    ...{ ...phase, startMs: moved(phase.startMs), durationMs: moved(phase.durationMs) },
    loads: phase.loads.map((load) => ({ ...load, model: modelMoved(load.model, moved) })),
  };
}

function modelMoved(model: LoadModel, moved: Move): LoadModel {
  if (model.kind !== 'curve') return model;
  const [first, ...others] = model.curve;
  const at = <Point extends { readonly atMs: number }>(point: Point): Point => ({
    ...point,
    atMs: moved(point.atMs),
  });
  return { ...model, curve: [at(first), ...others.map(at)] };
}

function eventMoved(event: ScenarioEvent, moved: Move): ScenarioEvent {
  const { fromMs, toMs, overMs, untilMs, repeat } = event;
  return {
    ...{ ...event, fromMs: moved(fromMs), toMs: moved(toMs), overMs: moved(overMs) },
    ...(untilMs !== undefined && { untilMs: moved(untilMs) }),
    ...(repeat !== undefined && { repeat: { ...repeat, everyMs: moved(repeat.everyMs) } }),
  };
}
