import { z } from 'zod';
import { formatDuration, wholeMicroseconds } from '../base/kernel/units.ts';
import { unixMsOf } from '../base/notation/date.ts';
import { type Finding, type Path, valueFinding } from '../base/notation/finding.ts';
import { wholeNumberFrom } from '../base/notation/quantities.ts';
import { section } from '../base/notation/section.ts';
import { OPERATIONS } from '../base/protocol/operations.ts';
import type { FleetEvent } from '../load/events/event.ts';
import { clockFactor, type HostClock, TIME_OF_DAY } from '../load/host-clock.ts';
import { type Phase, timelineEndMs } from '../load/timeline.ts';
import type { EntryFile } from './events.ts';
import type { PhaseFile } from './phases.ts';
import type { Scenario } from './scenario.ts';
import type { Target, TargetFile } from './target.ts';

const START = 'a time of the day such as 06:00, or an instant such as 2026-11-24T00:00:00Z';

// A day in three minutes.
const MAX_FACTOR = 480;

export const hostClock = section({
  factor: wholeNumberFrom(1, MAX_FACTOR)
    .default(1)
    .meta({
      description:
        "Speed of the hosts' clocks: 144 plays a day in ten minutes. Durations of phases, points of curves, `over`, and the times of events and faults use these clocks. Traffic stays in real time: rates, `every`, `first`, timeouts, latencies and conditions.",
      examples: [144, 24],
    }),
  start: z
    .string(START)
    .refine((text) => TIME_OF_DAY.test(text) || unixMsOf(text) !== undefined, START)
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

/** Which numbers of a value are times on the hosts' clocks. A list has the times of each of its entries. */
type TimesIn<Value> = Value extends number
  ? 'time'
  : Value extends readonly (infer Entry)[]
    ? readonly [TimesIn<NonNullable<Entry>>]
    : Value extends object
      ? { readonly [Key in keyof Value]?: TimesIn<NonNullable<Value[Key]>> }
      : never;

/** The parts of a file that have times on the hosts' clocks. */
type TimedFile = {
  readonly phases: readonly PhaseFile[];
  readonly events: readonly EntryFile[];
  readonly target: TargetFile;
};

const LOAD_TIMES: TimesIn<NonNullable<PhaseFile['register']>> = { over: 'time', rate: { points: [{ atMs: 'time' }] } };
const WINDOW_TIMES = { at: { offsetMs: 'time' }, for: 'time' } as const;

const FILE_TIMES: TimesIn<TimedFile> = {
  phases: [{ duration: 'time', ...Object.fromEntries(OPERATIONS.map((operation) => [operation, LOAD_TIMES])) }],
  events: [{ ...WINDOW_TIMES, over: 'time', repeat: { every: 'time' } }],
  target: { faults: [WINDOW_TIMES], pull: { configAt: { offsetMs: 'time' } } },
};

const PHASE_TIMES: TimesIn<Phase> = {
  startMs: 'time',
  durationMs: 'time',
  loads: [{ model: { curve: [{ atMs: 'time' }] } }],
};
const EVENT_TIMES: TimesIn<FleetEvent> = {
  fromMs: 'time',
  toMs: 'time',
  overMs: 'time',
  untilMs: 'time',
  repeat: { everyMs: 'time' },
};
const TARGET_TIMES: TimesIn<Target> = { faults: [{ atMs: 'time', forMs: 'time' }], pull: { configAtMs: 'time' } };

/** Any of the tables above. */
type Times = 'time' | readonly [each: Times] | { readonly [key: string]: Times };

/** The value with its times converted; absent ones stay absent. */
function withTimes<Value>(
  value: Value,
  times: TimesIn<Value>,
  convert: (milliseconds: number, path: Path) => number,
): Value {
  const converted = (part: unknown, own: Times, path: Path): unknown => {
    if (own === 'time') return typeof part === 'number' ? convert(part, path) : part;
    if (typeof part !== 'object' || part === null) return part;
    if (Array.isArray(part)) {
      const [each] = own as readonly [Times];
      return part.map((entry, index) => converted(entry, each, [...path, index]));
    }
    const members = Object.entries(part).flatMap(([key, member]) => {
      const times = (own as Readonly<Record<string, Times>>)[key];
      return times === undefined ? [] : [[key, converted(member, times, [...path, key])] as const];
    });
    return { ...part, ...Object.fromEntries(members) };
  };
  return converted(value, times as Times, []) as Value;
}

/** The readable parts of a file with the hosts' times. */
export type PartialTimes = { readonly hostClock?: Partial<NonNullable<HostClockFile>> | undefined };

/** Times that would be rounded, so that a curve would lose points, and a short time would become zero. */
export function hostTimeFindings(file: PartialTimes): readonly Finding[] {
  if ((file.hostClock?.factor ?? 1) === 1) return [];
  const findings: Finding[] = [];
  withTimes(file as TimedFile, FILE_TIMES, (milliseconds, path) => {
    const rounded = wholeMicroseconds(milliseconds);
    const expected = "whole milliseconds, the resolution of the hosts' clocks";
    if (!Number.isInteger(rounded))
      findings.push(valueFinding(serializedPath(path), expected, formatDuration(rounded)));
    return milliseconds;
  });
  return findings;
}

/** The path of the text that a time was read from. */
function serializedPath(path: Path): Path {
  const curve = path.indexOf('points');
  return curve >= 0 ? path.slice(0, curve) : path.filter((key) => key !== 'offsetMs');
}

/** Converts the hosts' times in a parsed file to run times. */
export function inRunTime<File extends TimedFile>(file: File, clock: HostClock | undefined): File {
  const factor = clockFactor(clock);
  if (factor === 1) return file;
  return { ...file, ...withTimes<TimedFile>(file, FILE_TIMES, (milliseconds) => milliseconds / factor) };
}

/** Converts the run times of a scenario to the hosts' times, to format it as a file. */
export function inHostTime(scenario: Scenario): Scenario {
  const factor = clockFactor(scenario.hostClock);
  return factor === 1 ? scenario : scenarioWithTimes(scenario, (milliseconds) => Math.round(milliseconds * factor));
}

/** Rounds times to whole milliseconds on the hosts' clocks, so that a formatted scenario has the times that were written. */
export function onHostClock(scenario: Scenario): Scenario {
  const factor = clockFactor(scenario.hostClock);
  if (factor === 1) return scenario;
  return scenarioWithTimes(scenario, (milliseconds) => Math.round(milliseconds * factor) / factor);
}

function scenarioWithTimes(scenario: Scenario, convert: (milliseconds: number) => number): Scenario {
  const phases = withTimes(scenario.phases, [PHASE_TIMES], convert);
  const [endMs, convertedEndMs] = [timelineEndMs(scenario.phases), timelineEndMs(phases)];
  // Events that last to the end of the run must still do so.
  const convertOrEnd = (milliseconds: number): number => {
    const convertedMs = convert(milliseconds);
    return convertedMs === convert(endMs) ? convertedEndMs : convertedMs;
  };
  const events = withTimes(scenario.events, [EVENT_TIMES], convertOrEnd);
  return { ...scenario, phases, events, target: withTimes(scenario.target, TARGET_TIMES, convert) };
}
