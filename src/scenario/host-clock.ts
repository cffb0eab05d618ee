import { z } from 'zod';
import { formatDuration, wholeMicroseconds } from '../base/kernel/units.ts';
import { unixMsOf } from '../base/notation/date.ts';
import { type Finding, type Path, valueFinding } from '../base/notation/finding.ts';
import { wholeNumberFrom } from '../base/notation/quantities.ts';
import { section } from '../base/notation/section.ts';
import { OPERATIONS } from '../base/protocol/operations.ts';
import { clockFactor, type HostClock, TIME_OF_DAY } from '../load/host-clock.ts';
import { timelineEndMs } from '../load/timeline.ts';
import type { Scenario } from './scenario.ts';

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

/** The times on the hosts' clocks in a value: those of each key, or of each entry of a list. */
type Times = 'time' | readonly [each: Times] | { readonly [key: string]: Times };

const LOAD_TIMES: Times = { over: 'time', rate: { points: [{ atMs: 'time' }] } };
const ENTRY_TIMES: Times = { at: { offsetMs: 'time' }, for: 'time', over: 'time', repeat: { every: 'time' } };

const FILE_TIMES: Times = {
  phases: [{ duration: 'time', ...Object.fromEntries(OPERATIONS.map((operation) => [operation, LOAD_TIMES])) }],
  events: [ENTRY_TIMES],
  target: { faults: [ENTRY_TIMES], pull: { configAt: { offsetMs: 'time' } } },
};

const PHASE_TIMES: Times = { startMs: 'time', durationMs: 'time', loads: [{ model: { curve: [{ atMs: 'time' }] } }] };
const EVENT_TIMES: Times = {
  fromMs: 'time',
  toMs: 'time',
  overMs: 'time',
  untilMs: 'time',
  repeat: { everyMs: 'time' },
};
const TARGET_TIMES: Times = { faults: [{ atMs: 'time', forMs: 'time' }], pull: { configAtMs: 'time' } };

/** The value with its times changed; absent ones stay absent. */
function withTimes<Value>(
  value: Value,
  times: Times,
  change: (milliseconds: number, path: Path) => number,
  path: Path = [],
): Value {
  const changed = (part: unknown): unknown => {
    if (times === 'time') return typeof part === 'number' ? change(part, path) : part;
    if (typeof part !== 'object' || part === null) return part;
    if (Array.isArray(part)) {
      const [each] = times as readonly [Times];
      return part.map((entry, index) => withTimes(entry, each, change, [...path, index]));
    }
    const parts = part as Readonly<Record<string, unknown>>;
    const keys = Object.entries(times).filter(([key]) => key in parts);
    const moved = keys.map(([key, own]) => [key, withTimes(parts[key], own as Times, change, [...path, key])]);
    return { ...parts, ...Object.fromEntries(moved) };
  };
  return changed(value) as Value;
}

/** The readable parts of a file with the hosts' times. */
export type PartialTimes = { readonly hostClock?: Partial<NonNullable<HostClockFile>> | undefined };

/** Times that would be rounded, so that a curve would lose points, and a short time would become zero. */
export function hostTimeFindings(file: PartialTimes): readonly Finding[] {
  if ((file.hostClock?.factor ?? 1) === 1) return [];
  const findings: Finding[] = [];
  withTimes(file, FILE_TIMES, (milliseconds, path) => {
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
export function inRunTime<File>(file: File, clock: HostClock | undefined): File {
  const factor = clockFactor(clock);
  return factor === 1 ? file : withTimes(file, FILE_TIMES, (milliseconds) => milliseconds / factor);
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

function scenarioWithTimes(scenario: Scenario, moved: (milliseconds: number) => number): Scenario {
  const phases = withTimes(scenario.phases, [PHASE_TIMES], moved);
  const [endMs, movedEndMs] = [timelineEndMs(scenario.phases), timelineEndMs(phases)];
  // Events that last to the end of the run must still do so.
  const movedOrEnd = (milliseconds: number): number => {
    const movedMs = moved(milliseconds);
    return movedMs === moved(endMs) ? movedEndMs : movedMs;
  };
  const events = withTimes(scenario.events, [EVENT_TIMES], movedOrEnd);
  return { ...scenario, phases, events, target: withTimes(scenario.target, TARGET_TIMES, moved) };
}
